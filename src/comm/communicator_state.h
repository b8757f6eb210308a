#pragma once

// What a Communicator and its Works share: the backend, the counters, the observers and the first error.
//
// It belongs to the process that made it. In a child forked from that, every call is refused, and the backend is never
// destroyed: that would leave the group in the parent's name.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/fork_mark.h"
#include "base/mutex.h"
#include "comm/backend.h"
#include "lockstep/communicator.h"

namespace lockstep {

class CommunicatorState : public std::enable_shared_from_this<CommunicatorState> {
 public:
  // `turns` is held by whoever drives the backend. Communicators that are split from one another share it, since
  // each drives the groups of the others along.
  explicit CommunicatorState(std::shared_ptr<Backend> backend,
                             std::shared_ptr<Mutex> turns = std::make_shared<Mutex>());
  ~CommunicatorState();
  CommunicatorState(const CommunicatorState&) = delete;
  CommunicatorState& operator=(const CommunicatorState&) = delete;

  // Whether this process has it from its parent.
  bool is_inherited() const { return mark_.is_inherited(); }
  // Throws Error{kInvalidArgument} if so. Before the lock, which a thread of the parent may have held.
  void require_own(std::string_view operation) const;

  // Numbers the operation, tells the observers and hands it to the backend.
  Work start(Operation operation, ConstBuffer in, Buffer out, const CallOptions& options,
             std::span<const std::size_t> in_counts = {}, std::span<const std::size_t> out_counts = {},
             std::span<const InputPiece> own_pieces = {});

  // Runs a collective step that is no operation, with its error kept and put into context.
  template <class Step>
  auto guard(const char* name, Step step) {
    require_own(name);
    const MutexLock lock(*turns_);
    try {
      return step();
    } catch (const Error& error) {
      failure_ = Error(error).with_operation(name).with_rank(backend_->rank());
      throw Error(*failure_);
    }
  }

  // The two ways a Work goes on. When the task has ended they keep the error, tell the observers and take the task
  // back: tasks are recycled, so that a steady stream of operations allocates nothing.
  bool poll(Task& task);
  void wait(Task& task);

  Backend& backend() { return *backend_; }
  const Backend& backend() const { return *backend_; }
  const std::optional<Error>& failure() const { return failure_; }
  const std::shared_ptr<Mutex>& turns() const { return turns_; }
  Deadline deadline(const CallOptions& options) const;

  std::chrono::nanoseconds timeout = std::chrono::minutes(5);
  std::vector<std::shared_ptr<OperationObserver>> observers;
  std::uint64_t splits = 0;

 private:
  std::uint64_t next_sequence(const Operation& operation);
  [[noreturn]] void refuse(const Operation& operation) const;
  void ended(Task& task, const Error* error) noexcept;

  const ForkMark mark_;
  std::shared_ptr<Backend> backend_;
  std::shared_ptr<Mutex> turns_;
  std::uint64_t collectives_ = 0;
  std::vector<std::uint64_t> sent_;      // messages to each peer
  std::vector<std::uint64_t> received_;  // messages from each peer
  std::optional<Error> failure_;
};

}  // namespace lockstep
