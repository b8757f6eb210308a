#include "comm/shm/meeting.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <string>

#include "comm/shm/memory_file.h"
#include "comm/shm/packet.h"
#include "lockstep/error.h"
#include "lockstep/log.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string meeting_token() {
  static std::atomic<int> count{0};
  return "meeting " + std::to_string(getpid()) + "." + std::to_string(count++);
}

MeetingOptions options_for(RankContext& rank, const std::string& token) {
  return {.token = token, .group = "world", .rank = rank.rank(), .size = rank.size()};
}

ino_t inode_of(int fd) {
  struct stat status {};
  fstat(fd, &status);
  return status.st_ino;
}

class MeetingTest : public ::testing::TestWithParam<RankMode> {};

TEST_P(MeetingTest, GivesEveryRankTheDescriptorsOfAll) {
  for (const int ranks : {1, 2, 5}) {
    const std::string token = meeting_token();
    run_ranks(ranks, GetParam(), [&](RankContext& rank) {
      Meeting meeting = Meeting::hold(options_for(rank, token), rank.deadline());
      auto* inodes = reinterpret_cast<std::atomic<std::uint64_t>*>(rank.shared_bytes().data());
      for (int round = 0; round < 3; ++round) {
        const UniqueFd mine = create_memory_file(4096);
        inodes[rank.rank()] = inode_of(mine.get());
        const auto all = meeting.exchange({mine.get()}, rank.deadline());
        ASSERT_EQ(all.size(), static_cast<std::size_t>(rank.size()));
        for (int peer = 0; peer < rank.size(); ++peer) {
          EXPECT_EQ(inode_of(all[static_cast<std::size_t>(peer)].at(0).get()), inodes[peer]);
          EXPECT_TRUE(fcntl(all[static_cast<std::size_t>(peer)].at(0).get(), F_GETFD) & FD_CLOEXEC);
        }
        rank.barrier();
      }
    }).expect_all_ok();
  }
}

TEST_P(MeetingTest, NamesTheMissingRanksAtTheDeadlineOnEveryRank) {
  const std::string token = meeting_token();
  const auto results = run_ranks(5, GetParam(), [&](RankContext& rank) {
    if (rank.rank() == 2 || rank.rank() == 4) {
      return;
    }
    Meeting::hold(options_for(rank, token), Deadline::after(300ms));
  });
  for (const int present : {0, 1, 3}) {
    ASSERT_TRUE(results[present].error) << results[present].describe();
    EXPECT_EQ(results[present].error->code(), ErrorCode::kTimeout);
    EXPECT_EQ(results[present].error->rank(), present);
    EXPECT_THAT(results[present].exception_text, HasSubstr("3 of 5 ranks are here, 2 are missing: 2 and 4"));
  }
}

TEST_P(MeetingTest, SaysThatRankZeroIsMissing) {
  const std::string token = meeting_token();
  const auto results = run_ranks(2, GetParam(), [&](RankContext& rank) {
    if (rank.rank() == 1) {
      Meeting::hold(options_for(rank, token), Deadline::after(100ms));
    }
  });
  ASSERT_TRUE(results[1].error);
  EXPECT_EQ(results[1].error->code(), ErrorCode::kTimeout);
  EXPECT_EQ(results[1].error->peer(), 0);
  EXPECT_THAT(results[1].exception_text, HasSubstr("rank 0 did not come"));
}

TEST_P(MeetingTest, RefusesTwoRanksWithOneNumber) {
  const std::string token = meeting_token();
  const auto results = run_ranks(3, GetParam(), [&](RankContext& rank) {
    MeetingOptions options = options_for(rank, token);
    options.size = 4;  // so that the first two do not go ahead without the third
    options.rank = std::min(rank.rank(), 1);
    Meeting::hold(options, Deadline::after(10s));
  });
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch) << result.exception_text;
    EXPECT_THAT(result.exception_text, HasSubstr("two processes say that they are rank 1"));
  }
}

