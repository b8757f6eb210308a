#include "cli/run/signal_inbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

namespace lockstep::run {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Signals that are blocked stay so: a process of its own for each test, which GoogleTest's death tests are.
template <class Body>
void in_a_process(Body body) {
  EXPECT_EXIT(
      {
        body();
        _exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(SignalInbox, CollectsSignalsInsteadOfActingOnThem) {
  in_a_process([] {
    SignalInbox inbox({SIGTERM, SIGUSR1});
    EXPECT_THAT(inbox.take(), IsEmpty());
    kill(getpid(), SIGTERM);
    kill(getpid(), SIGUSR1);
    pollfd event{.fd = inbox.fd(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(poll(&event, 1, 0), 1);
    EXPECT_THAT(inbox.take(), ::testing::UnorderedElementsAre(SIGTERM, SIGUSR1));
    EXPECT_THAT(inbox.take(), IsEmpty());
  });
}

TEST(SignalInbox, LeavesOtherSignalsAlone) {
  EXPECT_EXIT(
      {
        const SignalInbox inbox({SIGTERM});
        kill(getpid(), SIGUSR1);
        _exit(0);
      },
      ::testing::KilledBySignal(SIGUSR1), "");
}

TEST(SignalInbox, HandsOverWhatCameToAnotherOfThisProcess) {
  in_a_process([] {
    const SignalInbox first({SIGTERM});
    kill(getpid(), SIGTERM);
    SignalInbox second({SIGTERM, SIGUSR1});
    EXPECT_THAT(second.take(), ElementsAre(SIGTERM));
  });
}

}  // namespace
}  // namespace lockstep::run
