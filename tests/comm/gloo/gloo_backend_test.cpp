// Joining over gloo: who listens where, who is missing, and what wrong addresses and ports lead to.

#include "comm/gloo/gloo_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "comm/gloo/gloo_rank.h"
#include "lockstep/error.h"
#include "support/scoped_variable.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

// The inodes of this process's sockets.
std::set<std::string> own_sockets() {
  std::set<std::string> inodes;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    const std::string target = std::filesystem::read_symlink(entry.path(), ignored).string();
    if (target.starts_with("socket:[")) {
      inodes.insert(target.substr(8, target.size() - 9));
    }
  }
  return inodes;
}

struct Listener {
  std::string address;  // as the kernel writes it: hexadecimal, in the byte order of the machine
  int port = 0;

  bool operator<(const Listener& other) const {
    return std::tie(address, port) < std::tie(other.address, other.port);
  }
};

// The sockets of this process that take connections.
std::set<Listener> own_listeners() {
  const auto mine = own_sockets();
  std::set<Listener> listeners;
  for (const std::string file : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream table(file);
    std::string line;
    std::getline(table, line);
    while (std::getline(table, line)) {
      std::istringstream in(line);
      std::vector<std::string> fields{std::istream_iterator<std::string>(in), {}};
      if (fields[3] == "0A" && mine.count(fields[9]) != 0) {
        const auto colon = fields[1].find(':');
        listeners.insert({fields[1].substr(0, colon), std::stoi(fields[1].substr(colon + 1), nullptr, 16)});
      }
    }
  }
  return listeners;
}

constexpr const char* kLoopback1 = "0100007F";
constexpr const char* kLoopback2 = "0200007F";