TEST_P(MeetingTest, RefusesRanksThatExpectAnotherSize) {
  const std::string token = meeting_token();
  const auto results = run_ranks(2, GetParam(), [&](RankContext& rank) {
    MeetingOptions options = options_for(rank, token);
    options.size = rank.rank() == 0 ? 2 : 3;
    Meeting::hold(options, Deadline::after(10s));
  });
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch);
    EXPECT_THAT(result.exception_text, HasSubstr("rank 1 expects a world of 3, rank 0 one of 2"));
  }
}

TEST_P(MeetingTest, KeepsGroupsOfOneJobApart) {
  const std::string token = meeting_token();
  run_ranks(4, GetParam(), [&](RankContext& rank) {
    MeetingOptions options = options_for(rank, token);
    options.group = rank.rank() < 2 ? "left" : "right";
    options.rank = rank.rank() % 2;
    options.size = 2;
    Meeting::hold(options, rank.deadline());
  }).expect_all_ok();
}

INSTANTIATE_TEST_SUITE_P(Modes, MeetingTest, ::testing::ValuesIn(kRankModes), rank_mode_name);

TEST(Meeting, SaysWhoIsMissingWhileItWaits) {
  const std::string token = meeting_token();
  const auto results = run_ranks(2, RankMode::kProcesses, [&](RankContext& rank) {
    if (rank.rank() == 0) {
      MeetingOptions options = options_for(rank, token);
      options.report_every = 50ms;
      Meeting::hold(options, Deadline::after(300ms));
    }
  });
  EXPECT_THAT(results[0].output, HasSubstr("warning: joining for "));
  EXPECT_THAT(results[0].output, HasSubstr(": 1 of 2 ranks are here, one is missing: 1"));
}

TEST(Meeting, NamesARankThatDiesDuringAnExchange) {
  const std::string token = meeting_token();
  const auto results = run_ranks(3, RankMode::kProcesses, [&](RankContext& rank) {
    Meeting meeting = Meeting::hold(options_for(rank, token), rank.deadline());
    if (rank.rank() == 1) {
      _exit(7);
    }
    const UniqueFd mine = create_memory_file(64);
    meeting.exchange({mine.get()}, rank.deadline());
  });
  for (const int survivor : {0, 2}) {
    ASSERT_TRUE(results[survivor].error) << results[survivor].describe();
    EXPECT_EQ(results[survivor].error->code(), ErrorCode::kPeerLost);
    EXPECT_EQ(results[survivor].error->peer(), 1);
  }
}

// A socket pair with a packet's raw bytes on their way.
struct RawPair {
  RawPair() {
    int fds[2];
    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds);
    here.reset(fds[0]);
    there.reset(fds[1]);
  }
  UniqueFd here, there;
};

TEST(Packet, CarriesTextAndDescriptors) {
  RawPair pair;
  const UniqueFd file = create_memory_file(64);
  const Deadline deadline = Deadline::after(10s);
  ASSERT_TRUE(send_packet(pair.there.get(),
                          {.kind = Packet::Kind::kFiles, .rank = 3, .size = 8, .text = "hello", .fds = {}},
                          {file.get(), file.get()}, deadline));
  const auto packet = receive_packet(pair.here.get(), deadline);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->kind, Packet::Kind::kFiles);
  EXPECT_EQ(packet->rank, 3);
  EXPECT_EQ(packet->size, 8);
  EXPECT_EQ(packet->text, "hello");
  ASSERT_EQ(packet->fds.size(), 2U);
  EXPECT_EQ(inode_of(packet->fds[1].get()), inode_of(file.get()));
}

TEST(Packet, IsNothingWhenTheOtherSideIsGone) {
  RawPair pair;
  pair.there.reset();
  EXPECT_FALSE(receive_packet(pair.here.get(), Deadline::after(10s)));
  EXPECT_FALSE(send_packet(pair.here.get(), {.text = {}, .fds = {}}, {}, Deadline::after(10s)));
}

