#pragma once

// The last bytes of a stream of any length, in bounded memory.

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::testing {

class OutputTail {
 public:
  explicit OutputTail(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  void append(std::string_view bytes);

  // The last max_bytes of it; after a line that says how many came before them, if any did.
  std::string text() const;

 private:
  std::size_t max_bytes_;
  std::size_t total_bytes_ = 0;
  std::string recent_;  // at least the last max_bytes, at most about twice that
};

}  // namespace lockstep::testing
