#pragma once

// While it is alive, libtorch operations called by this thread run in this thread alone. Otherwise each loader thread
// would bring its own team to the cores that train, and sums would depend on the team's size.

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
