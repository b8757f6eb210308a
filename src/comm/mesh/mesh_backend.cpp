#include "comm/mesh/mesh_backend.h"

#include <fmt/format.h>

#include <utility>

#include "comm/local/local_backend.h"
#include "comm/mesh/engine.h"
#include "comm/mesh/group.h"
#include "lockstep/error.h"

namespace lockstep::mesh {
namespace {

class MeshBackend final : public Backend {
 public:
  MeshBackend(const MeshOptions& options, std::shared_ptr<Fabric> fabric, std::shared_ptr<Engines> engines,
              const Deadline& deadline)
      : options_(options),
        fabric_(std::move(fabric)),
        engines_(std::move(engines)),
        group_(join(options, *fabric_, deadline)),
        carrier_(connect(deadline)),
        engine_(*group_, *carrier_, engines_) {}

  std::string_view name() const override { return options_.name; }
  int rank() const override { return group_->rank(); }
  int size() const override { return group_->size(); }

  Task& start(const Request& request) override { return engine_.start(request); }

  // Nobody else can reach it, so it is what a rank alone has.
  SymmetricMemory allocate(std::size_t bytes, const Deadline& deadline) override {
    return make_local_backend()->allocate(bytes, deadline);
  }

  SharedMemory allocate_shared(std::size_t /*bytes*/, const Deadline& /*deadline*/) override {
    throw Error(ErrorCode::kInternal, "shared memory was requested, but these ranks do not share any");
  }
  bool shares_memory() const override { return false; }

  std::shared_ptr<Backend> split(const GroupPlace& place, const Deadline& deadline) override {
    if (place.size == 1) {
      return make_local_backend();
    }
    MeshOptions options = options_;
    options.group += "/" + place.name;
    options.rank = place.rank;
    options.size = place.size;
    return std::make_shared<MeshBackend>(options, fabric_, engines_, deadline);
  }

  void abort(std::string_view reason) noexcept override {
    engine_.fail(Error(ErrorCode::kAborted, fmt::format("rank {} called the group off: {}", rank(), reason))
                     .with_peer(rank()));
  }

 private:
  static std::unique_ptr<Group> join(const MeshOptions& options, Fabric& fabric, const Deadline& deadline) {
    const auto store = fabric.open_store(options.group);
    return Group::join(*store,
                       {.rank = options.rank,
                        .size = options.size,
                        .holds_store = options.holds_store,
                        .report_every = options.report_every},
                       options.bind_address, deadline);
  }

  // The carrier does not say who was lost; the news do.
  std::unique_ptr<Carrier> connect(const Deadline& deadline) {
    try {
      return fabric_->connect(options_.group, options_.rank, options_.size, deadline);
    } catch (const Error& error) {
      group_->advance();
      for (int peer = 0; peer < group_->size() && !group_->failure(); ++peer) {
        if (group_->has_died(peer)) {
          group_->fail_for_death_of(peer);
        }
      }
      const Error reason = group_->failure().value_or(error);
      group_->fail(reason);
      throw Error(reason).with_operation("join").with_rank(options_.rank).with_elapsed(deadline.elapsed());
    }
  }

  MeshOptions options_;
  std::shared_ptr<Fabric> fabric_;
  std::shared_ptr<Engines> engines_;
  std::unique_ptr<Group> group_;
  std::unique_ptr<Carrier> carrier_;
  Engine engine_;
};

}  // namespace

std::shared_ptr<Backend> join_mesh(const MeshOptions& options, std::shared_ptr<Fabric> fabric,
                                   const Deadline& deadline) {
  return std::make_shared<MeshBackend>(options, std::move(fabric), std::make_shared<Engines>(), deadline);
}

}  // namespace lockstep::mesh
