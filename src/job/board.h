#pragma once

// A page of memory that a launcher shares with one of its workers, through a descriptor the worker inherits.
//
// The launcher writes the job's secret token into it: unlike an argument or an environment variable, other users
// cannot read it. The worker says there how far it came. Nobody waits for anybody: the launcher looks when it
// wants to know, also after the worker was killed.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace lockstep {

// Names the descriptor in the worker's environment.
inline constexpr std::string_view kBoardVariable = "LOCKSTEP_JOB_FD";

// How far a worker came with joining the launcher's job.
enum class JoinStage : std::uint32_t {
  kNone,     // it has not begun
  kJoining,  // it waits for the others
  kJoined,   // it is one of them
  kLeft,     // in order: its World is gone
};

class Board {
 public:
  // A new page, in memory without a name. Throws Error{kSystem}.
  static Board create(std::string_view token);

  // The page behind `fd`, which stays the caller's. Nothing when that is not a board: descriptors that a program
  // in between closed are soon used for something else.
  static std::optional<Board> open(int fd);

  // The board that the environment names, if a launcher of ours is there.
  static std::optional<Board> find(const std::map<std::string, std::string>& environment);

  Board(Board&& other) noexcept;
  Board& operator=(Board&& other) noexcept;
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  ~Board();

  int fd() const { return fd_.get(); }  // of create(): to be inherited
  std::string token() const;

  void note_program();  // the worker is a program of ours
  void note_stage(JoinStage stage);
  // `world_size` as the worker knows it: a script in between may have made it another.
  void note_joining(int world_size, std::string_view backend);
  void note_step();  // a step of training is done
  bool is_ours() const;
  // With respect to a world of that size.
  JoinStage stage(int world_size) const;
  std::string backend() const;  // that it joins over; empty before it does
  std::uint64_t steps() const;

 private:
  struct Page;

  explicit Board(Page* page) : page_(page) {}

  Page* page_ = nullptr;
  UniqueFd fd_;
};

// The board of this process: World::join() sets it, and whoever finishes a step of training notes it there. Without
// a launcher of ours these do nothing.
void set_process_board(Board board);
void note_process_stage(JoinStage stage);
void note_process_step();

}  // namespace lockstep
