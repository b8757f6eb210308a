#include "comm/shm/meeting.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/duration_text.h"
#include "comm/rank_list.h"
#include "comm/shm/packet.h"
#include "lockstep/error.h"
#include "lockstep/log.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

struct Address {
  sockaddr_un name{};
  socklen_t length = 0;
};

// An abstract name: it lives in the kernel only and vanishes with its socket.
Address address_of(const MeetingOptions& options) {
  const std::string key = options.token + "/" + options.group;
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  const std::string text = fmt::format("lockstep.{:016x}{:016x}", hash.high64, hash.low64);
  Address address;
  address.name.sun_family = AF_UNIX;
  std::memcpy(address.name.sun_path + 1, text.data(), text.size());
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return address;
}

UniqueFd make_socket() {
  UniqueFd fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) {
    throw Error::from_errno(errno, "socket");
  }
  return fd;
}

// Whether the process at the other end runs under our user.
bool same_user(int fd) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 && credentials.uid == geteuid();
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference |= static_cast<unsigned>(a[i]) ^ static_cast<unsigned>(b[i]);
  }
  return difference == 0;
}

Packet make_refusal(int culprit, ErrorCode code, const std::string& reason) {
  return {.kind = Packet::Kind::kRefusal,
          .rank = culprit,
          .size = static_cast<std::int32_t>(code),
          .text = reason,
          .fds = {}};
}

// Says every few seconds what is being waited for.
class Reporter {
 public:
  Reporter(const MeetingOptions& options, const Deadline& deadline)
      : every_(options.report_every), deadline_(deadline), next_(options.report_every) {}

  template <class Describe>
  void tick(Describe describe) {
    if (deadline_.elapsed() >= next_) {
      next_ += every_;
      LOCKSTEP_LOG(kWarning) << "joining for " << duration_text(deadline_.elapsed()) << ": " << describe();
    }
  }

  // How long a poll may sleep without missing the next report.
  int poll_timeout_ms() const {
    const auto until_report = std::chrono::ceil<milliseconds>(next_ - deadline_.elapsed()).count();
    return std::max(0, std::min(deadline_.poll_timeout_ms(), static_cast<int>(until_report)));
  }

 private:
  std::chrono::nanoseconds every_;
  const Deadline& deadline_;
  std::chrono::nanoseconds next_;
};

