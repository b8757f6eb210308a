#include "cli/bench/lockstep_contestant.h"

#include <chrono>
#include <ctime>
#include <optional>

#include "base/deadline.h"
#include "base/random_token.h"
#include "bench_worker/all_reduce_duty.h"
#include "bench_worker/pinning.h"
#include "cli/bench/ping_pong_flags.h"
#include "comm/kernels/reduce_kernel.h"
#include "comm/shm/memory_file.h"
#include "comm/shm/shm_backend.h"
#include "lockstep/communicator.h"
#include "lockstep/version.h"

namespace lockstep::bench {
namespace {

using std::chrono::seconds;

constexpr seconds kPatience{30};

std::int64_t now_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class LockstepContestant final : public Contestant {
 public:
  explicit LockstepContestant(const LockstepRank& rank)
      : rank_(rank),
        shares_core_(rank.size > usable_cores()),
        flags_(map_memory_file(rank.flags_fd, sizeof(PingPongFlags), Populate::kNow)) {}

  std::string invite() override { return random_token(); }

  std::string join(const std::string& invitation, std::size_t buffer_bytes) override {
    const ShmOptions options{.token = invitation, .rank = rank_.rank, .size = rank_.size};
    communicator_.emplace(join_shm(options, Deadline::after(kPatience)));
    bucket_ = communicator_->allocate(buffer_bytes);
    private_bucket_.resize(buffer_bytes / sizeof(float));
    return std::string("lockstep ") + version();
  }

  std::span<float> buffer() override { return bucket_.as<float>(); }
  void barrier() override { communicator_->barrier(); }
  void all_reduce(std::span<float> part) override { communicator_->all_reduce(part, ReduceOp::kSum); }

  std::vector<std::int64_t> measure_host(const Order& order) override {
    if (order.kind == OrderKind::kPingPong) {
      auto& flags = *reinterpret_cast<PingPongFlags*>(flags_.get());
      return play_ping_pong(flags, rank_.rank, trips_, order.iterations);
    }
    return run_kernel(order.bytes, order.iterations);
  }

 private:
  // One rank's work in an all-reduce, with every bucket private: reads one slice of each bucket and writes the sum to
  // all of them. Ranks that share a core run one after the other, so each counts only the time that it had the core.
  std::vector<std::int64_t> run_kernel(std::size_t bytes, int iterations) {
    const clockid_t clock = shares_core_ ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    const std::size_t count = bytes / sizeof(float) / static_cast<std::size_t>(rank_.size);
    const std::span<float> bucket =
        std::span(private_bucket_).first(count * static_cast<std::size_t>(rank_.size));
    std::vector<std::byte*> slices;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rank_.size); ++i) {
      slices.push_back(reinterpret_cast<std::byte*>(bucket.data() + i * count));
    }
    const ReduceJob job{.sources = slices.data(),
                        .source_count = rank_.size,
                        .destinations = slices.data(),
                        .destination_count = rank_.size,
                        .count = count};
    const ReduceKernel kernel = reduce_kernel(DType::kF32, ReduceOp::kSum);
    std::vector<std::int64_t> times;
    for (int i = 0; i <= iterations; ++i) {
      fill(bucket, rank_.rank);
      communicator_->barrier();
      const std::int64_t start = now_ns(clock);
      kernel(job);
      times.push_back(now_ns(clock) - start);
    }
    times.erase(times.begin());  // the first one does not count, as in an all-reduce
    return times;
  }

  LockstepRank rank_;
  bool shares_core_;  // determined before the rank is pinned
  std::shared_ptr<std::byte> flags_;
  std::uint32_t trips_ = 0;
  std::optional<Communicator> communicator_;
  SymmetricMemory bucket_;
  std::vector<float> private_bucket_;
};

}  // namespace

std::unique_ptr<Contestant> make_lockstep_contestant(const LockstepRank& rank) {
  return std::make_unique<LockstepContestant>(rank);
}

}  // namespace lockstep::bench