TEST(GlooBackend, ListensOnTheGivenAddressesAlone) {
  for (const bool second : {false, true}) {
    const int port = free_port();
    run_ranks(2, RankMode::kProcesses, [&](RankContext& rank) {
      BackendContext context = gloo_context(rank, port);
      context.bind_address = second ? "127.0.0.2" : "";
      Communicator communicator(make_backend("gloo", context, rank.deadline()));
      auto listeners = own_listeners();
      EXPECT_EQ(listeners.count({kLoopback1, port}), rank.rank() == 0 ? 1U : 0U)
          << "rank 0 alone holds the store";
      listeners.erase({kLoopback1, port});
      EXPECT_EQ(listeners.size(), 1U) << "Gloo's";
      for (const auto& listener : listeners) {
        EXPECT_EQ(listener.address, second ? kLoopback2 : kLoopback1);
      }
      std::vector<float> values(100'000, 1.0F);
      communicator.all_reduce(values, ReduceOp::kSum);
      EXPECT_EQ(values[99'999], 2.0F);
      rank.barrier();
    }).expect_all_ok();
  }
}

TEST(GlooBackend, TakesTheNameOfAnInterface) {
  const int port = free_port();
  run_ranks(2, RankMode::kProcesses, [&](RankContext& rank) {
    BackendContext context = gloo_context(rank, port);
    context.bind_address = "lo";
    context.master_address = "localhost";
    Communicator communicator(make_backend("gloo", context, rank.deadline()));
    communicator.barrier();
    for (const auto& listener : own_listeners()) {
      EXPECT_EQ(listener.address, kLoopback1);
    }
    rank.barrier();
  }).expect_all_ok();
}

TEST(GlooBackend, RefusesAnAddressThatThisMachineDoesNotHave) {
  const int port = free_port();
  const auto results = run_ranks(1, RankMode::kProcesses, [&](RankContext& rank) {
    BackendContext context = gloo_context(rank, port);
    context.size = 2;
    context.bind_address = "192.0.2.1";  // reserved for documentation
    join_gloo(context, rank.deadline());
  });
  ASSERT_TRUE(results[0].error) << results[0].describe();
  EXPECT_EQ(results[0].error->code(), ErrorCode::kInvalidConfig) << results[0].exception_text;
  EXPECT_THAT(results[0].exception_text,
              HasSubstr("cannot listen on 192.0.2.1: this machine does not have that address"));
}

TEST(GlooBackend, RefusesANameThatNobodyHas) {
  const int port = free_port();
  const auto results = run_ranks(1, RankMode::kProcesses, [&](RankContext& rank) {
    BackendContext context = gloo_context(rank, port);
    context.size = 2;
    context.bind_address = "no such thing";
    join_gloo(context, rank.deadline());
  });
  ASSERT_TRUE(results[0].error) << results[0].describe();
  EXPECT_EQ(results[0].error->code(), ErrorCode::kInvalidConfig) << results[0].exception_text;
  EXPECT_THAT(
      results[0].exception_text,
      HasSubstr(
          "the bind address 'no such thing' is no address, no interface of this machine that has one, and "
          "no host name"));
}

TEST(GlooBackend, SaysThatThePortIsTaken) {
  const UniqueFd other = mesh::listen_on(mesh::SocketAddress::resolve("127.0.0.1", 0), 1);
  const int port = mesh::SocketAddress::of_socket(other.get()).port();
  const auto results = run_ranks(1, RankMode::kProcesses, [&](RankContext& rank) {
    BackendContext context = gloo_context(rank, port);
    context.size = 2;
    join_gloo(context, rank.deadline());
  });
  ASSERT_TRUE(results[0].error) << results[0].describe();
  EXPECT_EQ(results[0].error->code(), ErrorCode::kSystem);
  EXPECT_THAT(results[0].exception_text, HasSubstr("cannot listen on 127.0.0.1:" + std::to_string(port) +
                                                   ": another process does. Is the job started"));
}

TEST(GlooBackend, RefusesAContextWithoutAPlaceToMeet) {
  const auto refused = [](const BackendContext& context) -> std::string {
    try {
      join_gloo(context, Deadline::after(1s));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      return error.message();
    }
    return "accepted";
  };
  EXPECT_EQ(refused({.rank = 0, .size = 0}), "0 ranks; the gloo backend takes 1 to 1024");
  EXPECT_EQ(refused({.rank = 2, .size = 2}), "there is no rank 2 among 2");
  EXPECT_EQ(refused({.rank = 0, .size = 2}), "the gloo backend needs the address of rank 0");
  EXPECT_EQ(refused({.rank = 0, .size = 2, .master_address = "127.0.0.1", .master_port = 70'000}),
            "the gloo backend needs a port of rank 0 from 1 to 65535, not 70000");
}

TEST(GlooBackend, NamesTheMissingRanksAtTheDeadlineOnEveryRank) {
  const int port = free_port();
  const auto results = run_ranks(5, RankMode::kProcesses, [&](RankContext& rank) {
    if (rank.rank() == 2 || rank.rank() == 4) {
      return;
    }
    join_gloo(gloo_context(rank, port), Deadline::after(2s), 500ms);
  });
  for (const int present : {0, 1, 3}) {
    ASSERT_TRUE(results[present].error) << results[present].describe();
    EXPECT_EQ(results[present].error->code(), ErrorCode::kTimeout) << results[present].exception_text;
    EXPECT_EQ(results[present].error->rank(), present);
    EXPECT_EQ(results[present].error->operation(), "join");
    EXPECT_THAT(results[present].exception_text, HasSubstr("3 of 5 ranks are here, 2 are missing: 2 and 4"));
    EXPECT_THAT(results[present].output,
                AllOf(HasSubstr("joining for "), HasSubstr("2 are missing: 2 and 4")));
  }
}

TEST(GlooBackend, SaysThatRankZeroIsMissing) {
  const int port = free_port();
  const auto results = run_ranks(2, RankMode::kProcesses, [&](RankContext& rank) {
    if (rank.rank() == 1) {
      join_gloo(gloo_context(rank, port), Deadline::after(300ms), 100ms);
    }
  });
  ASSERT_TRUE(results[1].error);
  EXPECT_EQ(results[1].error->code(), ErrorCode::kTimeout);
  EXPECT_EQ(results[1].error->peer(), 0);
  EXPECT_THAT(results[1].exception_text, HasSubstr("rank 0 did not come; the others cannot meet without it"));
  EXPECT_THAT(results[1].output, HasSubstr("rank 0 is not here yet; nobody listens on 127.0.0.1:"));
}

TEST(GlooBackend, RefusesTwoRanksWithOneNumber) {
  const int port = free_port();
  const auto results = run_ranks(3, RankMode::kProcesses, [&](RankContext& rank) {
    BackendContext context = gloo_context(rank, port);
    context.size = 4;  // so that the first two do not go ahead without the third
    context.rank = std::min(rank.rank(), 1);
    join_gloo(context, Deadline::after(20s));
  });
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch) << result.exception_text;
    EXPECT_THAT(result.exception_text, HasSubstr("two processes say that they are rank 1"));
  }
}

TEST(GlooBackend, RefusesRanksThatExpectAnotherSize) {
  const int port = free_port();
  const auto results = run_ranks(2, RankMode::kProcesses, [&](RankContext& rank) {
    BackendContext context = gloo_context(rank, port);
    context.size = rank.rank() == 0 ? 2 : 3;
    join_gloo(context, Deadline::after(20s));
  });
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch) << result.exception_text;
    EXPECT_THAT(result.exception_text, HasSubstr("rank 1 expects a world of 3, rank 0 one of 2"));
  }
}

// Rank 2 plays the launcher that holds the store: it waits for the second rank of another job, which comes last.
TEST(GlooBackend, UsesTheStoreOfTheLauncherWhenThereIsOne) {
  const int port = free_port();
  run_ranks(3, RankMode::kProcesses, [&](RankContext& rank) {
    BackendContext launcher = gloo_context(rank, port);
    launcher.rank = rank.rank() == 2 ? 0 : 1;
    launcher.size = 2;
    launcher.token = "launcher";
    if (rank.rank() != 2) {
      const ScopedVariable variable("TORCHELASTIC_USE_AGENT_STORE", "True");
      BackendContext context = gloo_context(rank, port);
      context.size = 2;
      Communicator communicator(make_backend("gloo", context, rank.deadline()));
      communicator.barrier();
      for (const auto& listener : own_listeners()) {
        EXPECT_NE(listener.port, port) << "rank 0 is a client as well";
      }
    }
    if (rank.rank() != 0) {
      Communicator(join_gloo(launcher, rank.deadline())).barrier();
    }
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
