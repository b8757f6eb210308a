#pragma once

// Keeps the tasks of a backend for the next operation, so that a steady stream of operations allocates nothing.
// T is a Task with a public `TaskPool<T>* pool`, which its recycle() gives itself back to.

#include <memory>
#include <vector>

namespace lockstep {

template <class T>
class TaskPool {
 public:
  T& take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<T>());
      all_.back()->pool = this;
      free_.reserve(all_.size());  // so that give_back() cannot throw
      return *all_.back();
    }
    T& task = *free_.back();
    free_.pop_back();
    return task;
  }

  void give_back(T& task) noexcept { free_.push_back(&task); }

 private:
  std::vector<std::unique_ptr<T>> all_;
  std::vector<T*> free_;
};

}  // namespace lockstep
