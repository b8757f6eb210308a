#pragma once

// The connection between the coordinator of a benchmark and one worker: whole texts over an abstract Unix
// socket, whose name lives in the kernel only and vanishes with it. Used by one thread at a time.

#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace lockstep::bench {

class PacketLink {
 public:
  PacketLink() = default;
  explicit PacketLink(UniqueFd socket) : socket_(std::move(socket)) {}

  // Throws Error{kSystem} when nobody listens under that name.
  static PacketLink connect(const std::string& name);

  // Throws Error{kPeerLost} when the other side is gone.
  void send(const std::string& text);
  // Blocks until a text is there; nothing when the other side is gone.
  std::optional<std::string> receive();

  int fd() const { return socket_.get(); }
  explicit operator bool() const { return static_cast<bool>(socket_); }

 private:
  UniqueFd socket_;
};

// The coordinator's end, before anybody came.
class PacketListener {
 public:
  explicit PacketListener(const std::string& name);

  // The next one that came, or nothing when it runs under another user.
  std::optional<PacketLink> accept();

  int fd() const { return socket_.get(); }  // readable when somebody came

 private:
  UniqueFd socket_;
};

}  // namespace lockstep::bench
