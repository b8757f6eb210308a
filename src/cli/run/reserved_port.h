#pragma once

// A TCP port of this host that the kernel assigns to no other process while it is held.
//
// The socket is bound but does not listen, and permits others to bind the same port if they ask for it by number, as
// the store of rank 0 does. So the port is found and reserved at once: no other process can take it in between.

#include "base/unique_fd.h"

namespace lockstep::run {

class ReservedPort {
 public:
  // Throws Error{kSystem} if there is none.
  ReservedPort();

  int number() const { return number_; }

 private:
  UniqueFd socket_;
  int number_ = 0;
};

}  // namespace lockstep::run
