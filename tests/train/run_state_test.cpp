#include "train/run_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "lockstep/error.h"

namespace lockstep::train {
namespace {

using StateJson = nlohmann::ordered_json;

// Version 1 for good, from docs/checkpoint_format.md and not from this code.
constexpr const char* kGoldenState = R"({
  "version": 1,
  "progress": {
    "step": 1234,
    "skipped": 3,
    "skipped_in_row": 1,
    "samples": 18446744073709551615,
    "epoch": 2.5,
    "evaluation": [
      {
        "name": "loss",
        "value": "nan"
      },
      {
        "name": "accuracy",
        "value": 0.1
      }
    ],
    "evaluated_at": 1000,
    "owes_evaluation": true,
    "stopped": "it has \"seen\" enough",
    "unwritten": {
      "steps": 2,
      "samples": 128.0,
      "sums": [
        {
          "name": "loss",
          "value": 0.30000000000000004
        }
      ]
    }
  },
  "sampler": {
    "seed": 7,
    "epoch": 2,
    "consumed": 500,
    "size": 1000
  },
  "scaler": {
    "scale": 65536.0,
    "good_steps": 17
  },
  "plateau": {
    "best": null,
    "bad": 1,
    "cooldown": 2,
    "scale": 0.1
  },
  "best": {
    "metrics": [
      {
        "name": "loss",
        "value": "-inf"
      }
    ],
    "value": "-inf",
    "step": 900,
    "bad": 4
  }
}
)";

Error refusal_of(const std::string& json) {
  try {
    parse_run_state("state.json", json);
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::kInternal, "nothing was refused"};
}

// With one member replaced; nothing removes it.
Error refusal_with(const std::string& place, const StateJson& value, bool removed = false) {
  StateJson state = StateJson::parse(kGoldenState);
  const StateJson::json_pointer pointer(place);
  StateJson& parent = state[pointer.parent_pointer()];
  if (removed) {
    parent.erase(pointer.back());
  } else {
    parent[pointer.back()] = value;
  }
  return refusal_of(state.dump());
}

TEST(RunState, IsReadAndWrittenAsItWas) {
  const RunState state = parse_run_state("state.json", kGoldenState);
  EXPECT_EQ(to_json(state), kGoldenState);
  EXPECT_EQ(state.progress.step, 1234);
  EXPECT_EQ(state.progress.samples, 18446744073709551615U);
  EXPECT_TRUE(std::isnan(state.progress.evaluation[0].value));
  EXPECT_EQ(state.progress.unwritten.steps, 2);
  EXPECT_EQ(state.progress.unwritten.sums[0].value, 0.1 + 0.2);
  EXPECT_EQ(state.sampler.position.consumed, 500U);
  EXPECT_EQ(state.scaler.good_steps, 17);
  EXPECT_FALSE(state.plateau.best);
  EXPECT_EQ(state.plateau.cooldown, 2);
  EXPECT_EQ(state.best.step, 900);
}

TEST(RunState, NeedsEveryMember) {
  const StateJson golden = StateJson::parse(kGoldenState);
  const std::function<void(const StateJson&, const std::string&)> visit = [&](const StateJson& object,
                                                                              const std::string& place) {
    for (const auto& [name, value] : object.items()) {
      const std::string inner = place + "/" + name;
      const Error error = refusal_with(inner, nullptr, true);
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << inner;
      EXPECT_THAT(error.message(), ::testing::EndsWith("." + name + " is missing")) << inner;
      EXPECT_EQ(refusal_with(inner, StateJson::array({StateJson()})).code(), ErrorCode::kCorrupt) << inner;
      if (value.is_object()) {
        visit(value, inner);
      }
    }
  };
  visit(golden, "");
}

TEST(RunState, SaysWhichMemberIsWrong) {
  EXPECT_EQ(refusal_with("/progress/step", "7").message(), "state.json.progress.step is not an integer");
  EXPECT_EQ(refusal_with("/progress/step", 7.5).message(), "state.json.progress.step is not an integer");
  EXPECT_EQ(refusal_with("/progress/step", 18446744073709551615U).message(),
            "state.json.progress.step is not an integer");
  EXPECT_EQ(refusal_with("/progress/samples", -1).message(), "state.json.progress.samples is not a count");
  EXPECT_EQ(refusal_with("/scaler/good_steps", 1LL << 40).message(),
            "state.json.scaler.good_steps is not a count");
  EXPECT_EQ(refusal_with("/best/metrics", StateJson::array({7})).message(),
            "state.json.best.metrics is not an object");
  EXPECT_EQ(refusal_with("/plateau/scale", "large").message(), "state.json.plateau.scale is not a number");
  EXPECT_EQ(refusal_of("").message(), "state.json is not an object");
  EXPECT_EQ(refusal_of("[]").code(), ErrorCode::kCorrupt);
}

TEST(RunState, KnowsOneVersion) {
  const Error error = refusal_with("/version", 2);
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_EQ(error.message(), "state.json has version 2, and this program knows 1");
}

}  // namespace
}  // namespace lockstep::train
