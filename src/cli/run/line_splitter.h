#pragma once

// Cuts a stream of bytes into lines.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace lockstep::run {

class LineSplitter {
 public:
  // A line comes with its end: a newline, or the carriage return that a progress bar goes back with. What is longer
  // than this comes in pieces, each ended with a newline.
  static constexpr std::size_t kLongestLine = 64 << 10;

  using Take = std::function<void(std::string_view line)>;

  void feed(std::string_view bytes, const Take& take);
  // Hands out what is left when the stream has ended, with a newline.
  void finish(const Take& take);

 private:
  void hold(std::string_view bytes, const Take& take);

  std::string held_;  // the start of a line
};

}  // namespace lockstep::run
