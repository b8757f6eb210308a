#pragma once

// One message between ranks of a meeting: a fixed header, a short text and descriptors, over a socket that
// keeps message boundaries. Sizes are checked before anything is trusted.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/unique_fd.h"

namespace lockstep {

inline constexpr std::size_t kMaxPacketFds = 16;
inline constexpr std::size_t kMaxPacketText = 1024;

struct Packet {
  enum class Kind : std::uint32_t { kHello = 1, kWelcome, kFiles, kRefusal };

  Kind kind = Kind::kHello;
  std::int32_t rank = 0;
  std::int32_t size = 0;      // refusal: its ErrorCode
  std::string text;           // hello: the token; refusal: the reason
  std::vector<UniqueFd> fds;  // received ones; sending takes raw numbers
};

// Sends a whole packet; waits while the socket's buffer is full. False when the other side is gone.
bool send_packet(int socket, const Packet& packet, const std::vector<int>& fds, const Deadline& deadline);

// Waits for a packet; nothing when the other side is gone. Throws Error{kTimeout} at the deadline and
// Error{kCorrupt} for anything that is no packet of this version, Error{kSystem} when this process may open no more
// descriptors.
std::optional<Packet> receive_packet(int socket, const Deadline& deadline);

}  // namespace lockstep
