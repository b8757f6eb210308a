#pragma once

// A small dictionary that all ranks of a job see; they find each other through it.

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::mesh {

class KeyStore {
 public:
  virtual ~KeyStore() = default;

  // All throw Error{kPeerLost} when the process that holds the dictionary is gone.
  virtual void set(const std::string& key, const std::string& value) = 0;
  virtual std::optional<std::string> get(const std::string& key) = 0;  // nothing when nobody has set it
  virtual std::int64_t add(const std::string& key, std::int64_t number) = 0;  // returns the sum so far
};

}  // namespace lockstep::mesh
