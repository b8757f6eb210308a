#include "lockstep/work.h"

#include <utility>

#include "comm/communicator_state.h"
#include "comm/task.h"
#include "lockstep/log.h"

namespace lockstep {

Work::Work(std::shared_ptr<CommunicatorState> owner, Task& task) : owner_(std::move(owner)), task_(&task) {}

Work::Work(Work&& other) noexcept
    : owner_(std::move(other.owner_)),
      task_(std::exchange(other.task_, nullptr)),
      error_(std::exchange(other.error_, std::nullopt)) {}

Work& Work::operator=(Work&& other) noexcept {
  if (this != &other) {
    Work finished(std::move(*this));  // waits for what this handle held
    owner_ = std::move(other.owner_);
    task_ = std::exchange(other.task_, nullptr);
    error_ = std::exchange(other.error_, std::nullopt);
  }
  return *this;
}

Work::~Work() {
  if (owner_ && owner_->is_inherited()) {
    return;  // the parent waits for it
  }
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
      task_ = nullptr;
    }
  } catch (const Error& error) {
    error_ = error;
    task_ = nullptr;
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
    task_ = nullptr;
  }
  if (error_) {
    throw *std::exchange(error_, std::nullopt);
  }
}

std::optional<Error> Work::error() const {
  return error_;
}

}  // namespace lockstep
