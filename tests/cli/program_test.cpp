#include "cli/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "cli/command.h"
#include "cli/program_run.h"
#include "lockstep/version.h"

namespace lockstep::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kHelp =
    "lockstep: distributed data-parallel training for C++\n"
    "\n"
    "usage: lockstep COMMAND [ARGUMENT]...\n"
    "\n"
    "commands:\n"
    "  run           start a program as many ranks, watch them and stop them\n"
    "  new           make a project for a training program of your own\n"
    "  doctor        tell whether this machine is fit for multi-process training\n"
    "  bench         measure all-reduce, or whole training steps, beside others and the machine's limits\n"
    "  data          make token shards from text files, and look at them\n"
    "  inspect       show what is in a checkpoint\n"
    "  verify        tell whether checkpoints are undamaged\n"
    "  diff          show what differs between two checkpoints\n"
    "  config-diff   show in which options two runs differ\n"
    "  help COMMAND  show how to use a command, as COMMAND --help does\n"
    "\n"
    "options:\n"
    "  --help, -h    show this list\n"
    "  --version     show the version\n";

TEST(Program, PrintsItsVersion) {
  const auto done = run_lockstep({"--version"});
  EXPECT_EQ(done.status.exit_code, 0);
  EXPECT_EQ(done.standard_output, std::string("lockstep ") + version() + "\n");
  EXPECT_EQ(done.standard_error, "");
}

TEST(Program, ListsItsCommands) {
  for (const char* way : {"--help", "-h", "help"}) {
    const auto done = run_lockstep({way});
    EXPECT_EQ(done.status.exit_code, 0) << way;
    EXPECT_EQ(done.standard_output, kHelp) << way;
    EXPECT_EQ(done.standard_error, "") << way;
  }
}

TEST(Program, ShowsItsHelpAsAnErrorWithoutACommand) {
  const auto done = run_lockstep({});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_output, "");
  EXPECT_EQ(done.standard_error, kHelp);
}

TEST(Program, GuessesWhichCommandWasMeant) {
  const auto done = run_lockstep({"docter", "--json"});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_output, "");
  EXPECT_EQ(done.standard_error,
            "lockstep: unknown command 'docter'; did you mean 'doctor'?\n"
            "run 'lockstep --help' for the list of commands\n");
}

TEST(Program, DoesNotGuessWhenNothingIsNear) {
  EXPECT_EQ(run_lockstep({"frobnicate"}).standard_error,
            "lockstep: unknown command 'frobnicate'\nrun 'lockstep --help' for the list of commands\n");
}

TEST(Program, RefusesAnUnknownOption) {
  const auto done = run_lockstep({"--verson"});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_error,
            "lockstep: unknown option '--verson'; did you mean '--version'?\n"
            "run 'lockstep --help' for the list of commands\n");
}

TEST(Program, ShowsTheHelpOfEveryCommandInTwoWays) {
  for (const Command& command : all_commands()) {
    const std::string name(command.name);
    const auto by_help = run_lockstep({"help", name});
    const auto by_flag = run_lockstep({name, "--help"});
    EXPECT_EQ(by_help.status.exit_code, 0) << name;
    EXPECT_THAT(by_help.standard_output, HasSubstr("lockstep " + name));
    EXPECT_EQ(by_help.standard_output, by_flag.standard_output) << name;
  }
}

TEST(Program, RefusesHelpForWhatIsNoCommand) {
  const auto unknown = run_lockstep({"help", "docter"});
  EXPECT_EQ(unknown.status.exit_code, 2);
  EXPECT_THAT(unknown.standard_error,
              StartsWith("lockstep: unknown command 'docter'; did you mean 'doctor'?\n"));
  const auto two = run_lockstep({"help", "doctor", "config-diff"});
  EXPECT_EQ(two.status.exit_code, 2);
  EXPECT_EQ(two.standard_error, "lockstep: 'help' takes one command\n");
}

TEST(Program, FailsWhenItsOutputCannotBeWritten) {
  const auto done = run_subprocess({"/bin/sh", "-c", LOCKSTEP_PROGRAM " --version > /dev/full"}, {},
                                   Deadline::after(std::chrono::seconds(50)));
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_error, "lockstep: standard output could not be written\n");
}

TEST(Program, LinksNoLibtorch) {
  const auto done = run_subprocess({"ldd", LOCKSTEP_PROGRAM}, {}, Deadline::after(std::chrono::seconds(50)));
  ASSERT_TRUE(done.status.ok()) << done.standard_error;
  EXPECT_THAT(done.standard_output, HasSubstr("libc.so"));
  EXPECT_THAT(done.standard_output, Not(HasSubstr("torch")));
  EXPECT_THAT(done.standard_output, Not(HasSubstr("libc10")));
}

}  // namespace
}  // namespace lockstep::cli
