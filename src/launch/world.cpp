#include "lockstep/world.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/duration_text.h"
#include "base/fork_mark.h"
#include "comm/backend_registry.h"
#include "comm/local/local_backend.h"
#include "comm/shm/shm_backend.h"
#include "job/board.h"
#include "launch/allocator.h"
#include "launch/failure_report.h"
#include "launch/identity.h"
#include "launch/node_census.h"
#include "launch/variable_setter.h"
#include "launch/world_arguments.h"
#include "lockstep/config.h"
#include "lockstep/error.h"
#include "lockstep/log.h"
#include "lockstep/version.h"

namespace lockstep {
namespace {

void register_own_backends() {
  static const bool registered =
      register_backend("local",
                       [](const BackendContext&, const Deadline&) { return make_local_backend(); }) &&
      register_backend("shm", [](const BackendContext& context, const Deadline& deadline) {
        return join_shm({.token = context.token, .rank = context.rank, .size = context.size}, deadline);
      });
  static_cast<void>(registered);
}

// The backend's name; throws if the choice cannot work.
std::string_view pick_backend(BackendChoice choice, const Recognition& recognition) {
  const Identity& identity = recognition.identity;
  const auto refuse = [](const std::string& reason) -> Error {
    return Error(ErrorCode::kInvalidConfig, reason).with_operation("join");
  };
  switch (choice) {
    case BackendChoice::kAuto:
      if (identity.size == 1) {
        return "local";
      }
      return identity.local_size == identity.size ? "shm" : "gloo";
    case BackendChoice::kLocal:
      if (identity.size > 1) {
        throw refuse(fmt::format("the local backend is for one rank, this world has {}", identity.size));
      }
      return "local";
    case BackendChoice::kShm:
      if (identity.local_size != identity.size) {
        throw refuse(fmt::format("the shm backend is for one host, and only {} of {} ranks are on this one",
                                 identity.local_size, identity.size));
      }
      return "shm";
    case BackendChoice::kGloo:
      if (identity.size > 1 && (identity.master_address.empty() || identity.master_port == 0)) {
        throw refuse(
            fmt::format("the gloo backend needs MASTER_ADDR and MASTER_PORT, and {} does not set them: {}",
                        recognition.starter->program, recognition.starter->give_address));
      }
      return "gloo";
  }
  return "local";
}

// Under `lockstep run`, which sets torchrun's variables: uses the job's secret instead of a token derived from the
// environment, if all ranks are workers of that one launcher. Also flushes lines as they are printed, although the
// launcher reads them from a pipe. Ranks that mpirun started inside a worker are another job. Returns whether the world
// being joined is the launcher's own job.
bool meet_launcher(const config::Environment& environment, Recognition& recognition,
                   std::string_view backend) {
  Identity& identity = recognition.identity;
  report_escaping_exceptions(identity.rank);
  auto board = Board::find(environment);
  if (!board) {
    return false;
  }
  const bool is_ours = recognition.starter != nullptr && recognition.starter->kind == StarterKind::kTorchrun;
  if (is_ours && identity.node_count == 1) {
    identity.token = board->token();
  }
  board->note_program();
  if (is_ours) {
    board->note_joining(identity.size, backend);
  }
  set_process_board(std::move(*board));
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return is_ours;
}

// Every rank could log it, but once is enough.
void log_recognition(const Recognition& recognition) {
  if (recognition.identity.rank == 0) {
    LOCKSTEP_LOG(kInfo) << recognition.describe();
  } else {
    LOCKSTEP_LOG(kDebug) << recognition.describe();
  }
}

// What all ranks must agree on, in a fixed number of bytes.
using Agreement = std::array<char, 256>;

Agreement describe_agreement(const WorldOptions& options) {
  const std::string text = fmt::format("Lockstep {}, timeout {}", version(), duration_text(options.timeout));
  Agreement agreement{};
  text.copy(agreement.data(), agreement.size() - 1);
  return agreement;
}

void require_agreement(Communicator& communicator, const WorldOptions& options) {
  const Agreement mine = describe_agreement(options);
  std::vector<std::byte> all(mine.size() * static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(std::as_bytes(std::span(mine)), all,
                          {.label = "agree", .timeout = options.join_timeout});
  for (int rank = 0; rank < communicator.size(); ++rank) {
    Agreement theirs{};
    std::memcpy(theirs.data(), all.data() + mine.size() * static_cast<std::size_t>(rank), theirs.size());
    if (theirs != mine) {
      throw Error(ErrorCode::kMismatch, fmt::format("ranks differ: rank {} has {}; rank {} has {}",
                                                    communicator.rank(), mine.data(), rank, theirs.data()))
          .with_operation("join")
          .with_rank(communicator.rank())
          .with_peer(rank);
    }
  }
}

void settle_nodes(Communicator& communicator, const WorldOptions& options, Identity& identity) {
  if (identity.node_count == 0) {
    const NodePlace node = take_node_census(communicator, this_host_name(), options.join_timeout);
    identity.node_rank = node.rank;
    identity.node_count = node.count;
  }
}

}  // namespace

void WorldOptions::describe(config::Description& d) {
  d.option("backend", backend, "backend that connects the ranks")
      .choices({{"auto", BackendChoice::kAuto},
                {"local", BackendChoice::kLocal},
                {"shm", BackendChoice::kShm},
                {"gloo", BackendChoice::kGloo}});
  d.option("join-timeout", join_timeout, "how long to wait for all ranks to join");
  d.option("timeout", timeout, "how long a collective may take");
  d.option("bind-address", bind_address, "address or interface for the gloo backend");
  d.option("tune-allocator", tune_allocator, "keep large blocks of memory between steps");
}

struct World::State {
  State(Identity identity_in, Communicator communicator_in)
      : identity(std::move(identity_in)), communicator(std::move(communicator_in)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  // A forked child does not leave the world; its parent stays in it.
  ~State() {
    if (is_on_board && !mark.is_inherited()) {
      note_process_stage(JoinStage::kLeft);
    }
  }

  Identity identity;
  Communicator communicator;
  ForkMark mark;
  bool is_on_board = false;  // the launcher knows that this process has joined
};

World::World(std::unique_ptr<State> state) : state_(std::move(state)) {}
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;
World::~World() = default;

World World::join(const WorldOptions& options) {
  const Deadline deadline = Deadline::after(options.join_timeout);
  register_own_backends();
  const auto environment = config::process_environment();
  Recognition recognition = identify(environment, find_variable_setter);
  const Identity& identity = recognition.identity;
  set_process_logger({.rank = identity.rank, .world_size = identity.size});
  log_recognition(recognition);
  const std::string_view name = pick_backend(options.backend, recognition);
  const bool is_launchers = meet_launcher(environment, recognition, name);
  if (options.tune_allocator) {
    keep_large_blocks();
  }
  const auto backend = make_backend(name,
                                    {.rank = identity.rank,
                                     .size = identity.size,
                                     .token = identity.token,
                                     .master_address = identity.master_address,
                                     .master_port = identity.master_port,
                                     .bind_address = options.bind_address},
                                    deadline);
  auto state = std::make_unique<State>(identity, Communicator(backend));
  state->communicator.set_timeout(options.timeout);
  require_agreement(state->communicator, options);
  settle_nodes(state->communicator, options, state->identity);
  if (is_launchers) {
    note_process_stage(JoinStage::kJoined);
    state->is_on_board = true;
  }
  LOCKSTEP_LOG(kInfo) << "joined a world of " << identity.size << (identity.size == 1 ? " rank" : " ranks")
                      << " over " << backend->name() << " in " << duration_text(deadline.elapsed());
  return World(std::move(state));
}

World World::join(int& argc, char** argv, const WorldOptions& defaults) {
  return join(take_world_arguments(argc, argv, defaults, config::process_environment()));
}

int World::rank() const {
  return state_->identity.rank;
}
int World::size() const {
  return state_->identity.size;
}
int World::local_rank() const {
  return state_->identity.local_rank;
}
int World::local_size() const {
  return state_->identity.local_size;
}
int World::node_rank() const {
  return state_->identity.node_rank;
}
int World::node_count() const {
  return state_->identity.node_count;
}
Communicator& World::communicator() {
  return state_->communicator;
}

}  // namespace lockstep
