#pragma once

// The output of the workers' lines: the launcher's standard output or standard error.
//
// A dedicated thread writes, so that a stalled reader does not stall the launcher. Every source has a bounded queue,
// and the writer takes from them in turn. A worker that floods its output fills only its own queue and is not read
// until there is room (back-pressure); lines of other workers are written in between.

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
  // `fd` remains the caller's. Queues are numbered from 0. `file` is locked while lines are written, for sinks of the
  // same file: lines of one never split a line of the other.
  LineSink(int fd, std::size_t queues, std::shared_ptr<Mutex> file);
  // Unwritten lines are lost.
  ~LineSink();
  LineSink(const LineSink&) = delete;
  LineSink& operator=(const LineSink&) = delete;

  // Whether put() may be called; if not, room_fd() becomes readable as soon as there is room again.
  bool has_room(std::size_t queue) const;
  void put(std::size_t queue, std::string_view text);

  // Whether everything is written; if not, room_fd() becomes readable as writing proceeds.
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
