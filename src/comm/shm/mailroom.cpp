#include "comm/shm/mailroom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "comm/call_code.h"
#include "lockstep/error.h"

namespace lockstep {

struct Mailroom::Header {
  std::uint64_t call = 0;
  std::uint64_t count = 0;
  Label label;
};

namespace {

void copy_into(Mailbox& box, std::uint64_t position, const std::byte* from, std::size_t bytes) {
  const std::size_t start = position % kMailboxBytes;
  const std::size_t first = std::min(bytes, kMailboxBytes - start);
  std::memcpy(box.bytes.data() + start, from, first);
  std::memcpy(box.bytes.data(), from + first, bytes - first);
}

void copy_out_of(const Mailbox& box, std::uint64_t position, std::byte* to, std::size_t bytes) {
  const std::size_t start = position % kMailboxBytes;
  const std::size_t first = std::min(bytes, kMailboxBytes - start);
  std::memcpy(to, box.bytes.data() + start, first);
  std::memcpy(to + first, box.bytes.data(), bytes - first);
}

}  // namespace

void Message::begin(const Task& task, const Request& request) {
  task_ = &task;
  from_ = request.in.data();
  to_ = request.out.data();
  bytes_ = request.operation.count * size_of(request.operation.dtype);
  moved_ = 0;
  header_moved_ = false;
  done_ = false;
}

Mailroom::Mailroom(Group& group)
    : group_(group),
      outgoing_(static_cast<std::size_t>(group.size())),
      incoming_(static_cast<std::size_t>(group.size())) {}

void Mailroom::enqueue(Message& message) {
  const Operation& operation = message.task_->operation();
  auto& queues = operation.kind == OperationKind::kSend ? outgoing_ : incoming_;
  queues[static_cast<std::size_t>(operation.root)].push_back(&message);
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
    serve(outgoing_[static_cast<std::size_t>(peer)], [&](Message& message) { return push(message, peer); });
    serve(incoming_[static_cast<std::size_t>(peer)], [&](Message& message) { return pull(message, peer); });
  }
  return moved;
}

bool Mailroom::push(Message& message, int peer) {
  Mailbox& box = group_.segments().mailbox(group_.rank(), peer);
  const std::uint64_t written = box.written.load(std::memory_order_relaxed);  // ours alone
  // Pairs with pull(): what the receiver has consumed may be overwritten.
  const std::size_t room = kMailboxBytes - (written - box.consumed.load(std::memory_order_acquire));
  std::size_t bytes = 0;
  if (!message.header_moved_) {
    const Operation& operation = message.task_->operation();
    const Header header{
        .call = pack_call(operation), .count = operation.count, .label = message.task_->label()};
    if (room < sizeof header) {
      return false;
    }
    copy_into(box, written, reinterpret_cast<const std::byte*>(&header), sizeof header);
    message.header_moved_ = true;
    bytes = sizeof header;
  } else {
    bytes = std::min(room, message.bytes_ - message.moved_);
    if (bytes == 0) {
      return false;
    }
    copy_into(box, written, message.from_ + message.moved_, bytes);
    message.moved_ += bytes;
  }
  box.written.store(written + bytes, std::memory_order_seq_cst);  // pairs with pull()
  group_.ring_sleepers();
  message.done_ = message.moved_ == message.bytes_;
  return true;
}

bool Mailroom::pull(Message& message, int peer) {
  Mailbox& box = group_.segments().mailbox(peer, group_.rank());
  const std::uint64_t consumed = box.consumed.load(std::memory_order_relaxed);  // ours alone
  const std::size_t available = unread_bytes(peer);
  std::size_t bytes = 0;
  if (!message.header_moved_) {
    Header header;
    if (available < sizeof header) {
      return false;
    }
    copy_out_of(box, consumed, reinterpret_cast<std::byte*>(&header), sizeof header);
    check(message, header, peer);
    message.header_moved_ = true;
    bytes = sizeof header;
  } else {
    bytes = std::min(available, message.bytes_ - message.moved_);
    if (bytes == 0) {
      return false;
    }
    copy_out_of(box, consumed, message.to_ + message.moved_, bytes);
    message.moved_ += bytes;
  }
  box.consumed.store(consumed + bytes, std::memory_order_seq_cst);  // pairs with push()
  group_.ring_sleepers();
  message.done_ = message.moved_ == message.bytes_;
  return true;
}

void Mailroom::check(const Message& message, const Header& header, int peer) const {
  const Operation& mine = message.task_->operation();
  const Operation theirs = unpack_call(header.call, header.count, mine.sequence, header.label);
  if (theirs.kind != OperationKind::kSend || theirs.dtype != mine.dtype || theirs.count != mine.count ||
      theirs.label != mine.label) {
    throw Error(ErrorCode::kMismatch, fmt::format("ranks disagree: rank {} called {}; rank {} called {}",
                                                  group_.rank(), mine.describe(), peer, theirs.describe()))
        .with_peer(peer);
  }
}

void Mailroom::list_awaited(std::vector<int>& ranks) const {
  for (int peer = 0; peer < group_.size(); ++peer) {
    const auto index = static_cast<std::size_t>(peer);
    if (!outgoing_[index].empty() || (!incoming_[index].empty() && unread_bytes(peer) == 0)) {
      ranks.push_back(peer);
    }
  }
}

std::size_t Mailroom::unread_bytes(int peer) const {
  const Mailbox& box = group_.segments().mailbox(peer, group_.rank());
  const std::uint64_t consumed = box.consumed.load(std::memory_order_relaxed);  // ours alone
  // Pairs with push(): what is counted as written can be read.
  return box.written.load(std::memory_order_seq_cst) - consumed;
}

}  // namespace lockstep
