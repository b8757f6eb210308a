#pragma once

// What a communicator needs from a transport. The facade in communicator.cpp checks arguments, numbers
// operations, keeps the first error and tells observers; a backend only moves and combines bytes.
//
// Used by one thread at a time. Every implementation takes part in tests/comm/conformance.

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/deadline.h"
#include "comm/request.h"
#include "comm/task.h"
#include "lockstep/shared_memory.h"
#include "lockstep/symmetric_memory.h"

namespace lockstep {

// This rank's place in a group that split() makes.
struct GroupPlace {
  std::string name;  // differs from every other part of the same communicator
  int rank = 0;      // in the new group
  int size = 1;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Starts an operation. The task stays valid until it is recycled. Throws Error when it cannot be started.
  virtual Task& start(const Request& request) = 0;
  virtual SymmetricMemory allocate(std::size_t bytes, const Deadline& deadline) = 0;
  // Only called where shares_memory().
  virtual SharedMemory allocate_shared(std::size_t bytes, const Deadline& deadline) = 0;
  virtual bool shares_memory() const = 0;
  // Called by the ranks of one new group, with places 0 to size - 1.
  virtual std::shared_ptr<Backend> split(const GroupPlace& place, const Deadline& deadline) = 0;
  virtual void abort(std::string_view reason) noexcept = 0;
};

}  // namespace lockstep
