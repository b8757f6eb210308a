// The mesh without libtorch: the conformance suite and failures with threads as ranks, and strangers at the door.

#include "comm/mesh/mesh_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/conformance/conformance.h"
#include "comm/mesh/handshake.h"
#include "comm/mesh/memory_fabric.h"
#include "comm/mesh/roster.h"
#include "comm/mesh/tcp_socket.h"
#include "lockstep/communicator.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Communicator join(const RankContext& rank, const std::shared_ptr<mesh::Fabric>& fabric) {
  Communicator communicator(mesh::join_mesh({.name = "mesh",
                                             .rank = rank.rank(),
                                             .size = rank.size(),
                                             .bind_address = mesh::SocketAddress::resolve("127.0.0.1", 0)},
                                            fabric, rank.deadline()));
  communicator.set_timeout(rank.deadline().remaining());
  return communicator;
}

class MeshConformance : public ::testing::TestWithParam<int> {
 protected:
  static void on_every_rank(const std::function<void(Communicator&)>& check) {
    const auto fabric = std::make_shared<MemoryFabric>();
    run_ranks(GetParam(), RankMode::kThreads,
              [&](RankContext& rank) {
                Communicator communicator = join(rank, fabric);
                check(communicator);
              },
              {.timeout = 280s})
        .expect_all_ok();
  }
};

TEST_P(MeshConformance, Reduces) {
  on_every_rank([](Communicator& c) {
    check_reductions(c, {.lengths = {0, 1, 15, 4097, 40'001}, .every_type = false});
  });
}
TEST_P(MeshConformance, MovesData) {
  on_every_rank([](Communicator& c) {
    check_data_movement(c, {.lengths = {0, 1, 15, 40'001}, .every_type = false});
  });
}
TEST_P(MeshConformance, ExchangesPartsOfDifferentSizes) {
  on_every_rank(check_all_to_all_v);
}
TEST_P(MeshConformance, SendsMessages) {
  on_every_rank(check_messages);
}
TEST_P(MeshConformance, KeepsSeveralInFlight) {
  on_every_rank(check_several_in_flight);
}
TEST_P(MeshConformance, SharesMemoryWhereRanksCan) {
  on_every_rank(check_shared_memory);
}
TEST_P(MeshConformance, SplitsIntoGroups) {
  on_every_rank(check_groups);
}
TEST_P(MeshConformance, TellsObservers) {
  on_every_rank(check_observers);
}

TEST_P(MeshConformance, IsLeftAloneByAForkedChild) {
  on_every_rank(check_forked_child);
}

INSTANTIATE_TEST_SUITE_P(Ranks, MeshConformance, ::testing::Values(2, 5),
                         [](const auto& test) { return std::to_string(test.param); });

TEST(MeshBackend, FailsOnEveryRankWhenOneAborts) {
  const auto fabric = std::make_shared<MemoryFabric>();
  const auto results = run_ranks(3, RankMode::kThreads, [&](RankContext& rank) {
    Communicator communicator = join(rank, fabric);
    std::vector<float> values(50'000);
    Work work = communicator.start_all_reduce(values, ReduceOp::kSum, {.label = "bucket"});
    rank.barrier();
    if (rank.rank() == 1) {
      communicator.abort("enough");
    }
    work.wait();
    communicator.barrier();
  });
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kAborted) << result.exception_text;
    EXPECT_THAT(result.exception_text, HasSubstr("rank 1 called the group off: enough"));
  }
}

// Connects to the given port and says something else than a rank would.
void knock(const mesh::RosterEntry& entry, const std::string& words) {
  const UniqueFd fd =
      mesh::connect_to(mesh::SocketAddress::resolve(entry.address, entry.port), Deadline::after(5s));
  ASSERT_EQ(send(fd.get(), words.data(), words.size(), MSG_NOSIGNAL), static_cast<ssize_t>(words.size()));
}

TEST(Handshake, TurnsStrangersAway) {
  const UniqueFd listeners[2] = {mesh::listen_on(mesh::SocketAddress::resolve("127.0.0.1", 0), 10),
                                 mesh::listen_on(mesh::SocketAddress::resolve("127.0.0.1", 0), 10)};
  std::vector<mesh::RosterEntry> roster;
  for (const auto& listener : listeners) {
    const auto address = mesh::SocketAddress::of_socket(listener.get());
    roster.push_back({.size = 2,
                      .host = "here",
                      .pid = 1,
                      .address = address.host(),
                      .port = address.port(),
                      .cookie = mesh::make_cookie()});
  }
  knock(roster[0], "GET / HTTP/1.1\r\nHost: lockstep\r\nAccept: everything there is\r\n\r\n");
  knock(roster[0], "short");
  run_ranks(2, RankMode::kThreads, [&](RankContext& rank) {
    auto known = roster;
    if (rank.rank() == 1) {  // first with a wrong cookie
      known[0].cookie = mesh::make_cookie();
      mesh::connect_peers(listeners[1].get(), known, 1, rank.deadline());
      known = roster;
    }
    const auto sockets =
        mesh::connect_peers(listeners[rank.rank()].get(), known, rank.rank(), rank.deadline());
    const auto& other = sockets[static_cast<std::size_t>(1 - rank.rank())];
    for (const int fd : {other.news.get(), other.mail.get()}) {
      const char mine = fd == other.news.get() ? 'n' : 'm';
      char theirs = 0;
      ASSERT_EQ(send(fd, &mine, 1, 0), 1);
      pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
      ASSERT_EQ(poll(&ready, 1, rank.deadline().poll_timeout_ms()), 1);
      ASSERT_EQ(recv(fd, &theirs, 1, 0), 1);
      EXPECT_EQ(theirs, mine);
    }
  }).expect_all_ok();
}

TEST(SocketAddress, SaysWhereItIs) {
  EXPECT_EQ(mesh::SocketAddress::resolve("127.0.0.1", 29'500).text(), "127.0.0.1:29500");
  EXPECT_EQ(mesh::SocketAddress::resolve("::1", 29'500).text(), "[::1]:29500");
  EXPECT_EQ(mesh::SocketAddress::resolve("localhost", 5).text(), "127.0.0.1:5");
  EXPECT_EQ(mesh::SocketAddress::of_this_machine("", mesh::SocketAddress::resolve("127.0.0.1", 5)).text(),
            "127.0.0.1:0");
  EXPECT_EQ(
      mesh::SocketAddress::of_this_machine("127.0.0.2", mesh::SocketAddress::resolve("127.0.0.1", 5)).text(),
      "127.0.0.2:0");
  EXPECT_EQ(mesh::SocketAddress::of_this_machine("lo", mesh::SocketAddress::resolve("127.0.0.1", 5)).text(),
            "127.0.0.1:0");
  EXPECT_THROW(mesh::SocketAddress::resolve("no such host", 5), Error);
}

}  // namespace
}  // namespace lockstep::testing
