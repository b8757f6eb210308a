#pragma once

// Where the workers' lines come out: the launcher's standard output or standard error.
//
// A thread of its own writes, so that a reader who has stopped reading does not stop the launcher. Every source has
// a queue with a bound, and the writer takes from them in turn: a worker that floods its output fills its own queue
// and is not read from until there is room, and the lines of the others go between.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/unique_fd.h"

namespace lockstep::run {

class LineSink {
 public:
  // `fd` stays the caller's. Queues are numbered from 0. `file` is held while lines are written, for sinks that
  // lead to the same file: a line is never torn by one of the other.
  LineSink(int fd, std::size_t queues, std::shared_ptr<Mutex> file);
  // What is not written by now is lost.
  ~LineSink();
  LineSink(const LineSink&) = delete;
  LineSink& operator=(const LineSink&) = delete;

  // Whether put() may be called; when not, room_fd() becomes readable as soon as there is room again.
  bool has_room(std::size_t queue) const;
  void put(std::size_t queue, std::string_view text);

  // Whether all is written; when not, room_fd() becomes readable on the way there.
  bool is_idle() const;

  int room_fd() const { return room_.get(); }
  void acknowledge_room();

 private:
  static constexpr std::size_t kQueueBytes = 256 << 10;
  static constexpr std::size_t kTurnBytes = 32 << 10;

  void run();
  std::string next_turn();
  bool write_turn(std::string_view text);
  bool wait_for_room();
  void wait_a_moment();
  bool has_nothing_left() const LOCKSTEP_REQUIRES(mutex_);

  const UniqueFd terminal_;
  const int fd_;
  const std::shared_ptr<Mutex> file_;
  UniqueFd room_;   // an eventfd, for the owner
  UniqueFd ended_;  // an eventfd, for the writer
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> queues_ LOCKSTEP_GUARDED_BY(mutex_);
  std::size_t turn_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  bool is_writing_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  bool is_ending_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::thread writer_;
};

}  // namespace lockstep::run
