// A child that user code forks from a rank has the rank's communicators too, and must not act for it.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/conformance/conformance.h"
#include "lockstep/error.h"

namespace lockstep::testing {
namespace {

// What a rank may hold when it forks.
struct Belongings {
  SymmetricMemory memory;
  Communicator whole;
  std::optional<Communicator> part;
  Work in_flight;
};

enum ChildResult { kGood = 0, kWasServed = 1, kWrongError = 2, kWrongMessage = 3 };

// Whether a call in the child is refused in the way that tells what is wrong.
ChildResult result_of(const std::function<void()>& call) {
  try {
    call();
    return kWasServed;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) {
      return kWrongError;
    }
    const std::string wanted =
        "belongs to process " + std::to_string(getppid()) + ", and this is a forked child of it";
    return error.message().find(wanted) != std::string::npos ? kGood : kWrongMessage;
  }
}

// Everything goes out of scope when it returns, as in a child that leaves main(). No assertion: the test is the
// parent's, and so is its log.
int use_and_drop(Belongings inherited) {
  std::vector<float> values(10);
  const std::vector<std::function<void()>> calls = {
      [&] { inherited.whole.all_reduce(values, ReduceOp::kSum); },
      [&] { inherited.part->barrier(); },
      [&] { inherited.whole.send(values, 0); },
      [&] { inherited.whole.split(0, 0); },
      [&] { inherited.whole.allocate(100); },
      [&] { inherited.whole.abort("from the child"); },
      [&] { inherited.in_flight.wait(); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (const ChildResult result = result_of(calls[i]); result != kGood) {
      return static_cast<int>(10 * i) + result;
    }
  }
  return inherited.whole.rank() < inherited.whole.size() ? kGood : kWrongError;
}

// Drops a work that nobody waited for.
int drop_unused(Belongings inherited) {
  return inherited.memory.bytes() > 0 ? kGood : kWrongError;
}

}  // namespace

void check_forked_child(Communicator& c) {
  SymmetricMemory memory = c.allocate(400);
  std::optional<Communicator> part = c.split(0, c.rank());
  ASSERT_TRUE(part);
  for (const bool uses : {true, false}) {
    for (float& value : memory.as<float>()) {
      value = 1;
    }
    Work in_flight = c.start_all_reduce(memory.as<float>(), ReduceOp::kSum);
    const pid_t child = fork();
    if (child == 0) {
      Belongings inherited{std::move(memory), std::move(c), std::move(part), std::move(in_flight)};
      _exit(uses ? use_and_drop(std::move(inherited)) : drop_unused(std::move(inherited)));
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "call " << WEXITSTATUS(status) / 10 << " of the child";
    in_flight.wait();
    EXPECT_EQ(memory.as<float>()[99], static_cast<float>(c.size()));
    part->barrier();
    c.barrier();
  }
}

}  // namespace lockstep::testing
