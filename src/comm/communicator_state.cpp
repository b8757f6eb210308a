#include "comm/communicator_state.h"

#include <utility>

#include "comm/argument_checks.h"

namespace lockstep {

CommunicatorState::CommunicatorState(std::shared_ptr<Backend> backend, std::shared_ptr<Mutex> turns)
    : backend_(std::move(backend)),
      turns_(std::move(turns)),
      sent_(static_cast<std::size_t>(backend_->size())),
      received_(static_cast<std::size_t>(backend_->size())) {}

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
