#include "comm/communicator_state.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "comm/argument_checks.h"

namespace lockstep {

CommunicatorState::CommunicatorState(std::shared_ptr<Backend> backend, std::shared_ptr<Mutex> turns)
    : backend_(std::move(backend)),
      turns_(std::move(turns)),
      sent_(static_cast<std::size_t>(backend_->size())),
      received_(static_cast<std::size_t>(backend_->size())) {}

// A child that returns from main() comes here. What the backend would do now, it would do in the parent's name: say that
// it leaves, close its connections, wait for its threads.
CommunicatorState::~CommunicatorState() {
  if (is_inherited()) {
    keep_undestroyed(std::move(backend_));
    keep_undestroyed(std::move(turns_));
  }
}

void CommunicatorState::require_own(std::string_view operation) const {
  if (is_inherited()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("this communicator belongs to process {}, and this is a forked child of it "
                            "(process {}): use it in the parent, or let the child join a job of its own",
                            mark_.maker(), getpid()))
        .with_operation(std::string(operation))
        .with_rank(backend_->rank());
  }
}

Deadline CommunicatorState::deadline(const CallOptions& options) const {
  return Deadline::after(options.timeout.value_or(timeout));
}

std::uint64_t CommunicatorState::next_sequence(const Operation& operation) {
  if (operation.kind == OperationKind::kSend) {
    return sent_[static_cast<std::size_t>(operation.root)]++;
  }
  if (operation.kind == OperationKind::kRecv) {
    return received_[static_cast<std::size_t>(operation.root)]++;
  }
  return collectives_++;
}

Work CommunicatorState::start(Operation operation, ConstBuffer in, Buffer out, const CallOptions& options,
                              std::span<const std::size_t> in_counts, std::span<const std::size_t> out_counts,
                              std::span<const InputPiece> own_pieces) {
  require_own(to_string(operation.kind));
  require_aligned(operation.kind, "input", in);
  require_aligned(operation.kind, "output", out);
  const MutexLock lock(*turns_);
  operation.label = options.label;
  if (failure_) {
    refuse(operation);
  }
  operation.sequence = next_sequence(operation);
  for (const auto& observer : observers) {
    observer->on_start(operation);
  }
  try {
    Task& task = backend_->start({.operation = operation,
                                  .in = in,
                                  .out = out,
                                  .in_counts = in_counts,
                                  .out_counts = out_counts,
                                  .own_pieces = own_pieces,
                                  .deadline = deadline(options)});
    return {shared_from_this(), task};
  } catch (const Error& error) {
    failure_ = error;
    for (const auto& observer : observers) {
      observer->on_finish(operation, {}, &error);
    }
    throw;
  }
}

void CommunicatorState::refuse(const Operation& operation) const {
  Error error = Error(failure_->code(), "this communicator has failed before and takes no more calls")
                    .with_operation(std::string(to_string(operation.kind)))
                    .with_label(std::string(operation.label))
                    .with_rank(backend_->rank())
                    .with_cause(std::make_exception_ptr(*failure_));
  throw failure_->peer() ? std::move(error).with_peer(*failure_->peer()) : std::move(error);
}

bool CommunicatorState::poll(Task& task) {
  require_own(to_string(task.operation().kind));
  const MutexLock lock(*turns_);
  try {
    const bool done = task.poll();
    if (done) {
      ended(task, nullptr);
    }
    return done;
  } catch (const Error& error) {
    ended(task, &error);
    throw;
  }
}

void CommunicatorState::wait(Task& task) {
  require_own(to_string(task.operation().kind));
  const MutexLock lock(*turns_);
  try {
    task.wait();
    ended(task, nullptr);
  } catch (const Error& error) {
    ended(task, &error);
    throw;
  }
}

void CommunicatorState::ended(Task& task, const Error* error) noexcept {
  if (error != nullptr && !failure_) {
    failure_ = *error;
  }
  for (const auto& observer : observers) {
    observer->on_finish(task.operation(), task.deadline().elapsed(), error);
  }
  task.recycle();
}

}  // namespace lockstep
