#pragma once

// A TCP port of this host that nobody else is given while it is held.
//
// The socket is bound and does not listen, and allows others to bind the same port as long as they ask for it by
// number, as the store of rank 0 does. So the port is found and kept in one go: between "find a free one" and "use
// it" nobody can take it.

#include "base/unique_fd.h"

namespace lockstep::run {

class ReservedPort {
 public:
  // Throws Error{kSystem} when there is none.
  ReservedPort();

  int number() const { return number_; }

 private:
  UniqueFd socket_;
  int number_ = 0;
};

}  // namespace lockstep::run
