#include "cli/run/signal_names.h"

#include <gtest/gtest.h>

#include <csignal>

namespace lockstep::run {
namespace {

TEST(SignalNames, AreReadInEveryFormOfTheirs) {
  for (const char* name : {"SIGTERM", "TERM", "sigterm", "Term", "15"}) {
    EXPECT_EQ(signal_number(name), SIGTERM) << name;
  }
  EXPECT_EQ(signal_number("USR1"), SIGUSR1);
}

TEST(SignalNames, AreRefusedWhenNoProcessCanHandleThem) {
  EXPECT_FALSE(signal_number("SIGKILL"));
  EXPECT_FALSE(signal_number("stop"));
  EXPECT_FALSE(signal_number("9"));
  EXPECT_EQ(why_no_signal("kill"), "no process can handle SIGKILL");
  EXPECT_EQ(why_no_signal("9"), "no process can handle SIGKILL");
}

TEST(SignalNames, AreRefusedWhenThereIsNone) {
  for (const char* name : {"", "SIG", "0", "-15", "15x", "1000", "SIGSIGTERM"}) {
    EXPECT_FALSE(signal_number(name)) << name;
  }
  EXPECT_EQ(why_no_signal("SIGTREM"), "'SIGTREM' is no signal; did you mean 'SIGTERM'?");
  EXPECT_EQ(why_no_signal("frobnicate"), "'frobnicate' is no signal");
}

}  // namespace
}  // namespace lockstep::run
