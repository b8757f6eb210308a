#pragma once

// TCP sockets as the mesh uses them: not blocking, closed on exec, without Nagle's delay, and with probes that
// notice a machine that is gone without a word.

#include "base/deadline.h"
#include "base/unique_fd.h"
#include "comm/mesh/socket_address.h"

namespace lockstep::mesh {

// Throws Error{kInvalidConfig} when the address is not one of this machine, Error{kSystem} when the port is taken.
UniqueFd listen_on(const SocketAddress& address, int backlog);

// Throws Error{kTimeout} at the deadline, Error{kSystem} when the other side refuses.
UniqueFd connect_to(const SocketAddress& address, const Deadline& deadline);

// Whether somebody takes connections there right now; waits for the answer for a second at most.
bool somebody_listens_at(const SocketAddress& address);

// Sets up a socket that was accepted.
void tune(int fd);

}  // namespace lockstep::mesh
