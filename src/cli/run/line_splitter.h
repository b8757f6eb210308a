#pragma once

// Splits a stream of bytes into lines.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace lockstep::run {

class LineSplitter {
 public:
  // A line includes its end: a newline, or the carriage return of a progress bar. Longer lines are split into pieces,
  // each ending with a newline.
  static constexpr std::size_t kLongestLine = 64 << 10;

  using Take = std::function<void(std::string_view line)>;

  void feed(std::string_view bytes, const Take& take);
  // Passes on the rest at the end of the stream, with a newline.
  void finish(const Take& take);

 private:
  void hold(std::string_view bytes, const Take& take);

  std::string held_;  // the start of a line
};

}  // namespace lockstep::run
