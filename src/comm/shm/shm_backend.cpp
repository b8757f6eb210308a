#include "comm/shm/shm_backend.h"

#include <fmt/format.h>

#include <utility>

#include "comm/shm/control_block.h"
#include "comm/shm/engine.h"
#include "comm/shm/group.h"
#include "comm/shm/huge_pages.h"
#include "comm/shm/memory_file.h"
#include "comm/shm/packet.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

class ShmBackend final : public Backend {
 public:
  ShmBackend(const ShmOptions& options, std::shared_ptr<Engines> engines, const Deadline& deadline)
      : options_(options),
        engines_(std::move(engines)),
        group_(join(options, deadline)),
        engine_(*group_, engines_) {}

  std::string_view name() const override { return "shm"; }
  int rank() const override { return group_->rank(); }
  int size() const override { return group_->size(); }

  Task& start(const Request& request) override { return engine_.start(request); }

  // The facade has made sure that all ranks are here with the same size.
  SymmetricMemory allocate(std::size_t bytes, const Deadline& deadline) override {
    const UniqueFd file = create_memory_file(bytes);
    // Touched by its owner first, so that it lies in the memory next to the owner's processor.
    const auto own = map_memory_file(file.get(), bytes, Populate::kNow);
    take_huge_pages({own.get(), bytes});
    return group_->regions().add(bytes, group_->exchange({file.get()}, deadline));
  }

  // Everybody brings a file and all take that of rank 0; the others were never touched and cost nothing. Each rank touches
  // its share of a large one before anybody uses it, so that what only one rank uses lies next to its processor.
  SharedMemory allocate_shared(std::size_t bytes, const Deadline& deadline) override {
    const UniqueFd file = create_memory_file(bytes);
    const auto files = group_->exchange({file.get()}, deadline);
    const int chosen = files.front().front().get();
    const auto writable = map_memory_file(chosen, bytes, Populate::kOnTouch, Access::kWrite);
    const std::size_t share = bytes / static_cast<std::size_t>(size());
    if (share >= kHugePageBytes) {
      take_huge_pages({writable.get() + share * static_cast<std::size_t>(rank()), share});
      group_->exchange({}, deadline);
    }
    return {map_memory_file(chosen, bytes, Populate::kOnTouch, Access::kRead), writable, bytes};
  }
  bool shares_memory() const override { return true; }

  std::shared_ptr<Backend> split(const GroupPlace& place, const Deadline& deadline) override {
    ShmOptions options = options_;
    options.group += "/" + place.name;
    options.rank = place.rank;
    options.size = place.size;
    return std::make_shared<ShmBackend>(options, engines_, deadline);
  }

  void abort(std::string_view reason) noexcept override {
    group_->fail(Error(ErrorCode::kAborted, fmt::format("rank {} called the group off: {}", rank(), reason))
                     .with_peer(rank()));
  }

 private:
  static std::unique_ptr<Group> join(const ShmOptions& options, const Deadline& deadline) {
    const MeetingOptions meeting{.token = options.token,
                                 .group = options.group,
                                 .rank = options.rank,
                                 .size = options.size,
                                 .report_every = options.report_every};
    return Group::join({.meeting = meeting, .staging_bytes = options.staging_bytes}, deadline);
  }

  ShmOptions options_;
  std::shared_ptr<Engines> engines_;
  std::unique_ptr<Group> group_;
  Engine engine_;
};

void validate(const ShmOptions& options) {
  if (options.size < 1 || options.size > kMaxShmRanks) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} ranks on one host; the shm backend takes 1 to {}", options.size, kMaxShmRanks));
  }
  if (options.rank < 0 || options.rank >= options.size) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("there is no rank {} among {}", options.rank, options.size));
  }
  if (options.token.size() > kMaxPacketText) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a job token of {} bytes; the most is {}", options.token.size(), kMaxPacketText));
  }
  if (options.staging_bytes % kCacheLineBytes != 0 ||
      options.staging_bytes < kCacheLineBytes * static_cast<std::size_t>(options.size)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("staging areas of {} bytes; they need a multiple of {}, at least {} for {} ranks",
                            options.staging_bytes, kCacheLineBytes,
                            kCacheLineBytes * static_cast<std::size_t>(options.size), options.size));
  }
}

}  // namespace

std::shared_ptr<Backend> join_shm(const ShmOptions& options, const Deadline& deadline) {
  validate(options);
  return std::make_shared<ShmBackend>(options, std::make_shared<Engines>(), deadline);
}

}  // namespace lockstep
