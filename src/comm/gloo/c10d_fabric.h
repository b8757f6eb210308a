#pragma once

// libtorch's TCPStore and ProcessGroupGloo behind the interfaces of the mesh. The one file pair that sees c10d.

#include <memory>
#include <string>

#include "base/deadline.h"
#include "base/unique_fd.h"
#include "comm/mesh/carrier.h"

namespace lockstep::gloo {

struct C10dOptions {
  std::string store_address;  // of the process that holds the store, as a number
  int store_port = 0;
  UniqueFd store_listener;   // set in that process: bound and listening there
  std::string bind_address;  // where this process takes the connections of the others, as a number
  std::string job;           // tells apart the jobs that use one store
};

// Connects to the store, which must be listening, and binds to `bind_address`.
std::shared_ptr<mesh::Fabric> open_c10d_fabric(C10dOptions options, const Deadline& deadline);

}  // namespace lockstep::gloo
