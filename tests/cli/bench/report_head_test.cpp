#include "cli/bench/report_head.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/bench/example_machine.h"
#include "lockstep/version.h"

namespace lockstep::bench {
namespace {

using OrderedJson = nlohmann::ordered_json;

TEST(ReportHead, SaysWhoMadeItWhereAndWhatTheNumbersMean) {
  OrderedJson expected = OrderedJson::parse(R"({
    "format": 1, "lockstep": null,
    "machine": {"processor": "Example <8> & Sons", "cores": 2, "kernel": "6.1.0",
                "load_before": "0.10 0.20 0.30", "load_after": "1.10 0.40 0.30", "versions": ["a", "b"]},
    "formula": {"share": "a / b"}})");
  expected["lockstep"] = version();
  EXPECT_EQ(report_head(example_machine(), OrderedJson::array({"a", "b"}),
                        OrderedJson::object({{"share", "a / b"}}))
                .dump(),
            expected.dump());
}

}  // namespace
}  // namespace lockstep::bench
