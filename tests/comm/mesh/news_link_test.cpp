#include "comm/mesh/news_link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "lockstep/error.h"

namespace lockstep::mesh {
namespace {

struct Pair {
  UniqueFd first;
  UniqueFd second;
};

Pair make_pair() {
  std::array<int, 2> ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}
std::string text_of(const Frame& frame) {
  return {reinterpret_cast<const char*>(frame.bytes.data()), frame.bytes.size()};
}

TEST(NewsLink, DeliversFramesInOrderAndWhole) {
  Pair pair = make_pair();
  NewsLink from(std::move(pair.first), 1000);
  NewsLink to(std::move(pair.second), 1000);
  to.read();
  EXPECT_FALSE(to.next());
  from.send(Frame::Kind::kCall, bytes_of("first "), bytes_of("half"));
  from.send(Frame::Kind::kFailure, bytes_of("second"));
  from.send(Frame::Kind::kLeft, {});
  to.read();
  const auto call = to.next();
  ASSERT_TRUE(call);
  EXPECT_EQ(call->kind, Frame::Kind::kCall);
  EXPECT_EQ(text_of(*call), "first half");
  const auto failure = to.next();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Frame::Kind::kFailure);
  EXPECT_EQ(text_of(*failure), "second");
  const auto left = to.next();
  ASSERT_TRUE(left);
  EXPECT_EQ(left->kind, Frame::Kind::kLeft);
  EXPECT_TRUE(left->bytes.empty());
  EXPECT_FALSE(to.next());
  EXPECT_TRUE(to.open());
}

TEST(NewsLink, KeepsWhatTheSocketDoesNotTake) {
  Pair pair = make_pair();
  NewsLink from(std::move(pair.first), 100'000);
  NewsLink to(std::move(pair.second), 100'000);
  const std::string text(100'000, 'x');
  constexpr int kFrames = 30;
  for (int i = 0; i < kFrames; ++i) {
    from.send(Frame::Kind::kCall, bytes_of(text));
  }
  EXPECT_TRUE(from.wants_to_write());
  int received = 0;
  while (received < kFrames) {
    from.flush();
    to.read();
    while (const auto frame = to.next()) {
      ASSERT_EQ(text_of(*frame), text);
      ++received;
    }
  }
  EXPECT_FALSE(from.wants_to_write());
}

TEST(NewsLink, ClosesWhenTheOtherSideIsGoneAndStillGivesWhatItSaid) {
  Pair pair = make_pair();
  NewsLink to(std::move(pair.second), 1000);
  {
    NewsLink from(std::move(pair.first), 1000);
    to.send(Frame::Kind::kCall, bytes_of("never read"));
    from.send(Frame::Kind::kLeft, {});
    from.finish();
    EXPECT_FALSE(from.open());
  }
  to.read();
  to.read();
  EXPECT_FALSE(to.open());
  ASSERT_TRUE(to.next());
  to.send(Frame::Kind::kCall, bytes_of("into the void"));  // no signal, no throw
  EXPECT_FALSE(to.wants_to_write());
}

TEST(NewsLink, RefusesWhatNoRankSends) {
  for (const std::array<std::uint32_t, 2> header : {std::array<std::uint32_t, 2>{1, 1001}, {0, 5}, {99, 5}}) {
    Pair pair = make_pair();
    NewsLink to(std::move(pair.second), 1000);
    ASSERT_EQ(write(pair.first.get(), header.data(), sizeof header), static_cast<ssize_t>(sizeof header));
    to.read();
    try {
      to.next();
      ADD_FAILURE() << "accepted kind " << header[0] << " with " << header[1] << " bytes";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    }
  }
}

}  // namespace
}  // namespace lockstep::mesh
