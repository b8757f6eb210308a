#pragma once

// Marks where an object was created: in this process, or in one that this process was forked from.
//
// A forked child has a copy of everything its parent has, and runs the destructors if it exits normally. It must not
// touch what connects the parent with other processes or threads, such as flags in shared memory, sockets and threads.
//
// Checking costs one load and no system call: pthread_atfork() keeps count. Children created by vfork() or a bare
// clone() are not counted; they may not run destructors anyway. Can be used in any thread.

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace lockstep {

class ForkMark {
 public:
  ForkMark();  // here and now

  // Whether this process inherited the marked object from its parent, or an earlier ancestor.
  bool is_inherited() const { return forks_ != forks().load(std::memory_order_relaxed); }
  // The process that created it.
  pid_t maker() const { return maker_; }

 private:
  // The number of forks between the first process and this one.
  static std::atomic<std::uint64_t>& forks();

  std::uint64_t forks_ = 0;
  pid_t maker_;
};

// Keeps an object that must not be destroyed in this process, reachable for leak checkers.
template <class T>
void keep_undestroyed(T thing) {
  struct Kept {
    T thing;
    Kept* next;
  };
  static std::atomic<Kept*> first = nullptr;
  auto* kept = new Kept{std::move(thing), first.load()};
  while (!first.compare_exchange_weak(kept->next, kept)) {
  }
}

}  // namespace lockstep
