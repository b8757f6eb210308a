#include "cli/bench/step/campaign.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cli/bench/step/agreement.h"

namespace lockstep::bench::step {
namespace {

constexpr int kWarmUpSteps = 3;  // plus one more, as in each round

class Campaign {
 public:
  Campaign(const CampaignPlan& plan, Progress& progress) : plan_(plan), progress_(progress) {}

  Observations run() {
    for (const TrainingCase& training : plan_.cases) {
      measure_case(training);
    }
    seen_.ping_pong = watch_.summary();
    return std::move(seen_);
  }

 private:
  void measure_case(const TrainingCase& training) {
    Contest contest(to_string(training), plan_.pace, progress_, &watch_);
    for (const Variant variant : plan_.variants) {
      contest.enter(to_string(variant), make_team(variant, training, plan_.programs));
    }
    const std::vector<Contest::WarmUp> warm_ups = contest.warm_up(kWarmUpSteps);
    for (const Contest::WarmUp& warm_up : warm_ups) {
      note_version(warm_up.version);
    }
    require_agreement(training, losses_of(warm_ups));
    std::vector<Measurements> seen = contest.take_turns();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      seen_.series.push_back(
          {.training = training, .variant = plan_.variants[i], .seen = std::move(seen[i])});
    }
  }

  void note_version(const std::string& version) {
    if (std::find(seen_.versions.begin(), seen_.versions.end(), version) == seen_.versions.end()) {
      seen_.versions.push_back(version);
    }
  }

  std::vector<WarmUpLosses> losses_of(const std::vector<Contest::WarmUp>& warm_ups) const {
    std::vector<WarmUpLosses> losses;
    for (std::size_t i = 0; i < warm_ups.size(); ++i) {
      auto& own = losses.emplace_back(WarmUpLosses{.variant = plan_.variants[i], .by_rank = {}});
      for (const Answer& answer : warm_ups[i].answers) {
        own.by_rank.push_back(answer.loss);
      }
    }
    return losses;
  }

  const CampaignPlan& plan_;
  Progress& progress_;
  CoreWatch watch_;
  Observations seen_;
};

}  // namespace

Observations run_campaign(const CampaignPlan& plan, Progress& progress) {
  return Campaign(plan, progress).run();
}

}  // namespace lockstep::bench::step
