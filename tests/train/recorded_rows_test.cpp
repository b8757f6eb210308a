// The rows of metrics of a run that was stopped: those of one that was not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "train/resumed_runs.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;

class RecordedRows : public Resume {
 protected:
  // A row covers three steps; a run has ten.
  const Words in_threes_ = {"--log-every", "3", "--dropout", "0.3"};

  std::vector<std::int64_t> steps_of_rows() const {
    std::vector<std::int64_t> steps;
    for (const auto& row : read_rows(folder(), "train")) {
      steps.push_back(row.at("step"));
    }
    return steps;
  }

  void expect_rows_of(const std::string& whole) const {
    EXPECT_THAT(steps_of_rows(), ElementsAre(3, 6, 9, 10));
    for (const char* metric : {"loss", "accuracy", "learning_rate", "gradient_norm"}) {
      EXPECT_EQ(read_curve(folder(), "train", metric), read_curve(folder(whole), "train", metric)) << metric;
    }
    EXPECT_EQ(read_curve(folder(), "eval", "loss"), read_curve(folder(whole), "eval", "loss"));
  }
};

TEST_F(RecordedRows, GoOnInTheMiddleOfOne) {
  train(2, in_threes_, "whole");
  train_until(75, 2, in_threes_ + Words{"--trouble.kind", "terminate", "--trouble.step", "3"});
  EXPECT_THAT(steps_of_rows(), ElementsAre(3, 4)) << "what there is, for those who look at it meanwhile";
  train(2, in_threes_ + going_on_);
  expect_rows_of("whole");
}

TEST_F(RecordedRows, GoOnAfterAKill) {
  const Words saved = in_threes_ + Words{"--save-every", "4", "--no-async-save"};
  train(2, saved, "whole");
  run_ranks_of(command(saved + Words{"--trouble.kind", "kill", "--trouble.step", "8"}), 2);
  EXPECT_THAT(steps_of_rows(), ElementsAre(3, 6));
  train(2, saved + going_on_);
  expect_rows_of("whole");
}

TEST_F(RecordedRows, CountSkippedStepsOfTheWholeRun) {
  train(1, {"--trouble.kind", "nan-once", "--trouble.step", "2", "--max-steps", "4"});
  train(1, Words{"--max-steps", "6"} + going_on_);
  EXPECT_THAT(steps_of_rows(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(read_rows(folder(), "train").back().at("values").at("skipped_steps"), 1);
}

}  // namespace
}  // namespace lockstep::testing
