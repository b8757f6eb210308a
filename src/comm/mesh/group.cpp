#include "comm/mesh/group.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/duration_text.h"
#include "base/host_name.h"
#include "comm/mesh/tcp_socket.h"

namespace lockstep::mesh {
namespace {

constexpr std::size_t kLongestReason = 2048;
constexpr std::size_t kSmallestInlineLimit = 256;

// The first bytes of a failure frame; the text follows.
struct FailureHeader {
  std::int32_t code = 0;
  std::int32_t culprit = -1;
};

std::size_t inline_limit_for(std::size_t ranks) {
  return std::max(kSmallestInlineLimit, kInlineBudgetBytes / std::max<std::size_t>(ranks - 1, 1));
}

// Calls carry inline data or, for all_to_all_v, two counts for each rank.
std::size_t longest_frame(std::size_t ranks) {
  const std::size_t counts = 2 * ranks * sizeof(std::uint64_t);
  return std::max({sizeof(CallHeader) + inline_limit_for(ranks), sizeof(CallHeader) + counts,
                   sizeof(FailureHeader) + kLongestReason});
}

}  // namespace

std::unique_ptr<Group> Group::join(KeyStore& store, const RosterOptions& options,
                                   const SocketAddress& bind_address, const Deadline& deadline) {
  const UniqueFd listener = listen_on(bind_address, 2 * options.size);
  const SocketAddress address = SocketAddress::of_socket(listener.get());
  const RosterEntry mine{.size = options.size,
                         .host = this_host_name(),
                         .pid = getpid(),
                         .address = address.host(),
                         .port = address.port(),
                         .cookie = make_cookie()};
  auto roster = fill_roster(store, options, mine, deadline);
  auto sockets = connect_peers(listener.get(), roster, options.rank, deadline);
  return std::unique_ptr<Group>(new Group(options.rank, std::move(roster), std::move(sockets)));
}

Group::Group(int rank, std::vector<RosterEntry> roster, std::vector<PeerSockets> sockets)
    : rank_(rank), roster_(std::move(roster)), mail_(sockets.size()), peers_(sockets.size()) {
  for (std::size_t peer = 0; peer < sockets.size(); ++peer) {
    if (sockets[peer].news) {
      peers_[peer].link.emplace(std::move(sockets[peer].news), longest_frame(sockets.size()));
      mail_[peer].first = std::move(sockets[peer].mail);
    }
  }
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    throw Error::from_errno(errno, "socketpair");
  }
  mail_[static_cast<std::size_t>(rank)] = {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Group::~Group() {
  for (auto& peer : peers_) {
    if (peer.link) {
      peer.link->send(Frame::Kind::kLeft, {});
      peer.link->finish();
    }
  }
}

std::size_t Group::inline_limit() const {
  return inline_limit_for(peers_.size());
}

void Group::announce(const CallHeader& header, std::span<const std::byte> payload) {
  for (auto& peer : peers_) {
    if (peer.link) {
      peer.link->send(Frame::Kind::kCall, std::as_bytes(std::span(&header, 1)), payload);
    }
  }
  note_call(peers_[static_cast<std::size_t>(rank_)], header);
}

bool Group::advance() {
  polled_.clear();
  list_descriptors(polled_);
  if (polled_.empty() || poll(polled_.data(), polled_.size(), 0) <= 0) {
    return false;
  }
  std::size_t index = 0;
  for (int rank = 0; rank < size(); ++rank) {
    Peer& peer = peers_[static_cast<std::size_t>(rank)];
    if (!peer.link || !peer.link->open()) {
      continue;
    }
    const auto events = static_cast<unsigned>(polled_[index++].revents);
    if ((events & POLLOUT) != 0) {
      peer.link->flush();
    }
    if ((events & ~static_cast<unsigned>(POLLOUT)) != 0) {
      peer.link->read();
      while (const auto frame = peer.link->next()) {
        take(rank, *frame);
      }
    }
  }
  return true;
}

void Group::take(int rank, const Frame& frame) {
  Peer& peer = peers_[static_cast<std::size_t>(rank)];
  switch (frame.kind) {
    case Frame::Kind::kCall:
      take_call(peer, frame.bytes);
      break;
    case Frame::Kind::kFailure:
      take_failure(frame.bytes);
      break;
    case Frame::Kind::kLeft:
      peer.left = true;
      break;
  }
}

void Group::take_call(Peer& peer, std::span<const std::byte> bytes) {
  Call call;
  if (bytes.size() < sizeof call.header) {
    throw Error(ErrorCode::kCorrupt, "a rank announced a call that is cut short");
  }
  std::memcpy(&call.header, bytes.data(), sizeof call.header);
  const auto payload = bytes.subspan(sizeof call.header);
  call.payload.assign(payload.begin(), payload.end());
  note_call(peer, call.header);
  peer.calls.push_back(std::move(call));
}

void Group::note_call(Peer& peer, const CallHeader& header) {
  peer.last_call = header;
  peer.last_call_time = Clock::real().now();
}

void Group::take_failure(std::span<const std::byte> bytes) {
  FailureHeader header;
  if (failure_ || bytes.size() < sizeof header) {
    return;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto text = bytes.subspan(sizeof header);
  Error error(static_cast<ErrorCode>(header.code), {reinterpret_cast<const char*>(text.data()), text.size()});
  // Passed on to all others before this rank may leave: whoever sees it leave has then seen why.
  fail(header.culprit >= 0 ? std::move(error).with_peer(header.culprit) : std::move(error));
}

const Call* Group::next_call(int peer) const {
  const auto& calls = peers_[static_cast<std::size_t>(peer)].calls;
  return calls.empty() ? nullptr : &calls.front();
}

void Group::fail(const Error& error) noexcept {
  if (failure_) {
    return;
  }
  failure_ = error;
  const FailureHeader header{.code = static_cast<std::int32_t>(error.code()),
                             .culprit = error.peer().value_or(-1)};
  const std::string_view text = std::string_view(error.message()).substr(0, kLongestReason);
  for (auto& peer : peers_) {
    if (peer.link) {
      peer.link->send(Frame::Kind::kFailure, std::as_bytes(std::span(&header, 1)),
                      std::as_bytes(std::span(text)));
    }
  }
}

bool Group::has_died(int peer) const {
  const Peer& other = peers_[static_cast<std::size_t>(peer)];
  return other.link && !other.link->open() && !other.left;
}

void Group::fail_for_death_of(int peer) noexcept {
  fail(Error(ErrorCode::kPeerLost,
             fmt::format("{} has died", roster_[static_cast<std::size_t>(peer)].describe(peer)))
           .with_peer(peer));
}

void Group::fail_for_leaving_of(int peer) noexcept {
  fail(Error(ErrorCode::kPeerLost, fmt::format("rank {} has left the group", peer)).with_peer(peer));
}

std::string Group::describe_ranks() const {
  const auto now = Clock::real().now();
  std::string text;
  for (int rank = 0; rank < size(); ++rank) {
    const Peer& peer = peers_[static_cast<std::size_t>(rank)];
    if (peer.last_call) {
      text += fmt::format("\n    rank {} last called {}, {} ago", rank,
                          peer.last_call->operation().describe(), duration_text(now - peer.last_call_time));
    } else {
      text += fmt::format("\n    rank {} has called no collective yet", rank);
    }
  }
  return text;
}

void Group::list_descriptors(std::vector<pollfd>& descriptors) const {
  for (const auto& peer : peers_) {
    if (peer.link && peer.link->open()) {
      const int events = peer.link->wants_to_write() ? POLLIN | POLLOUT : POLLIN;
      descriptors.push_back({.fd = peer.link->fd(), .events = static_cast<short>(events), .revents = 0});
    }
  }
}

}  // namespace lockstep::mesh
