#pragma once

// What moves large data between the ranks of a group: somebody else's engine, behind two primitives. All ranks
// start the same ones in the same order; several may be in flight.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/deadline.h"
#include "comm/mesh/key_store.h"

namespace lockstep::mesh {

// A transfer under way. The memory it reads and writes stays valid until it is done.
class Flight {
 public:
  virtual ~Flight() = default;
  virtual bool done() const = 0;
  // Why it ended early; nothing when it went well. Call it when done.
  virtual std::optional<std::string> failure() const = 0;
};

struct Exchange {
  const std::byte* from = nullptr;         // the parts for each rank, one after the other
  std::span<const std::size_t> sent = {};  // bytes for each rank
  std::byte* to = nullptr;                 // the parts from each rank, one after the other
  std::span<const std::size_t> received = {};
};

class Carrier {
 public:
  virtual ~Carrier() = default;

  virtual std::unique_ptr<Flight> exchange(const Exchange& exchange) = 0;
  // From the root's memory into everybody else's.
  virtual std::unique_ptr<Flight> broadcast(std::byte* data, std::size_t bytes, int root) = 0;

  // Readable once a flight has ended since the last clear_event().
  virtual int event_fd() const = 0;
  virtual void clear_event() = 0;

  // Ends every flight of this rank, so that their memory is free again. Nothing can be started afterwards.
  virtual void cancel() noexcept = 0;
};

// Where groups get their stores and carriers from. One per process and job.
class Fabric {
 public:
  virtual ~Fabric() = default;

  // `group` names the group; equal on its ranks, different from every other group of the job.
  virtual std::unique_ptr<KeyStore> open_store(const std::string& group) = 0;
  virtual std::unique_ptr<Carrier> connect(const std::string& group, int rank, int size,
                                           const Deadline& deadline) = 0;
};

}  // namespace lockstep::mesh