TEST(Packet, TimesOut) {
  RawPair pair;
  EXPECT_THROW(receive_packet(pair.here.get(), Deadline::after(1ms)), Error);
}

TEST(Packet, RefusesWhatIsNone) {
  for (const std::string& bytes : {std::string("x"), std::string(24, 'x'), std::string(5000, 'x'),
                                   std::string("LOCK\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff", 24)}) {
    RawPair pair;
    ASSERT_GT(send(pair.there.get(), bytes.data(), bytes.size(), 0), 0);
    try {
      receive_packet(pair.here.get(), Deadline::after(10s));
      ADD_FAILURE() << "took " << bytes.size() << " bytes of rubbish";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    }
  }
}

TEST(Packet, NamesAnotherVersion) {
  RawPair pair;
  const std::string bytes("LOCK\x63\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
  ASSERT_GT(send(pair.there.get(), bytes.data(), bytes.size(), 0), 0);
  try {
    receive_packet(pair.here.get(), Deadline::after(10s));
    ADD_FAILURE() << "took a packet of version 99";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kMismatch);
    EXPECT_THAT(error.what(), HasSubstr("another version of Lockstep (layout 99"));
  }
}

TEST(Packet, OfDescriptorsThatHaveNoRoomNamesTheLimit) {
  RawPair pair;
  const Deadline deadline = Deadline::after(10s);
  // UBSan opens a pipe to look at the first object of a class. It has to meet these before descriptors run out.
  EXPECT_THROW(receive_packet(pair.here.get(), Deadline::after(0s)), Error);
  const auto text_of = [](rlim_t limit) { return fmt::format("the limit is {}", limit); };
  text_of(0);
  ASSERT_TRUE(send_packet(pair.there.get(), {.kind = Packet::Kind::kFiles, .text = {}, .fds = {}},
                          {STDOUT_FILENO, STDERR_FILENO}, deadline));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const UniqueFd last(dup(pair.here.get()));  // no number below it is free
  const rlimit tight{.rlim_cur = static_cast<rlim_t>(last.get()) + 2, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  std::optional<Error> error;
  try {
    receive_packet(pair.here.get(), deadline);
  } catch (const Error& thrown) {
    error = thrown;
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(error) << "there was room for one of two descriptors";
  EXPECT_EQ(error->code(), ErrorCode::kSystem);
  EXPECT_THAT(error->what(), HasSubstr("cannot open any more descriptors"));
  EXPECT_THAT(error->what(), HasSubstr(text_of(tight.rlim_cur)));
}

TEST(MemoryFile, CannotBeResizedByAnybody) {
  const UniqueFd file = create_memory_file(8192);
  EXPECT_NE(ftruncate(file.get(), 4096), 0);
  EXPECT_NE(ftruncate(file.get(), 16384), 0);
}

TEST(MemoryFile, IsRefusedWhenItIsNotSealedOrHasAnotherSize) {
  const UniqueFd unsealed(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(unsealed.get(), 4096), 0);
  EXPECT_THROW(map_memory_file(unsealed.get(), 4096, Populate::kOnTouch), Error);
  const UniqueFd sealed = create_memory_file(4096);
  EXPECT_THROW(map_memory_file(sealed.get(), 8192, Populate::kOnTouch), Error);
  EXPECT_NO_THROW(map_memory_file(sealed.get(), 4096, Populate::kNow));
}

TEST(MemoryFile, IsMappedOnceInAProcess) {
  const UniqueFd file = create_memory_file(4096);
  const UniqueFd same(dup(file.get()));
  const auto first = map_memory_file(file.get(), 4096, Populate::kOnTouch);
  EXPECT_EQ(first, map_memory_file(same.get(), 4096, Populate::kOnTouch));
}

}  // namespace
}  // namespace lockstep::testing
