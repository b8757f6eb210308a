#include "comm/mesh/handshake.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "comm/mesh/tcp_socket.h"
#include "comm/rank_list.h"
#include "lockstep/error.h"
#include "lockstep/log.h"

namespace lockstep::mesh {
namespace {

constexpr std::uint32_t kMagic =
    0x4d434f4c;  // "LOCM"; reads differently on a machine of the other byte order
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kCookieBytes = 32;

enum class Channel : std::uint32_t { kNews, kMail };

struct Hello {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::int32_t rank = 0;
  Channel channel = Channel::kNews;
  std::array<char, kCookieBytes> cookie{};  // of the rank that is spoken to
};

// Nothing when the other side hangs up or says something else within a second: a rank speaks at once.
std::optional<Hello> receive_hello(int fd) {
  Hello hello;
  std::size_t received = 0;
  const Deadline deadline = Deadline::after(std::chrono::seconds(1));
  while (received < sizeof hello) {
    const ssize_t bytes = recv(fd, reinterpret_cast<char*>(&hello) + received, sizeof hello - received, 0);
    if (bytes > 0) {
      received += static_cast<std::size_t>(bytes);
      continue;
    }
    if (bytes == 0 || (errno != EAGAIN && errno != EINTR) || deadline.expired()) {
      return std::nullopt;
    }
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    poll(&ready, 1, deadline.poll_timeout_ms());
  }
  return hello;
}

bool equal_in_constant_time(const std::array<char, kCookieBytes>& a,
                            const std::array<char, kCookieBytes>& b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(a[i]) ^ static_cast<unsigned>(b[i]);
  }
  return difference == 0;
}

std::array<char, kCookieBytes> cookie_of(const RosterEntry& entry) {
  std::array<char, kCookieBytes> cookie{};
  entry.cookie.copy(cookie.data(), cookie.size());
  return cookie;
}

class Handshake {
 public:
  Handshake(int listener, const std::vector<RosterEntry>& roster, int rank, const Deadline& deadline)
      : listener_(listener), roster_(roster), rank_(rank), deadline_(deadline), sockets_(roster.size()) {}

  std::vector<PeerSockets> run() {
    for (int peer = 0; peer < rank_; ++peer) {
      at(peer).news = call(peer, Channel::kNews);
      at(peer).mail = call(peer, Channel::kMail);
    }
    while (!missing().empty()) {
      wait_for_guest();
      admit();
    }
    return std::move(sockets_);
  }

 private:
  PeerSockets& at(int rank) { return sockets_[static_cast<std::size_t>(rank)]; }

  UniqueFd call(int peer, Channel channel) const {
    const RosterEntry& entry = roster_[static_cast<std::size_t>(peer)];
    try {
      UniqueFd fd = connect_to(SocketAddress::resolve(entry.address, entry.port), deadline_);
      const Hello hello{.rank = rank_, .channel = channel, .cookie = cookie_of(entry)};
      // The first bytes of a connection fit into its buffer.
      if (send(fd.get(), &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello) {
        throw Error::from_errno(errno, "send");
      }
      return fd;
    } catch (const Error& error) {
      throw Error(error.code() == ErrorCode::kTimeout ? ErrorCode::kTimeout : ErrorCode::kPeerLost,
                  fmt::format("{} cannot be reached", entry.describe(peer)))
          .with_operation("join")
          .with_rank(rank_)
          .with_peer(peer)
          .with_cause(std::make_exception_ptr(error));
    }
  }

  void wait_for_guest() const {
    pollfd ready{.fd = listener_, .events = POLLIN, .revents = 0};
    while (poll(&ready, 1, deadline_.poll_timeout_ms()) <= 0) {
      if (deadline_.expired()) {
        const auto ranks = missing();
        throw Error(ErrorCode::kTimeout, fmt::format("{} {} joined, but did not connect",
                                                     ranks.size() == 1 ? "rank" : "ranks", rank_list(ranks)))
            .with_operation("join")
            .with_rank(rank_)
            .with_peer(ranks.front())
            .with_elapsed(deadline_.elapsed());
      }
    }
  }

  void admit() {
    UniqueFd guest(accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!guest) {
      return;
    }
    const auto hello = receive_hello(guest.get());
    if (!hello || !is_welcome(*hello)) {
      LOCKSTEP_LOG(kWarning) << "turned away a connection that does not come from a rank of this job";
      return;
    }
    tune(guest.get());
    PeerSockets& sockets = at(hello->rank);
    (hello->channel == Channel::kNews ? sockets.news : sockets.mail) = std::move(guest);
  }

  bool is_welcome(const Hello& hello) const {
    return hello.magic == kMagic && hello.version == kVersion && hello.rank > rank_ &&
           hello.rank < static_cast<int>(roster_.size()) &&
           (hello.channel == Channel::kNews || hello.channel == Channel::kMail) &&
           equal_in_constant_time(hello.cookie, cookie_of(roster_[static_cast<std::size_t>(rank_)]));
  }

  std::vector<int> missing() const {
    std::vector<int> ranks;
    for (std::size_t peer = 0; peer < sockets_.size(); ++peer) {
      if (static_cast<int>(peer) != rank_ && !(sockets_[peer].news && sockets_[peer].mail)) {
        ranks.push_back(static_cast<int>(peer));
      }
    }
    return ranks;
  }

  int listener_;
  const std::vector<RosterEntry>& roster_;
  int rank_;
  const Deadline& deadline_;
  std::vector<PeerSockets> sockets_;
};

}  // namespace

std::vector<PeerSockets> connect_peers(int listener, const std::vector<RosterEntry>& roster, int rank,
                                       const Deadline& deadline) {
  return Handshake(listener, roster, rank, deadline).run();
}

}  // namespace lockstep::mesh
