#include "comm/gloo/gloo_backend.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "comm/gloo/c10d_fabric.h"
#include "comm/kernels/reduce_kernel.h"
#include "comm/local/local_backend.h"
#include "comm/mesh/join_report.h"
#include "comm/mesh/mesh_backend.h"
#include "comm/mesh/socket_address.h"
#include "comm/mesh/tcp_socket.h"
#include "lockstep/error.h"

// Named by the link options of this layer, so that the linker keeps this file and with it the registration.
extern "C" void lockstep_link_gloo_backend() {}

namespace lockstep {
namespace {

using mesh::SocketAddress;

const bool kRegistered = register_backend(
    "gloo",
    [](const BackendContext& context, const Deadline& deadline) { return join_gloo(context, deadline); });

bool launcher_holds_store() {
  const char* value = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  return value != nullptr && std::string_view(value) == "True";
}

void validate(const BackendContext& context) {
  const auto refuse = [](const std::string& reason) { return Error(ErrorCode::kInvalidArgument, reason); };
  if (context.size < 1 || context.size > kMaxReduceSources) {
    throw refuse(std::to_string(context.size) + " ranks; the gloo backend takes 1 to " +
                 std::to_string(kMaxReduceSources));
  }
  if (context.rank < 0 || context.rank >= context.size) {
    throw refuse("there is no rank " + std::to_string(context.rank) + " among " +
                 std::to_string(context.size));
  }
  if (context.size > 1 && context.master_address.empty()) {
    throw refuse("the gloo backend needs the address of rank 0");
  }
  if (context.size > 1 && (context.master_port < 1 || context.master_port > 65535)) {
    throw refuse("the gloo backend needs a port of rank 0 from 1 to 65535, not " +
                 std::to_string(context.master_port));
  }
}

// libtorch would wait as well, but without a word.
void wait_for_store(const SocketAddress& master, int rank, std::chrono::nanoseconds report_every,
                    const Deadline& deadline) {
  mesh::JoinReport report(report_every, deadline);
  while (!mesh::somebody_listens_at(master)) {
    report.tick([&] { return "rank 0 is not here yet; nobody listens on " + master.text(); });
    if (deadline.expired()) {
      throw Error(
          ErrorCode::kTimeout,
          "rank 0 did not come; the others cannot meet without it. Nobody listens on " + master.text())
          .with_operation("join")
          .with_rank(rank)
          .with_peer(0)
          .with_elapsed(deadline.elapsed());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

std::shared_ptr<Backend> join_gloo(const BackendContext& context, const Deadline& deadline,
                                   std::chrono::nanoseconds report_every) {
  validate(context);
  if (context.size == 1) {
    return make_local_backend();
  }
  const SocketAddress master = SocketAddress::resolve(context.master_address, context.master_port);
  const SocketAddress bind_address = SocketAddress::of_this_machine(context.bind_address, master);
  mesh::listen_on(bind_address, 1);  // whether it is ours; libtorch would say it less clearly
  gloo::C10dOptions options{.store_address = master.host(),
                            .store_port = master.port(),
                            .store_listener = {},
                            .bind_address = bind_address.host(),
                            .job = context.token};
  const bool holds_store = context.rank == 0 && !launcher_holds_store();
  if (holds_store) {
    options.store_listener = mesh::listen_on(master, 2 * context.size);
  } else {
    wait_for_store(master, context.rank, report_every, deadline);
  }
  return mesh::join_mesh({.name = "gloo",
                          .rank = context.rank,
                          .size = context.size,
                          .bind_address = bind_address,
                          .holds_store = holds_store,
                          .report_every = report_every},
                         gloo::open_c10d_fabric(std::move(options), deadline), deadline);
}

}  // namespace lockstep
