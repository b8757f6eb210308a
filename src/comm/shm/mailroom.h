#pragma once

// send and recv between two ranks: bytes stream through a mailbox in the sender's segment. A message is a header
// that says what it is and the data behind it. A send is done when the last byte is in the mailbox.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "comm/request.h"
#include "comm/shm/group.h"
#include "comm/task.h"

namespace lockstep {

class Message {
 public:
  void begin(const Task& task, const Request& request);
  bool done() const { return done_; }

 private:
  friend class Mailroom;

  const Task* task_ = nullptr;
  const std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t moved_ = 0;  // of the data
  bool header_moved_ = false;
  bool done_ = true;
};

class Mailroom {
 public:
  explicit Mailroom(Group& group);

  void enqueue(Message& message);
  // Moves what can be moved; true when anything was. Throws Error{kMismatch} when a recv meets another message
  // than it expects.
  bool advance();
  // The ranks that must still do something. Not one whose bytes lie in its mailbox: it may have gone since.
  void list_awaited(std::vector<int>& ranks) const;

 private:
  struct Header;

  bool push(Message& message, int peer);
  bool pull(Message& message, int peer);
  std::size_t unread_bytes(int peer) const;
  void check(const Message& message, const Header& header, int peer) const;

  Group& group_;
  std::vector<std::deque<Message*>> outgoing_;  // by peer
  std::vector<std::deque<Message*>> incoming_;  // by peer
};

}  // namespace lockstep
