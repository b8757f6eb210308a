#include "cli/bench/scaling/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "cli/bench/last_level_cache.h"
#include "cli/bench/scaling/mlp_size.h"
#include "cli/bench/statistics.h"
#include "cli/bench/training_team.h"
#include "cli/doctor/host_files.h"

namespace lockstep::bench::scaling {
namespace {

constexpr int kWarmUpSteps = 2;  // plus one more, as in each round
constexpr std::int64_t kWindows = 100;

std::string title_of(const Point& point) {
  return fmt::format("{} rank{}, {:.1f} M parameters", point.ranks, point.ranks == 1 ? "" : "s",
                     static_cast<double>(point.parameters) / 1e6);
}

class Campaign {
 public:
  Campaign(const CampaignPlan& plan, Progress& progress) : plan_(plan), progress_(progress) {}

  Observations run() {
    seen_.cache_bytes = last_level_cache_bytes(doctor::HostFiles());
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
    const std::array methods = {Method::kCompute, Method::kAlone, plan_.method};
    Contest contest(title_of(point), plan_.pace, progress_);
    for (const Method method : methods) {
      contest.enter(to_string(method), team_of(point, method));
    }
    seen_.version = contest.warm_up(kWarmUpSteps).back().version;
    std::vector<Measurements> seen = contest.take_turns();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      seen_.series.push_back({.point = point, .method = methods[i], .seen = std::move(seen[i])});
    }
  }

  WorkerTeam team_of(const Point& point, Method method) const {
    const TrainingCase training{
        .model = Model::kMlp, .batch = plan_.batch, .width = mlp_width(point.parameters)};
    return make_team({.name = std::string(to_string(method)),
                      .training = training,
                      .method = method,
                      .ranks = point.ranks},
                     plan_.step_worker);
  }

  void run_long() {
    show_long("starting");
    WorkerGroup workers(team_of(plan_.long_run, plan_.method), plan_.pace.patience);
    seen_.version = workers.join(0);
    ask_for_steps(workers, kWarmUpSteps);
    seen_.long_run.point = plan_.long_run;
    std::int64_t last_step = 0;
    for (const int steps : window_lengths(plan_.long_run_steps)) {
      const std::vector<double> times = slowest_ms(ask_for_steps(workers, steps));
      last_step += steps;
      seen_.long_run.windows.push_back({.last_step = last_step,
                                        .median_ms = median(times),
                                        .memory_bytes = memory_now(memory_use_of(workers))});
      show_long(fmt::format("step {} of {},", last_step, plan_.long_run_steps));
    }
  }

  void show_long(std::string_view what) {
    progress_.show(fmt::format("{}: {} {}", title_of(plan_.long_run), what, to_string(plan_.method)));
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
