#include "comm/shm/group.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <utility>

#include "base/clock.h"
#include "base/duration_text.h"
#include "comm/call_code.h"

namespace lockstep {
namespace {

void publish_cpu_mask(CpuMask& mask) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof cpus, &cpus);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &cpus)) {
      mask.words[cpu / 64].fetch_or(1ULL << (cpu % 64), std::memory_order_relaxed);
    }
  }
}

std::vector<UniqueFd> take_column(std::vector<std::vector<UniqueFd>>& rows, std::size_t column) {
  std::vector<UniqueFd> fds;
  fds.reserve(rows.size());
  for (auto& row : rows) {
    fds.push_back(std::move(row[column]));
  }
  return fds;
}

}  // namespace

std::unique_ptr<Group> Group::join(const GroupOptions& options, const Deadline& deadline) {
  const SegmentLayout layout{.ranks = options.meeting.size, .staging_bytes = options.staging_bytes};
  const UniqueFd file = create_memory_file(layout.total_bytes());
  const auto own = map_memory_file(file.get(), layout.total_bytes(), Populate::kOnTouch);
  publish_cpu_mask(reinterpret_cast<ControlBlock*>(own.get())->cpus);
  Meeting meeting = Meeting::hold(options.meeting, deadline);
  const UniqueFd process = PeerWatch::own_pidfd();
  auto files = meeting.exchange({file.get(), process.get()}, deadline);
  return std::unique_ptr<Group>(
      new Group(options, std::move(meeting), take_column(files, 0), take_column(files, 1)));
}

Group::Group(const GroupOptions& options, Meeting meeting, const std::vector<UniqueFd>& segments,
             std::vector<UniqueFd> processes)
    : options_(options),
      rank_(options.meeting.rank),
      meeting_(std::move(meeting)),
      segments_({.ranks = options.meeting.size, .staging_bytes = options.staging_bytes}, segments),
      watch_(options.meeting.rank, std::move(processes)),
      regions_(std::make_shared<SymmetricRegions>(options.meeting.rank)),
      may_spin_(enough_processors()) {}

Group::~Group() {
  own().flags.left.store(1, std::memory_order_seq_cst);
  ring_sleepers();
}

bool Group::enough_processors() const {
  int processors = 0;
  for (std::size_t word = 0; word < CpuMask{}.words.size(); ++word) {
    std::uint64_t cpus = 0;
    for (int rank = 0; rank < size(); ++rank) {
      cpus |= control(rank).cpus.words[word].load(std::memory_order_relaxed);
    }
    processors += std::popcount(cpus);
  }
  return size() <= processors;
}

void Group::ring_sleepers() const {
  for (int peer = 0; peer < size(); ++peer) {
    Doorbell& doorbell = control(peer).doorbell;
    // Pairs with the sleeper, which stores `sleeping` and then looks once more at what it waits for: in the one
    // order of all seq_cst operations either it sees our store or we see that it sleeps.
    if (peer != rank_ && doorbell.sleeping.load(std::memory_order_seq_cst) != 0) {
      doorbell.rings.fetch_add(1, std::memory_order_release);
      syscall(SYS_futex, &doorbell.rings, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    }
  }
}

void Group::fail(const Error& error) noexcept {
  FailureRecord& record = control(0).failure;
  std::uint32_t expected = FailureRecord::kNone;
  if (!record.state.compare_exchange_strong(expected, FailureRecord::kBeingWritten)) {
    return;
  }
  std::array<char, FailureRecord::kTextBytes> text{};
  error.message().copy(text.data(), text.size() - 1);
  record.code.store(static_cast<std::int32_t>(error.code()), std::memory_order_relaxed);
  record.culprit.store(error.peer().value_or(-1), std::memory_order_relaxed);
  record.text.store(text.data());
  record.state.store(FailureRecord::kWritten, std::memory_order_seq_cst);  // pairs with failure()
  ring_sleepers();
}

std::optional<Error> Group::failure() const {
  const FailureRecord& record = control(0).failure;
  if (record.state.load(std::memory_order_acquire) != FailureRecord::kWritten) {  // pairs with fail()
    return std::nullopt;
  }
  std::array<char, FailureRecord::kTextBytes> text{};
  record.text.load(text.data());
  Error error(static_cast<ErrorCode>(record.code.load(std::memory_order_relaxed)), text.data());
  if (const int culprit = record.culprit.load(std::memory_order_relaxed); culprit >= 0) {
    error = std::move(error).with_peer(culprit);
  }
  return error;
}

void Group::look_for_lost_peers(const std::function<std::vector<int>()>& list_awaited) {
  const std::vector<int> dead = watch_.find_dead();
  std::vector<int> left;
  for (int peer = 0; peer < size(); ++peer) {
    // Pairs with ~Group(): whatever that rank had done before is visible.
    if (peer != rank_ && control(peer).flags.left.load(std::memory_order_acquire) != 0) {
      left.push_back(peer);
    }
  }
  if (dead.empty() && left.empty()) {
    return;
  }
  const auto contains = [](const std::vector<int>& ranks, int rank) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
  };
  for (const int peer : list_awaited()) {
    if (contains(left, peer)) {
      fail(Error(ErrorCode::kPeerLost, fmt::format("rank {} has left the group", peer)).with_peer(peer));
    } else if (contains(dead, peer)) {
      fail(death_of(peer));
    }
  }
}

Error Group::death_of(int rank) const {
  return Error(ErrorCode::kPeerLost, fmt::format("rank {} (process {}) has died", rank, watch_.pid(rank)))
      .with_peer(rank);
}

std::vector<std::vector<UniqueFd>> Group::exchange(const std::vector<int>& mine, const Deadline& deadline) {
  try {
    return meeting_.exchange(mine, deadline);
  } catch (const Error& error) {
    fail(error.code() == ErrorCode::kPeerLost ? death_of(*error.peer()) : error);
    throw failure().value_or(error);
  }
}

std::string Group::describe_ranks() const {
  const auto now = static_cast<std::uint64_t>(Clock::real().now().time_since_epoch().count());
  std::string text;
  for (int rank = 0; rank < size(); ++rank) {
    ControlBlock& block = control(rank);
    const std::uint64_t announced = block.flags.announced.load(std::memory_order_acquire);
    const std::uint64_t completed = block.flags.completed.load(std::memory_order_acquire);
    if (announced == 0) {
      text += fmt::format("\n    rank {} has called no collective yet", rank);
      continue;
    }
    const Announcement& last = block.announcement(announced - 1);
    const std::uint64_t since = std::min(now, last.time_ns.load(std::memory_order_relaxed));
    Label label;
    last.label.load(label.bytes().data());
    text += fmt::format("\n    rank {} {} {}, which it called {} ago", rank,
                        completed == announced ? "has finished" : "is in",
                        unpack_call(last.call.load(std::memory_order_relaxed),
                                    last.count.load(std::memory_order_relaxed), announced - 1, label)
                            .describe(),
                        duration_text(std::chrono::nanoseconds(now - since)));
  }
  return text;
}

}  // namespace lockstep