// Rank 0's side of the meeting: accepts the others until all are there.
class Host {
 public:
  Host(const MeetingOptions& options, const Deadline& deadline, std::vector<UniqueFd>& links)
      : options_(options),
        deadline_(deadline),
        reporter_(options, deadline),
        links_(links),
        listener_(make_socket()) {
    const Address address = address_of(options);
    if (bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address.name), address.length) != 0) {
      if (errno == EADDRINUSE) {
        throw Error(
            ErrorCode::kMismatch,
            "another process already holds this meeting as rank 0; is the job started twice, or are two "
            "ranks numbered 0?");
      }
      throw Error::from_errno(errno, "bind", "the job's socket");
    }
    if (listen(listener_.get(), 2 * options.size) != 0) {
      throw Error::from_errno(errno, "listen");
    }
  }

  void gather() {
    while (!missing().empty()) {
      reporter_.tick([this] { return waiting_text(); });
      if (deadline_.expired()) {
        const std::string reason = waiting_text();
        refuse_all(ErrorCode::kTimeout, reason);
        throw Error(ErrorCode::kTimeout, reason)
            .with_operation("join")
            .with_rank(0)
            .with_elapsed(deadline_.elapsed());
      }
      wait_and_serve();
    }
    for (int rank = 1; rank < options_.size; ++rank) {
      send_packet(link(rank).get(),
                  {.kind = Packet::Kind::kWelcome, .size = options_.size, .text = {}, .fds = {}}, {},
                  deadline_);
    }
  }

 private:
  UniqueFd& link(int rank) { return links_[static_cast<std::size_t>(rank)]; }

  std::vector<int> missing() const {
    std::vector<int> ranks;
    for (int rank = 1; rank < options_.size; ++rank) {
      if (!links_[static_cast<std::size_t>(rank)]) {
        ranks.push_back(rank);
      }
    }
    return ranks;
  }

  std::string waiting_text() const {
    const auto ranks = missing();
    return fmt::format("{} of {} ranks are here, {} missing: {}",
                       options_.size - static_cast<int>(ranks.size()), options_.size,
                       ranks.size() == 1 ? "one is" : fmt::format("{} are", ranks.size()), rank_list(ranks));
  }

  void wait_and_serve() {
    std::vector<pollfd> watched = {{.fd = listener_.get(), .events = POLLIN, .revents = 0}};
    for (const auto& link : links_) {
      watched.push_back({.fd = link.get(), .events = POLLRDHUP, .revents = 0});
    }
    if (poll(watched.data(), watched.size(), reporter_.poll_timeout_ms()) < 0 && errno != EINTR) {
      throw Error::from_errno(errno, "poll");
    }
    for (std::size_t rank = 0; rank < links_.size(); ++rank) {
      if (watched[rank + 1].revents != 0) {
        links_[rank].reset();  // it went away again; it may come back
      }
    }
    if (watched[0].revents != 0) {
      admit();
    }
  }

  void admit() {
    UniqueFd guest(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!guest || !same_user(guest.get())) {
      return;
    }
    if (const auto hello = receive_hello(guest.get())) {
      seat(*hello, std::move(guest));
    }
  }

  // Nothing from a process that is none of ours: a rank speaks as soon as it is connected, and knows the token.
  std::optional<Packet> receive_hello(int guest) {
    try {
      auto hello = receive_packet(guest, Deadline::after(std::chrono::seconds(1)));
      if (hello && hello->kind == Packet::Kind::kHello &&
          equal_in_constant_time(hello->text, options_.token)) {
        return hello;
      }
    } catch (const Error& error) {
      LOCKSTEP_LOG(kWarning) << "turned away a process that wanted to join: " << error.what();
      refuse(guest, error.code(), error.message());
    }
    return std::nullopt;
  }

  void seat(const Packet& hello, UniqueFd guest) {
    if (hello.size != options_.size || hello.rank < 1 || hello.rank >= options_.size) {
      refuse_everyone(guest.get(), fmt::format("rank {} expects a world of {}, rank 0 one of {}", hello.rank,
                                               hello.size, options_.size));
    }
    if (link(hello.rank)) {
      refuse_everyone(guest.get(), fmt::format("two processes say that they are rank {}", hello.rank));
    }
    link(hello.rank) = std::move(guest);
  }

  [[noreturn]] void refuse_everyone(int guest, const std::string& reason) {
    refuse(guest, ErrorCode::kMismatch, reason);
    refuse_all(ErrorCode::kMismatch, reason);
    throw Error(ErrorCode::kMismatch, reason).with_operation("join").with_rank(0);
  }

  void refuse_all(ErrorCode code, const std::string& reason) {
    for (const auto& link : links_) {
      refuse(link.get(), code, reason);
    }
  }

  static void refuse(int socket, ErrorCode code, const std::string& reason) {
    if (socket >= 0) {
      send_packet(socket, make_refusal(0, code, reason), {}, Deadline::after(milliseconds(100)));
    }
  }

  const MeetingOptions& options_;
  const Deadline& deadline_;
  Reporter reporter_;
  std::vector<UniqueFd>& links_;
  UniqueFd listener_;
};

// The side of every other rank.
class Guest {
 public:
  Guest(const MeetingOptions& options, const Deadline& deadline)
      : options_(options), deadline_(deadline), reporter_(options, deadline) {}

  UniqueFd join() {
    for (;;) {
      UniqueFd link = connect_to_host();
      const Packet hello{.kind = Packet::Kind::kHello,
                         .rank = options_.rank,
                         .size = options_.size,
                         .text = options_.token,
                         .fds = {}};
      if (send_packet(link.get(), hello, {}, deadline_) && welcomed(link.get())) {
        return link;
      }
      pause();  // rank 0 went away while we waited; perhaps it is being restarted
    }
  }

 private:
  UniqueFd connect_to_host() {
    const Address address = address_of(options_);
    for (;;) {
      UniqueFd link = make_socket();
      if (connect(link.get(), reinterpret_cast<const sockaddr*>(&address.name), address.length) == 0) {
        if (!same_user(link.get())) {
          throw Error(ErrorCode::kMismatch, "the job's socket belongs to another user")
              .with_rank(options_.rank);
        }
        return link;
      }
      if (errno != ECONNREFUSED && errno != EAGAIN) {
        throw Error::from_errno(errno, "connect", "to rank 0");
      }
      pause();
    }
  }

  void pause() {
    reporter_.tick([] { return std::string("rank 0 is not here yet"); });
    if (deadline_.expired()) {
      throw Error(ErrorCode::kTimeout, "rank 0 did not come; the others cannot meet without it")
          .with_operation("join")
          .with_rank(options_.rank)
          .with_peer(0)
          .with_elapsed(deadline_.elapsed());
    }
    std::this_thread::sleep_for(milliseconds(2));
  }

