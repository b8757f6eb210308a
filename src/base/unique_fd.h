#pragma once

// An owned file descriptor: closed once, movable, not copyable.

#include <utility>

namespace lockstep {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

  // Releases the descriptor without closing it.
  int release() noexcept { return std::exchange(fd_, -1); }
  // Closes the current descriptor and takes `fd`.
  void reset(int fd = -1) noexcept;

 private:
  int fd_ = -1;
};

// Both ends of a pipe, closed on exec. Throws Error{kSystem}.
struct Pipe {
  UniqueFd read;
  UniqueFd write;

  static Pipe create();
};

}  // namespace lockstep
