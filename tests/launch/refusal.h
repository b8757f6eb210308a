#pragma once

// What identify() says to an environment that it should not accept.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "launch/captured_environments.h"
#include "launch/identity.h"
#include "lockstep/error.h"

namespace lockstep::testing {

inline Recognition identify_alone(const Variables& variables) {
  return identify(variables, [](std::string_view) {
    ADD_FAILURE() << "asked for a process, though variables tell this job apart";
    return 0;
  });
}

// Without the line in front of the problems.
inline std::string refusal(const Variables& variables) {
  const std::string heading =
      "join failed: invalid configuration: the environment does not say who this rank is:\n";
  try {
    identify_alone(variables);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidConfig);
    const std::string text = error.what();
    EXPECT_EQ(text.substr(0, heading.size()), heading);
    return text.substr(std::min(text.size(), heading.size()));
  }
  ADD_FAILURE() << "accepted";
  return "";
}

}  // namespace lockstep::testing
