#include "cli/bench/scaling/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string_view>

#include "cli/bench/scaling/mlp_size.h"
#include "cli/bench/statistics.h"
#include "cli/bench/training_team.h"

namespace lockstep::bench::scaling {
namespace {

constexpr int kWarmUpSteps = 2;  // and one more, as in each round
constexpr std::int64_t kWindows = 100;

// One way of training at the point at hand.
struct Entrant {
  WorkerGroup workers;
  Series series;
};

class Campaign {
 public:
  Campaign(const CampaignPlan& plan, Progress& progress) : plan_(plan), progress_(progress) {}

  Observations run() {
    for (const Point& point : plan_.points) {
      measure_point(point);
    }
    if (plan_.long_run_steps > 0) {
      run_long();
    }
    return std::move(seen_);
  }

 private:
  void measure_point(const Point& point) {
    std::deque<Entrant> entrants;
    for (const Method method : {Method::kCompute, Method::kAlone, plan_.method}) {
      show(point, "starting", method);
      entrants.push_back({.workers = start(point, method), .series = {.point = point, .method = method}});
    }
    const int steps = warm_up(entrants);
    for (int round = 0; round < plan_.rounds; ++round) {
      for (std::size_t turn = 0; turn < entrants.size(); ++turn) {
        Entrant& entrant = entrants[(static_cast<std::size_t>(round) + turn) % entrants.size()];
        show(point, fmt::format("round {} of {},", round + 1, plan_.rounds), entrant.series.method);
        measure_steps(entrant.workers, steps, entrant.series.seen);
      }
    }
    for (Entrant& entrant : entrants) {
      seen_.series.push_back(std::move(entrant.series));
    }
  }

  WorkerGroup start(const Point& point, Method method) {
    const TrainingCase training{
        .model = Model::kMlp, .batch = plan_.batch, .width = mlp_width(point.parameters)};
    WorkerGroup workers(make_team({.name = std::string(to_string(method)),
                                   .training = training,
                                   .method = method,
                                   .ranks = point.ranks},
                                  plan_.step_worker),
                        plan_.patience);
    seen_.version = workers.join(0);
    return workers;
  }

  // Tells how many steps a round has: the same number for all, after the slowest.
  int warm_up(std::deque<Entrant>& entrants) {
    double slowest = 0;
    for (Entrant& entrant : entrants) {
      show(entrant.series.point, "warming up", entrant.series.method);
      const std::vector<double> times = slowest_ms(ask_for_steps(entrant.workers, kWarmUpSteps));
      slowest = std::max(slowest, *std::min_element(times.begin(), times.end()));
    }
    return steps_within(plan_.time_per_round,
                        std::chrono::nanoseconds(static_cast<std::int64_t>(slowest * 1e6)));
  }

  void run_long() {
    show(plan_.long_run, "starting", plan_.method);
    WorkerGroup workers = start(plan_.long_run, plan_.method);
    ask_for_steps(workers, kWarmUpSteps);
    seen_.long_run.point = plan_.long_run;
    std::int64_t last_step = 0;
    for (const int steps : window_lengths(plan_.long_run_steps)) {
      const std::vector<double> times = slowest_ms(ask_for_steps(workers, steps));
      last_step += steps;
      seen_.long_run.windows.push_back({.last_step = last_step,
                                        .median_ms = median(times),
                                        .memory_bytes = memory_now(memory_use_of(workers))});
      show(plan_.long_run, fmt::format("step {} of {},", last_step, plan_.long_run_steps), plan_.method);
    }
  }

  void show(const Point& point, std::string_view what, Method method) {
    progress_.show(fmt::format("{} rank{}, {:.1f} M parameters: {} {}", point.ranks,
                               point.ranks == 1 ? "" : "s", static_cast<double>(point.parameters) / 1e6, what,
                               to_string(method)));
  }

  const CampaignPlan& plan_;
  Progress& progress_;
  Observations seen_;
};

}  // namespace

std::vector<int> window_lengths(std::int64_t steps) {
  const std::int64_t length = std::clamp<std::int64_t>((steps + kWindows - 1) / kWindows, 1, kMostIterations);
  std::vector<int> lengths;
  for (std::int64_t left = steps; left > 0; left -= length) {
    lengths.push_back(static_cast<int>(std::min(left, length)));
  }
  return lengths;
}

Observations run_campaign(const CampaignPlan& plan, Progress& progress) {
  return Campaign(plan, progress).run();
}

}  // namespace lockstep::bench::scaling
