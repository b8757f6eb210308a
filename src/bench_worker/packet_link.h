#pragma once

// The connection between the coordinator of a benchmark and one worker: whole texts over an abstract Unix socket, whose
// name exists only in the kernel and vanishes with it. Used by one thread at a time.

#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace lockstep::bench {

class PacketLink {
 public:
  PacketLink() = default;
  explicit PacketLink(UniqueFd socket) : socket_(std::move(socket)) {}

  // Throws Error{kSystem} if no process listens under that name.
  static PacketLink connect(const std::string& name);

  // Throws Error{kPeerLost} if the other side is gone.
  void send(const std::string& text);
  // Blocks until a text arrives; nothing if the other side is gone.
  std::optional<std::string> receive();

  int fd() const { return socket_.get(); }
  explicit operator bool() const { return static_cast<bool>(socket_); }

 private:
  UniqueFd socket_;
};

// The coordinator's end, before any worker has connected.
class PacketListener {
 public:
  explicit PacketListener(const std::string& name);

  // The next connection, or nothing if its process belongs to another user.
  std::optional<PacketLink> accept();

  int fd() const { return socket_.get(); }  // readable when a connection is pending

 private:
  UniqueFd socket_;
};

}  // namespace lockstep::bench
