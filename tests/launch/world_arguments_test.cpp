#include "launch/world_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/error.h"

namespace lockstep {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A command line as main() gets it.
class CommandLine {
 public:
  explicit CommandLine(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
    for (std::string& argument : arguments_) {
      pointers_.push_back(argument.data());
    }
    count = static_cast<int>(pointers_.size());
    pointers_.push_back(nullptr);
  }

  WorldOptions take(const config::Environment& environment = {}) {
    return take_world_arguments(count, pointers_.data(), {}, environment);
  }
  std::vector<std::string> rest() const {
    EXPECT_EQ(pointers_[static_cast<std::size_t>(count)], nullptr);
    return {pointers_.begin(), pointers_.begin() + count};
  }

  int count = 0;

 private:
  std::vector<std::string> arguments_;
  std::vector<char*> pointers_;
};

TEST(WorldArguments, AreTakenOutOfTheCommandLine) {
  CommandLine line({"train", "--epochs", "3", "--world.timeout", "30s", "--world.backend=gloo", "data",
                    "--world.no-tune-allocator", "--world.bind-address", "10.0.0.1", "--fast"});
  const WorldOptions options = line.take();
  EXPECT_EQ(options.timeout, 30s);
  EXPECT_EQ(options.backend, BackendChoice::kGloo);
  EXPECT_EQ(options.bind_address, "10.0.0.1");
  EXPECT_FALSE(options.tune_allocator);
  EXPECT_EQ(options.join_timeout, WorldOptions{}.join_timeout);
  EXPECT_THAT(line.rest(), ElementsAre("train", "--epochs", "3", "data", "--fast"));
}

TEST(WorldArguments, LeaveTheRestAlone) {
  CommandLine line({"train", "--timeout", "3", "--", "--world.timeout", "30s"});
  EXPECT_EQ(line.take().timeout, WorldOptions{}.timeout);
  EXPECT_THAT(line.rest(), ElementsAre("train", "--timeout", "3", "--", "--world.timeout", "30s"));
}

TEST(WorldArguments, ComeFromTheEnvironmentToo) {
  const config::Environment environment = {
      {"LOCKSTEP_WORLD_TIMEOUT", "7s"}, {"LOCKSTEP_EPOCHS", "3"}, {"LOCKSTEP_JOB_FD", "5"}};
  CommandLine by_variable({"train"});
  EXPECT_EQ(by_variable.take(environment).timeout, 7s);
  CommandLine by_flag({"train", "--world.timeout=8s"});
  EXPECT_EQ(by_flag.take(environment).timeout, 8s);
}

TEST(WorldArguments, AreRefusedAllAtOnce) {
  CommandLine line({"train", "--world.timeout", "soon", "--world.backend=smoke", "--world.timeot", "3s"});
  try {
    line.take();
    ADD_FAILURE() << "all three are wrong";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidConfig);
    EXPECT_THAT(error.what(), HasSubstr("--world.timeout: "));
    EXPECT_THAT(error.what(), HasSubstr("'soon'"));
    EXPECT_THAT(error.what(), HasSubstr("'smoke'"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean"));
  }
  EXPECT_EQ(line.count, 6);
}

}  // namespace
}  // namespace lockstep
