#pragma once

// A page of memory that a launcher shares with one of its workers, through a descriptor that the worker inherits.
//
// The launcher writes the job's secret token into it: unlike an argument or an environment variable, other users cannot
// read it. The worker writes how far it has come. Neither waits for the other: the launcher reads the page when it
// wants to know, even after the worker was killed.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace lockstep {

// Names the descriptor in the worker's environment.
inline constexpr std::string_view kBoardVariable = "LOCKSTEP_JOB_FD";

// How far a worker has come in joining the launcher's job.
enum class JoinStage : std::uint32_t {
  kNone,     // not begun
  kJoining,  // waiting for the other ranks
  kJoined,   // a member of the world
  kLeft,     // in order: its World was destroyed
};

class Board {
 public:
  // Creates a page in anonymous memory. Throws Error{kSystem}.
  static Board create(std::string_view token);

  // The page behind `fd`, which the caller keeps. Nothing if that is not a board: a descriptor closed by a program in
  // between is soon reused for something else.
  static std::optional<Board> open(int fd);

  // The board named by the environment, if there is a Lockstep launcher.
  static std::optional<Board> find(const std::map<std::string, std::string>& environment);

  Board(Board&& other) noexcept;
  Board& operator=(Board&& other) noexcept;
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  ~Board();

  int fd() const { return fd_.get(); }  // from create(): to be inherited
  std::string token() const;

  void note_program();  // the worker is a Lockstep program
  void note_stage(JoinStage stage);
  // `world_size` as the worker sees it: a script in between may have changed it.
  void note_joining(int world_size, std::string_view backend);
  void note_step();  // a training step is done
  bool is_ours() const;
  // For a world of that size.
  JoinStage stage(int world_size) const;
  std::string backend() const;  // that it joins over; empty before that
  std::uint64_t steps() const;

 private:
  struct Page;

  explicit Board(Page* page) : page_(page) {}

  Page* page_ = nullptr;
  UniqueFd fd_;
};

// The board of this process. World::join() sets it, and the code that finishes a training step notes it there. Without
// a Lockstep launcher these do nothing.
void set_process_board(Board board);
void note_process_stage(JoinStage stage);
void note_process_step();

}  // namespace lockstep