  // False when rank 0 is gone. It names the missing ranks at its deadline, so it gets a moment longer than ours.
  bool welcomed(int link) {
    const auto answer =
        receive_packet(link, Deadline::after(deadline_.remaining() + std::chrono::seconds(2)));
    if (answer && answer->kind == Packet::Kind::kRefusal) {
      throw Error(static_cast<ErrorCode>(answer->size), answer->text)
          .with_operation("join")
          .with_rank(options_.rank)
          .with_elapsed(deadline_.elapsed());
    }
    return answer && answer->kind == Packet::Kind::kWelcome;
  }

  const MeetingOptions& options_;
  const Deadline& deadline_;
  Reporter reporter_;
};

// Sends and receives descriptors over the links of a meeting.
class Exchange {
 public:
  Exchange(int rank, const std::vector<UniqueFd>& links, std::size_t fds_per_rank, const Deadline& deadline)
      : rank_(rank), links_(links), fds_per_rank_(fds_per_rank), deadline_(deadline) {}

  void send(int peer, int owner, const std::vector<int>& fds) const {
    const Packet packet{.kind = Packet::Kind::kFiles, .rank = owner, .text = {}, .fds = {}};
    if (!send_packet(link(peer), packet, fds, deadline_)) {
      receive(peer);  // it may have told why before it went
      throw lost(peer);
    }
  }

  std::vector<UniqueFd> receive(int peer) const {
    auto packet = receive_packet(link(peer), deadline_);
    if (!packet) {
      throw lost(peer);
    }
    if (packet->kind == Packet::Kind::kRefusal) {
      throw Error(static_cast<ErrorCode>(packet->size), packet->text)
          .with_rank(rank_)
          .with_peer(packet->rank);
    }
    if (packet->kind != Packet::Kind::kFiles || packet->fds.size() != fds_per_rank_) {
      throw Error(ErrorCode::kMismatch, fmt::format("rank {} sent {} descriptors where {} were expected",
                                                    packet->rank, packet->fds.size(), fds_per_rank_))
          .with_rank(rank_)
          .with_peer(packet->rank);
    }
    return std::move(packet->fds);
  }

  // Tells all others why nothing more will come.
  void call_off(const Error& error) const {
    const Packet refusal = make_refusal(error.peer().value_or(rank_), error.code(), error.message());
    for (const auto& link : links_) {
      if (link) {
        send_packet(link.get(), refusal, {}, Deadline::after(milliseconds(100)));
      }
    }
  }

 private:
  int link(int peer) const { return links_[static_cast<std::size_t>(peer)].get(); }

  Error lost(int peer) const {
    return Error(ErrorCode::kPeerLost,
                 fmt::format("rank {} went away while ranks exchanged descriptors", peer))
        .with_rank(rank_)
        .with_peer(peer);
  }

  int rank_;
  const std::vector<UniqueFd>& links_;
  std::size_t fds_per_rank_;
  const Deadline& deadline_;
};

}  // namespace

Meeting Meeting::hold(const MeetingOptions& options, const Deadline& deadline) {
  Meeting meeting(options.rank, options.size);
  if (options.rank == 0) {
    Host(options, deadline, meeting.links_).gather();
  } else {
    meeting.links_[0] = Guest(options, deadline).join();
  }
  return meeting;
}

std::vector<std::vector<UniqueFd>> Meeting::exchange(const std::vector<int>& mine, const Deadline& deadline) {
  const Exchange exchange(rank_, links_, mine.size(), deadline);
  std::vector<std::vector<UniqueFd>> all(static_cast<std::size_t>(size_));
  if (rank_ != 0) {
    exchange.send(0, rank_, mine);
    for (auto& fds : all) {
      fds = exchange.receive(0);
    }
    return all;
  }
  try {
    for (const int fd : mine) {
      all[0].emplace_back(fcntl(fd, F_DUPFD_CLOEXEC, 0));
    }
    for (int peer = 1; peer < size_; ++peer) {
      all[static_cast<std::size_t>(peer)] = exchange.receive(peer);
    }
    for (int owner = 0; owner < size_; ++owner) {
      std::vector<int> fds;
      for (const auto& fd : all[static_cast<std::size_t>(owner)]) {
        fds.push_back(fd.get());
      }
      for (int peer = 1; peer < size_; ++peer) {
        exchange.send(peer, owner, fds);
      }
    }
  } catch (const Error& error) {
    exchange.call_off(error);
    throw;
  }
  return all;
}

}  // namespace lockstep
