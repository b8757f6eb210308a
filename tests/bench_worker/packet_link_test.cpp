#include "bench_worker/packet_link.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "base/random_token.h"
#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

struct LinkPair {
  PacketLink worker;
  PacketLink coordinator;
};

LinkPair connected() {
  const std::string name = "lockstep.test." + random_token();
  PacketListener listener(name);
  PacketLink worker = PacketLink::connect(name);
  return {std::move(worker), listener.accept().value()};
}

TEST(PacketLink, KeepsTextsApart) {
  LinkPair links = connected();
  links.worker.send("first");
  links.worker.send("second");
  EXPECT_EQ(links.coordinator.receive(), "first");
  EXPECT_EQ(links.coordinator.receive(), "second");
}

TEST(PacketLink, CarriesAsMuchAsTheLongestAnswer) {
  LinkPair links = connected();
  const std::string text(100 << 10, 'x');
  links.worker.send(text);
  EXPECT_EQ(links.coordinator.receive(), text);
}

TEST(PacketLink, RefusesWhatDoesNotFit) {
  LinkPair links = connected();
  EXPECT_THROW(links.worker.send(std::string(1 << 20, 'x')), Error);
}

TEST(PacketLink, ReceivesNothingFromOneWhoIsGone) {
  LinkPair links = connected();
  links.worker = PacketLink();
  EXPECT_EQ(links.coordinator.receive(), std::nullopt);
}

TEST(PacketLink, ReportsThatNobodyIsThereToSendTo) {
  LinkPair links = connected();
  links.worker = PacketLink();
  try {
    links.coordinator.send("order");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kPeerLost);
    EXPECT_EQ(error.message(), "the other side is gone: Broken pipe");
  }
}

TEST(PacketLink, RefusesToConnectToNobody) {
  try {
    PacketLink::connect("lockstep.test." + random_token());
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kSystem);
  }
}

TEST(PacketLink, RefusesANameThatCannotBe) {
  EXPECT_THROW(PacketLink::connect(""), Error);
  EXPECT_THROW(PacketListener(std::string(200, 'x')), Error);
}

}  // namespace
}  // namespace lockstep::bench
