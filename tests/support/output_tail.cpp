#include "support/output_tail.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::testing {

void OutputTail::append(std::string_view bytes) {
  total_bytes_ += bytes.size();
  bytes.remove_prefix(bytes.size() - std::min(bytes.size(), max_bytes_));
  recent_.append(bytes);
  if (recent_.size() > 2 * max_bytes_) {  // rarely, so that a byte is moved at most once
    recent_.erase(0, recent_.size() - max_bytes_);
  }
}

std::string OutputTail::text() const {
  const std::size_t kept = std::min(recent_.size(), max_bytes_);
  const std::string last = recent_.substr(recent_.size() - kept);
  const std::size_t dropped = total_bytes_ - kept;
  return dropped == 0 ? last : fmt::format("[{} bytes before this were not kept]\n{}", dropped, last);
}

}  // namespace lockstep::testing
