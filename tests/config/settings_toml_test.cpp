#include "config/settings_toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "config/toml_file.h"
#include "sample_options.h"

namespace lockstep::config {
namespace {

TEST(SettingsToml, PutsHelpAndSourceIntoComments) {
  SampleOptions options;
  const LoadResult result =
      load(options, {"--print-config", "--optim.lr", "1", "-b64", "--optim.warmup.steps=10"},
           sample_program(), {{"LOCKSTEP_AMP", "yes"}});
  EXPECT_THAT(result.problems, ::testing::IsEmpty());
  EXPECT_EQ(result.output, R"(# The options of train as they were resolved.

# samples per step over all ranks, in samples (flag --batch-size)
batch-size = 64

# what the random numbers start from (default)
seed = 1

# mixed precision (environment LOCKSTEP_AMP)
amp = true

# the folder of the data set (default)
data = ""

# after which parts of the run, as fractions of its steps, the learning rate falls to a tenth (default)
milestones = [0.5, 0.75]

# Optimizer
[optim]

# learning rate (flag --optim.lr)
lr = 1.0

# how the learning rate changes (default)
schedule = "cosine"

# look ahead of the momentum (default)
nesterov = true

# Warmup
[optim.warmup]

# steps of linear warmup, in steps (flag --optim.warmup.steps)
steps = 10

# where the warmup starts, as a part of the learning rate (default)
start = 0.1

# Communication
[comm]

# how long a collective may take (default)
timeout = "5s"

# how much gradient travels at once (default)
bucket = "25MiB"
)");
}

// Values that are hard to write down.
struct HardOptions {
  std::string text = "quote \" backslash \\ newline \n tab \t bell \a delete \x7F \xC3\xA4";
  std::vector<std::string> texts = {"", "a,b", "none", "#"};
  std::vector<int> nothing;
  std::optional<std::string> unset;
  std::optional<double> set = 1e-7;
  double whole = 3;
  double tiny = 5e-324;
  double huge = 1.7976931348623157e308;
  double infinite = std::numeric_limits<double>::infinity();
  float third = 1.0F / 3.0F;
  std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  std::uint64_t highest = std::numeric_limits<std::uint64_t>::max();
  std::chrono::nanoseconds moment{1'234'567'891};
  std::vector<ByteSize> sizes = {ByteSize(0), ByteSize(1001), ByteSize::gib(3)};
  std::vector<bool> flags = {true, false};

  friend bool operator==(const HardOptions&, const HardOptions&) = default;

  void describe(Description& d) {
    d.option("text", text, "t");
    d.option("texts", texts, "t");
    d.option("nothing", nothing, "t");
    d.option("unset", unset, "t");
    d.option("set", set, "t");
    d.option("whole", whole, "t");
    d.option("tiny", tiny, "t");
    d.option("huge", huge, "t");
    d.option("infinite", infinite, "t").range(0.0, std::numeric_limits<double>::infinity());
    d.option("third", third, "t");
    d.option("lowest", lowest, "t");
    d.option("highest", highest, "t");
    d.option("moment", moment, "t");
    d.option("sizes", sizes, "t");
    d.option("flags", flags, "t");
  }
};

TEST(SettingsToml, ReadsBackAsTheSameValues) {
  HardOptions written;
  const std::string text = load(written, {"--print-config"}, sample_program(), {}).output;
  HardOptions read_back{.text = "",
                        .texts = {},
                        .nothing = {1},
                        .unset = "x",
                        .set = {},
                        .whole = 0,
                        .tiny = 0,
                        .huge = 0,
                        .infinite = 0,
                        .third = 0,
                        .lowest = 0,
                        .highest = 0,
                        .moment = {},
                        .sizes = {},
                        .flags = {}};
  Description description;
  read_back.describe(description);
  const Findings findings = read_toml(description, "run.toml", text);
  EXPECT_THAT(findings.problems, ::testing::IsEmpty()) << text;
  ASSERT_EQ(findings.settings.size(), description.options().size());
  for (std::size_t i = 0; i < findings.settings.size(); ++i) {
    description.options()[i].set(findings.settings[i].value);
  }
  EXPECT_EQ(read_back, written) << text;
}

}  // namespace
}  // namespace lockstep::config
