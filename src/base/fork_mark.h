#pragma once

// Where something was made: in this process, or in one that this process was forked from.
//
// A forked child has a copy of everything its parent has, and runs the destructors of it if it exits in the usual way.
// What belongs to the parent's dealings with others, such as flags in shared memory, sockets and threads, it must leave
// alone: it is not the parent, though it looks like it.
//
// Asking costs one load and no system call: pthread_atfork() keeps count. Children made by vfork() or a bare clone()
// are not counted; they may not run destructors anyway. May be asked on any thread.

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace lockstep {

class ForkMark {
 public:
  ForkMark();  // here and now

  // Whether this process has the marked thing from its parent, or from a parent of that.
  bool is_inherited() const { return forks_ != forks().load(std::memory_order_relaxed); }
  // The process it was made in.
  pid_t maker() const { return maker_; }

 private:
  // How often there was a fork between the first process and this one.
  static std::atomic<std::uint64_t>& forks();

  std::uint64_t forks_ = 0;
  pid_t maker_;
};

// Keeps something that must not be destroyed in this process, where a leak checker can see it.
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
