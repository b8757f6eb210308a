#include "comm/mesh/mailroom.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>

#include "lockstep/error.h"

namespace lockstep::mesh {

void Message::begin(const Task& task, const Request& request) {
  task_ = &task;
  header_ = CallHeader::of(task);
  from_ = request.in.data();
  to_ = request.out.data();
  bytes_ = request.operation.count * size_of(request.operation.dtype);
  moved_ = 0;
  done_ = false;
}

Mailroom::Mailroom(Group& group) : group_(group), correspondents_(static_cast<std::size_t>(group.size())) {}

void Mailroom::enqueue(Message& message) {
  const Operation& operation = message.task_->operation();
  Correspondent& peer = correspondents_[static_cast<std::size_t>(operation.root)];
  (operation.kind == OperationKind::kSend ? peer.outgoing : peer.incoming).push_back(&message);
}

bool Mailroom::advance() {
  bool moved = false;
  const auto serve = [&](std::deque<Message*>& queue, auto move) {
    while (!queue.empty() && move(*queue.front())) {
      moved = true;
      if (queue.front()->done_) {
        queue.pop_front();
      }
    }
  };
  for (int peer = 0; peer < group_.size(); ++peer) {
    Correspondent& correspondent = correspondents_[static_cast<std::size_t>(peer)];
    serve(correspondent.outgoing, [&](Message& message) { return push(message, peer); });
    serve(correspondent.incoming, [&](Message& message) { return pull(message, peer); });
  }
  return moved;
}

bool Mailroom::push(Message& message, int peer) {
  constexpr std::size_t kHeader = sizeof(CallHeader);
  std::array<iovec, 2> parts{};
  std::size_t count = 0;
  if (message.moved_ < kHeader) {
    auto* header = reinterpret_cast<std::byte*>(&message.header_);
    parts[count++] = {.iov_base = header + message.moved_, .iov_len = kHeader - message.moved_};
  }
  const std::size_t data_moved = message.moved_ < kHeader ? 0 : message.moved_ - kHeader;
  // sendmsg() only reads; iovec knows no const.
  parts[count++] = {.iov_base = const_cast<std::byte*>(message.from_) + data_moved,
                    .iov_len = message.bytes_ - data_moved};
  msghdr envelope{};
  envelope.msg_iov = parts.data();
  envelope.msg_iovlen = count;
  return took(message, peer, sendmsg(group_.outgoing_mail(peer), &envelope, MSG_NOSIGNAL));
}

// The header first and alone: only when it is right may the data go where the receiver wants it.
bool Mailroom::pull(Message& message, int peer) {
  constexpr std::size_t kHeader = sizeof(CallHeader);
  const int fd = group_.incoming_mail(peer);
  if (message.moved_ >= kHeader) {
    const std::size_t data_moved = message.moved_ - kHeader;
    return took(message, peer, recv(fd, message.to_ + data_moved, message.bytes_ - data_moved, 0));
  }
  auto* header = reinterpret_cast<std::byte*>(&message.header_);
  const bool moved = took(message, peer, recv(fd, header + message.moved_, kHeader - message.moved_, 0));
  if (message.moved_ == kHeader) {
    check(message, peer);
  }
  return moved;
}

bool Mailroom::took(Message& message, int peer, long bytes) {
  if (bytes <= 0) {
    const bool gone = bytes == 0 || (errno != EAGAIN && errno != EINTR);
    correspondents_[static_cast<std::size_t>(peer)].closed |= gone;
    return false;
  }
  message.moved_ += static_cast<std::size_t>(bytes);
  message.done_ = message.moved_ == sizeof(CallHeader) + message.bytes_;
  return true;
}

void Mailroom::check(const Message& message, int peer) const {
  const Operation& mine = message.task_->operation();
  const Operation theirs = message.header_.operation();
  if (theirs.kind != OperationKind::kSend || theirs.dtype != mine.dtype || theirs.count != mine.count ||
      theirs.label != mine.label) {
    throw Error(ErrorCode::kMismatch, fmt::format("ranks disagree: rank {} called {}; rank {} called {}",
                                                  group_.rank(), mine.describe(), peer, theirs.describe()))
        .with_peer(peer);
  }
}

void Mailroom::list_awaited(std::vector<int>& ranks) const {
  for (std::size_t peer = 0; peer < correspondents_.size(); ++peer) {
    if (!correspondents_[peer].outgoing.empty() || !correspondents_[peer].incoming.empty()) {
      ranks.push_back(static_cast<int>(peer));
    }
  }
}

int Mailroom::find_deserter() const {
  for (std::size_t peer = 0; peer < correspondents_.size(); ++peer) {
    const Correspondent& other = correspondents_[peer];
    if (other.closed && !(other.outgoing.empty() && other.incoming.empty()) &&
        group_.has_left(static_cast<int>(peer))) {
      return static_cast<int>(peer);
    }
  }
  return -1;
}

void Mailroom::list_descriptors(std::vector<pollfd>& descriptors) const {
  for (int peer = 0; peer < group_.size(); ++peer) {
    const Correspondent& other = correspondents_[static_cast<std::size_t>(peer)];
    if (!other.closed && !other.outgoing.empty()) {
      descriptors.push_back({.fd = group_.outgoing_mail(peer), .events = POLLOUT, .revents = 0});
    }
    if (!other.closed && !other.incoming.empty()) {
      descriptors.push_back({.fd = group_.incoming_mail(peer), .events = POLLIN, .revents = 0});
    }
  }
}

}  // namespace lockstep::mesh
