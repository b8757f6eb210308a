#pragma once

// send and recv between two ranks: bytes stream through the socket for messages. A message is a header that says
// what it is and the data behind it. A send is done when the kernel has taken the last byte.

#include <poll.h>

#include <cstddef>
#include <deque>
#include <vector>

#include "comm/mesh/call.h"
#include "comm/mesh/group.h"
#include "comm/request.h"
#include "comm/task.h"

namespace lockstep::mesh {

class Message {
 public:
  void begin(const Task& task, const Request& request);
  bool done() const { return done_; }

 private:
  friend class Mailroom;

  const Task* task_ = nullptr;
  CallHeader header_;  // sent, or being received
  const std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t moved_ = 0;  // of the header and the data
  bool done_ = true;
};

class Mailroom {
 public:
  explicit Mailroom(Group& group);

  void enqueue(Message& message);
  // Moves what can be moved; true when anything was. Throws Error{kMismatch} when a recv meets another message
  // than it expects.
  bool advance();
  // The ranks that messages wait for.
  void list_awaited(std::vector<int>& ranks) const;
  // Of those, one that has left and will not finish its part; -1 when there is none.
  int find_deserter() const;
  void list_descriptors(std::vector<pollfd>& descriptors) const;

 private:
  struct Correspondent {
    std::deque<Message*> outgoing;
    std::deque<Message*> incoming;
    bool closed = false;  // the connection is
  };

  bool push(Message& message, int peer);
  bool pull(Message& message, int peer);
  bool took(Message& message, int peer, long bytes);
  void check(const Message& message, int peer) const;

  Group& group_;
  std::vector<Correspondent> correspondents_;  // by rank
};

}  // namespace lockstep::mesh
