#include "config/help.h"

#include <gtest/gtest.h>

#include <sstream>

#include "sample_options.h"

namespace lockstep::config {
namespace {

template <class T>
std::string help_of(T options, const ProgramInfo& program) {
  Description description;
  options.describe(description);
  return help_text(description, program);
}

TEST(Help, ListsEveryOptionUnderItsGroup) {
  EXPECT_EQ(help_of(SampleOptions{}, sample_program()), R"(Usage: train [OPTION]...

Trains a model.

Options:
  -b, --batch-size INTEGER          samples per step over all ranks
                                    default 32 samples; from 1 to 1048576; LOCKSTEP_BATCH_SIZE
      --seed INTEGER                what the random numbers start from
                                    default 1; LOCKSTEP_SEED
      --[no-]amp                    mixed precision
                                    default false; LOCKSTEP_AMP
      --data PATH                   the folder of the data set
                                    default empty; LOCKSTEP_DATA
      --milestones NUMBER,...       after which parts of the run, as fractions of its steps, the
                                    learning rate falls to a tenth
                                    default 0.5,0.75; from 0 to 1; LOCKSTEP_MILESTONES

Optimizer (optim):
      --optim.lr NUMBER             learning rate
                                    default 0.1; from 0 to 10; LOCKSTEP_OPTIM_LR
      --optim.schedule CHOICE       how the learning rate changes
                                    one of constant, cosine; default cosine; LOCKSTEP_OPTIM_SCHEDULE
      --optim.[no-]nesterov         look ahead of the momentum
                                    default true; LOCKSTEP_OPTIM_NESTEROV

Warmup (optim.warmup):
      --optim.warmup.steps INTEGER  steps of linear warmup
                                    default none; from 1 to 1000000; LOCKSTEP_OPTIM_WARMUP_STEPS
      --optim.warmup.start NUMBER   where the warmup starts, as a part of the learning rate
                                    default 0.1; from 0 to 1; LOCKSTEP_OPTIM_WARMUP_START

Communication (comm):
      --comm.timeout DURATION       how long a collective may take
                                    default 5s; from 1ms to 24h; LOCKSTEP_COMM_TIMEOUT
      --comm.bucket SIZE            how much gradient travels at once
                                    default 25MiB; from 1KiB to 1GiB; LOCKSTEP_COMM_BUCKET

General:
      --config FILE                 read options from a TOML file; may be given again, the later
                                    file wins; instead of LOCKSTEP_CONFIG
      --print-config[=json]         print every option with its value and where it came from, as a
                                    file for --config or as JSON, and exit
  -h, --help                        print this text and exit

A flag overrides the environment variable shown with it, which overrides the file, which overrides
the default.
)");
}

struct FewOptions {
  std::string name;
  std::vector<int> sizes;
  bool loud = false;

  void describe(Description& d) {
    d.option("name", name, "who it is for").required().alias('n');
    d.option("a-name-that-is-longer-than-most-names", sizes, "how large").unit("cm");
    d.option("loud", loud, "shout").alias('l');
  }
};

TEST(Help, GivesLongFlagsALineOfTheirOwn) {
  EXPECT_EQ(help_of(FewOptions{}, {.name = "greet", .env_prefix = ""}), R"(Usage: greet [OPTION]...

Options:
  -n, --name TEXT            who it is for
                             required
      --a-name-that-is-longer-than-most-names INTEGER,...
                             how large
                             default empty
  -l, --[no-]loud            shout
                             default false

General:
      --config FILE          read options from a TOML file; may be given again, the later file wins
      --print-config[=json]  print every option with its value and where it came from, as a file for
                             --config or as JSON, and exit
  -h, --help                 print this text and exit

A flag overrides the file, which overrides the default.
)");
}

TEST(Help, NamesThePositionals) {
  auto usage = [](Positionals policy, const std::string& text) {
    const std::string help =
        help_of(FewOptions{}, {.name = "lockstep run", .positionals = policy, .positional_usage = text});
    return help.substr(0, help.find('\n'));
  };
  EXPECT_EQ(usage(Positionals::kPassThrough, "PROGRAM [ARGUMENT]..."),
            "Usage: lockstep run [OPTION]... PROGRAM [ARGUMENT]...");
  EXPECT_EQ(usage(Positionals::kCollect, ""), "Usage: lockstep run [OPTION]... [ARGUMENT]...");
  EXPECT_EQ(usage(Positionals::kNone, ""), "Usage: lockstep run [OPTION]...");
}

TEST(Help, FitsInAHundredColumns) {
  const ProgramInfo program = {.name = "train", .about = std::string(300, 'x') + " " + std::string(90, 'y')};
  std::istringstream lines(help_of(SampleOptions{}, program));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.size() <= 100 || line == std::string(300, 'x')) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

}  // namespace
}  // namespace lockstep::config
