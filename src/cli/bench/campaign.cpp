#include "cli/bench/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "base/deadline.h"
#include "base/unique_fd.h"
#include "bench_worker/pinning.h"
#include "cli/bench/ping_pong_flags.h"
#include "cli/bench/statistics.h"
#include "cli/bench/worker_group.h"
#include "cli/doctor/size_text.h"
#include "comm/shm/memory_file.h"

namespace lockstep::bench {
namespace {

constexpr std::size_t kLargeBytes = 32 << 20;
constexpr int kFewestLarge = 15;
constexpr int kFewest = 30;
constexpr int kMostPerRound = 100;  // with more, the machine would only change meanwhile
constexpr int kWarmUps = 2;
constexpr int kPingPongTimes = 10;

using Times = std::vector<std::vector<std::int64_t>>;  // by rank, then by iteration

// One cell of the table: repeated in each round.
struct Task {
  OrderKind kind = OrderKind::kMeasure;
  Point point;
  Implementation implementation = Implementation::kLockstep;
  WorkerGroup* workers = nullptr;
  WorkerGroup* host_meter = nullptr;  // with the same number of ranks
  int iterations = 0;
};

double to_us(std::int64_t time_ns) {
  return static_cast<double>(time_ns) / 1e3;
}

// An all-reduce is done when its slowest rank is.
double slowest_us(const Times& times, std::size_t iteration) {
  std::int64_t slowest = 0;
  for (const auto& rank : times) {
    slowest = std::max(slowest, rank[iteration]);
  }
  return to_us(slowest);
}

// Ranks that share a core take turns, so the busiest core counts.
double busiest_core_us(const Times& times, std::size_t iteration, int cores) {
  std::vector<std::int64_t> busy(static_cast<std::size_t>(cores));
  for (std::size_t rank = 0; rank < times.size(); ++rank) {
    busy[rank % busy.size()] += times[rank][iteration];
  }
  return to_us(*std::max_element(busy.begin(), busy.end()));
}

class Campaign {
 public:
  Campaign(const CampaignPlan& plan, Progress& progress) : plan_(plan), progress_(progress) {}

  Observations run() {
    start_workers();
    for (Task& task : tasks_) {
      progress_.show(fmt::format("warming up: {}", title(task)));
      warm_up(task);
    }
    for (int round = 1; round <= plan_.rounds; ++round) {
      for (const Task& task : tasks_) {
        progress_.show(fmt::format("round {} of {}: {}", round, plan_.rounds, title(task)));
        measure(task);
      }
    }
    return std::move(seen_);
  }

 private:
  void start_workers() {
    for (const int ranks : plan_.ranks) {
      std::map<Implementation, WorkerGroup*> compared;
      WorkerGroup* host_meter = nullptr;
      for (const Contender& contender : plan_.contenders) {
        WorkerGroup& group = start_group(contender, ranks);
        compared[contender.implementation] = &group;
        if (contender.implementation == Implementation::kLockstep) {
          host_meter = &group;
        }
      }
      if (host_meter == nullptr) {
        host_meter = &start_group(plan_.host_meter, ranks);
      }
      add_tasks(ranks, compared, host_meter);
    }
  }

  WorkerGroup& start_group(const Contender& contender, int ranks) {
    progress_.show(fmt::format("starting {} with {} ranks", to_string(contender.implementation), ranks));
    const UniqueFd flags = create_memory_file(sizeof(PingPongFlags));
    WorkerGroup& group = groups_.emplace_back(make_team(contender, ranks, flags.get()), plan_.patience);
    seen_.versions[contender.implementation] =
        group.join(*std::max_element(plan_.sizes.begin(), plan_.sizes.end()));
    return group;
  }

  void add_tasks(int ranks, const std::map<Implementation, WorkerGroup*>& compared, WorkerGroup* host_meter) {
    for (const std::size_t bytes : plan_.sizes) {
      const Point point{.ranks = ranks, .bytes = bytes};
      for (const auto& [implementation, group] : compared) {
        tasks_.push_back({OrderKind::kMeasure, point, implementation, group, host_meter, 0});
      }
      tasks_.push_back({OrderKind::kBound, point, Implementation::kLockstep, host_meter, host_meter, 0});
    }
  }

  static std::string title(const Task& task) {
    return fmt::format("{}, {} ranks, {}",
                       task.kind == OrderKind::kBound ? "bound" : to_string(task.implementation),
                       task.point.ranks, doctor::size_text(task.point.bytes));
  }

  static Times carry_out(const Task& task, int iterations) {
    return task.workers->measure(
        {.kind = task.kind, .bytes = task.point.bytes, .iterations = iterations, .invitation = {}});
  }

  // Touches all memory, opens all connections, and measures how long an iteration takes.
  void warm_up(Task& task) const {
    carry_out(task, 1);
    const Deadline stopwatch = Deadline::after(plan_.patience);
    carry_out(task, kWarmUps);
    task.iterations = iterations_per_round(plan_, task.point.bytes, stopwatch.elapsed() / (kWarmUps + 1));
  }

  void measure(const Task& task) {
    const double before = ping_pong(*task.host_meter);
    const Times times = carry_out(task, task.iterations);
    const Proximity proximity = classify(before, ping_pong(*task.host_meter));
    ++seen_.blocks[proximity];
    for (std::size_t i = 0; i < static_cast<std::size_t>(task.iterations); ++i) {
      if (task.kind == OrderKind::kBound) {
        seen_.kernel_us[task.point].push_back(busiest_core_us(times, i, cores_));
      } else {
        seen_.samples[{task.point, task.implementation}].push_back(
            {.time_us = slowest_us(times, i), .proximity = proximity});
      }
    }
  }

  double ping_pong(WorkerGroup& workers) {
    const Times times = workers.measure(
        {.kind = OrderKind::kPingPong, .bytes = 0, .iterations = kPingPongTimes, .invitation = {}}, 2);
    const double round_trip_ns = median({times[0].begin(), times[0].end()});
    seen_.ping_pong_ns[workers.ranks()].push_back(round_trip_ns);
    return round_trip_ns;
  }

  const CampaignPlan& plan_;
  Progress& progress_;
  const int cores_ = usable_cores();
  std::deque<WorkerGroup> groups_;  // a deque: tasks point to its elements
  std::vector<Task> tasks_;
  Observations seen_;
};

}  // namespace

int iterations_per_round(const CampaignPlan& plan, std::size_t bytes, std::chrono::nanoseconds iteration) {
  const int fewest = bytes >= kLargeBytes ? kFewestLarge : kFewest;
  const int least = (fewest + plan.rounds - 1) / plan.rounds;
  const auto affordable =
      plan.time_per_point / plan.rounds / std::max(iteration, std::chrono::nanoseconds(1));
  return static_cast<int>(std::clamp<std::int64_t>(affordable, least, std::max(least, kMostPerRound)));
}

Observations run_campaign(const CampaignPlan& plan, Progress& progress) {
  return Campaign(plan, progress).run();
}

}  // namespace lockstep::bench
