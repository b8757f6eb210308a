#pragma once

// The backend of ranks that are connected over TCP: small things go over the mesh's own connections, large ones
// through a carrier.

#include <chrono>
#include <memory>
#include <string>

#include "base/deadline.h"
#include "comm/backend.h"
#include "comm/mesh/carrier.h"
#include "comm/mesh/socket_address.h"

namespace lockstep::mesh {

struct MeshOptions {
  std::string name;             // of the backend
  std::string group = "world";  // which group of the job
  int rank = 0;
  int size = 1;
  SocketAddress bind_address;  // where this rank takes the connections of the others; port 0
  bool holds_store = false;    // this process does
  std::chrono::nanoseconds report_every = std::chrono::seconds(5);  // while ranks are missing
};

// Meets the other ranks; collective. Throws Error{kTimeout} naming the ranks that did not come.
std::shared_ptr<Backend> join_mesh(const MeshOptions& options, std::shared_ptr<Fabric> fabric,
                                   const Deadline& deadline);

}  // namespace lockstep::mesh
