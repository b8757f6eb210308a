#pragma once

// While it lives, operations of libtorch that this thread calls run in this thread alone. Threads that load data
// would otherwise each bring a team of their own to the cores that train, and sums would depend on the team's size.

namespace lockstep {

class SerialOps {
 public:
  SerialOps();
  ~SerialOps();
  SerialOps(const SerialOps&) = delete;
  SerialOps& operator=(const SerialOps&) = delete;

 private:
  int threads_;
  int blas_threads_;
};

}  // namespace lockstep
