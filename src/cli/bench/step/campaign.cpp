#include "cli/bench/step/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>

#include "cli/bench/step/agreement.h"
#include "cli/bench/training_team.h"

namespace lockstep::bench::step {
namespace {

constexpr int kWarmUpSteps = 3;  // and one more, as in each round

// One variant of the case at hand.
struct Entrant {
  Variant variant = Variant::kNoComm;
  WorkerGroup workers;
  Series series;
};

class Campaign {
 public:
  Campaign(const CampaignPlan& plan, Progress& progress) : plan_(plan), progress_(progress) {}

  Observations run() {
    for (const TrainingCase& training : plan_.cases) {
      measure_case(training);
    }
    return std::move(seen_);
  }

 private:
  void measure_case(const TrainingCase& training) {
    std::deque<Entrant> entrants;
    for (const Variant variant : plan_.variants) {
      show(training, "starting", variant);
      entrants.push_back(start(training, variant));
    }
    const int steps = warm_up(training, entrants);
    for (int round = 0; round < plan_.rounds; ++round) {
      for (std::size_t turn = 0; turn < entrants.size(); ++turn) {
        Entrant& entrant = entrants[(static_cast<std::size_t>(round) + turn) % entrants.size()];
        show(training, fmt::format("round {} of {},", round + 1, plan_.rounds), entrant.variant);
        measure_steps(entrant.workers, steps, entrant.series.seen);
      }
    }
    for (Entrant& entrant : entrants) {
      seen_.series.push_back(std::move(entrant.series));
    }
  }

  Entrant start(const TrainingCase& training, Variant variant) {
    Entrant entrant{.variant = variant,
                    .workers = WorkerGroup(make_team(variant, training, plan_.programs), plan_.patience),
                    .series = {.training = training, .variant = variant}};
    const std::string version = entrant.workers.join(0);
    if (std::find(seen_.versions.begin(), seen_.versions.end(), version) == seen_.versions.end()) {
      seen_.versions.push_back(version);
    }
    return entrant;
  }

  // Gets everybody past their first steps, makes sure that they train the same, and tells how many steps a round
  // has: the same number for all, after the slowest.
  int warm_up(const TrainingCase& training, std::deque<Entrant>& entrants) {
    std::vector<WarmUpLosses> losses;
    double slowest = 0;
    for (Entrant& entrant : entrants) {
      show(training, "warming up", entrant.variant);
      const std::vector<Answer> answers = ask_for_steps(entrant.workers, kWarmUpSteps);
      const std::vector<double> times = slowest_ms(answers);
      slowest = std::max(slowest, *std::min_element(times.begin(), times.end()));
      auto& own = losses.emplace_back(WarmUpLosses{.variant = entrant.variant, .by_rank = {}});
      for (const Answer& answer : answers) {
        own.by_rank.push_back(answer.loss);
      }
    }
    require_agreement(training, losses);
    return steps_within(plan_.time_per_round,
                        std::chrono::nanoseconds(static_cast<std::int64_t>(slowest * 1e6)));
  }

  void show(const TrainingCase& training, std::string_view what, Variant variant) {
    progress_.show(fmt::format("{}: {} {}", to_string(training), what, to_string(variant)));
  }

  const CampaignPlan& plan_;
  Progress& progress_;
  Observations seen_;
};

}  // namespace

Observations run_campaign(const CampaignPlan& plan, Progress& progress) {
  return Campaign(plan, progress).run();
}

}  // namespace lockstep::bench::step
