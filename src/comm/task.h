#pragma once

// An operation in flight, as a backend keeps it. The facade's Work owns one and gives it back with recycle().

#include "base/deadline.h"
#include "comm/label.h"
#include "comm/request.h"
#include "lockstep/error.h"
#include "lockstep/operation.h"

namespace lockstep {

class Task {
 public:
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Advances without blocking; true when done. Throws Error when it has failed.
  virtual bool poll() = 0;
  // Blocks until done; throws Error when it fails or its deadline passes.
  virtual void wait() = 0;
  // Hands the task back to whoever made it. It is done, or its communicator has failed.
  virtual void recycle() noexcept = 0;

  // Takes over what the request says; the label is copied.
  void adopt(const Request& request) {
    label_ = Label(request.operation.label);
    operation_ = request.operation;
    operation_.label = label_.view();
    deadline_ = request.deadline;
  }

  const Operation& operation() const { return operation_; }
  const Label& label() const { return label_; }
  const Deadline& deadline() const { return deadline_; }

 protected:
  Task() : deadline_(Deadline::after({})) {}

 private:
  Operation operation_;
  Label label_;
  Deadline deadline_;
};

}  // namespace lockstep
