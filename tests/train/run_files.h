#pragma once

// What a run has left in its directory, for tests to look at.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lockstep::testing {

inline std::vector<nlohmann::json> read_rows(const std::filesystem::path& run, const std::string& phase) {
  std::vector<nlohmann::json> rows;
  std::ifstream file(run / "metrics.jsonl");
  for (std::string line; std::getline(file, line);) {
    auto row = nlohmann::json::parse(line);
    if (row.at("phase") == phase) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// One number of every row.
inline std::vector<double> read_curve(const std::filesystem::path& run, const std::string& phase,
                                      const std::string& name) {
  std::vector<double> curve;
  for (const auto& row : read_rows(run, phase)) {
    curve.push_back(row.at("values").at(name).get<double>());
  }
  return curve;
}

inline void expect_near(const std::vector<double>& a, const std::vector<double>& b, double bound) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], bound) << "row " << i;
  }
}

}  // namespace lockstep::testing
