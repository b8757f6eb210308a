#pragma once

// What the tests of the gloo backend share: a free port, and joining as a rank of a test.

#include <chrono>
#include <string>

#include "comm/gloo/gloo_backend.h"
#include "comm/mesh/tcp_socket.h"
#include "lockstep/communicator.h"
#include "support/run_ranks.h"

namespace lockstep::testing {

// A port on which nobody listens at the moment, from the kernel.
inline int free_port() {
  const UniqueFd listener = mesh::listen_on(mesh::SocketAddress::resolve("127.0.0.1", 0), 1);
  return mesh::SocketAddress::of_socket(listener.get()).port();
}

inline BackendContext gloo_context(const RankContext& rank, int port) {
  return {.rank = rank.rank(),
          .size = rank.size(),
          .token = "test",
          .master_address = "127.0.0.1",
          .master_port = port,
          .bind_address = ""};
}

inline Communicator join_gloo(const RankContext& rank, int port) {
  Communicator communicator(make_backend("gloo", gloo_context(rank, port), rank.deadline()));
  communicator.set_timeout(rank.deadline().remaining());
  return communicator;
}

}  // namespace lockstep::testing
