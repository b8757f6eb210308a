#include "lockstep/work.h"

#include <utility>

#include "comm/communicator_state.h"
#include "comm/task.h"
#include "lockstep/log.h"

namespace lockstep {

void Work::Recycle::operator()(Task* task) const noexcept {
  task->recycle();
}

Work::Work(std::shared_ptr<CommunicatorState> owner, std::unique_ptr<Task, Recycle> task)
    : owner_(std::move(owner)), task_(std::move(task)) {}

Work::Work(Work&& other) noexcept = default;

Work& Work::operator=(Work&& other) noexcept {
  if (this != &other) {
    Work finished(std::move(*this));  // waits for what this handle held
    owner_ = std::move(other.owner_);
    task_ = std::move(other.task_);
    error_ = std::move(other.error_);
  }
  return *this;
}

Work::~Work() {
  try {
    wait();
  } catch (const Error& error) {
    LOCKSTEP_LOG(kError) << "an operation that nobody waited for has failed: " << error.what();
  }
}

bool Work::poll() {
  if (task_ == nullptr) {
    return true;
  }
  try {
    if (owner_->poll(*task_)) {
      task_.reset();
    }
  } catch (const Error& error) {
    error_ = error;
    task_.reset();
  }
  return task_ == nullptr;
}

void Work::wait() {
  if (task_ != nullptr) {
    try {
      owner_->wait(*task_);
    } catch (const Error& error) {
      error_ = error;
    }
    task_.reset();
  }
  if (error_) {
    throw *std::exchange(error_, std::nullopt);
  }
}

std::optional<Error> Work::error() const {
  return error_;
}

}  // namespace lockstep
