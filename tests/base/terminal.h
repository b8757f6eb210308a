#pragma once

// For tests of what a terminal gets: one without a screen, and NO_COLOR as a test wants it.

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace lockstep {

class Terminal {
 public:
  Terminal() {
    int keys = -1;
    int screen = -1;
    EXPECT_EQ(openpty(&keys, &screen, nullptr, nullptr, nullptr), 0);
    keys_.reset(keys);
    screen_.reset(screen);
  }

  int fd() const { return screen_.get(); }

  // All that was written to it; nothing can be after that.
  std::string content() {
    screen_.reset();
    std::string text;
    std::array<char, 1024> part{};
    for (ssize_t count = 0; (count = read(keys_.get(), part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  UniqueFd keys_;
  UniqueFd screen_;
};

class ScopedNoColor {
 public:
  // Without a value it is not set.
  explicit ScopedNoColor(const std::optional<std::string>& value) {
    if (const char* before = std::getenv("NO_COLOR")) {
      before_ = before;
    }
    set(value);
  }
  ~ScopedNoColor() { set(before_); }
  ScopedNoColor(const ScopedNoColor&) = delete;
  ScopedNoColor& operator=(const ScopedNoColor&) = delete;

 private:
  static void set(const std::optional<std::string>& value) {
    value ? setenv("NO_COLOR", value->c_str(), 1) : unsetenv("NO_COLOR");
  }

  std::optional<std::string> before_;
};

}  // namespace lockstep
