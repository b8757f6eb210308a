#include "base/color.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/terminal.h"
#include "base/unique_fd.h"

namespace lockstep {
namespace {

bool terminal_takes_color(const std::optional<std::string>& no_color) {
  const ScopedNoColor scope(no_color);
  return takes_color(Terminal().fd());
}

TEST(Color, IsForTerminals) {
  EXPECT_TRUE(terminal_takes_color(std::nullopt));
  const ScopedNoColor not_set(std::nullopt);
  EXPECT_FALSE(takes_color(Pipe::create().write.get()));
}

TEST(Color, IsOffWhenNoColorIsSetAndNotEmpty) {
  EXPECT_TRUE(terminal_takes_color(""));
  EXPECT_FALSE(terminal_takes_color("1"));
  EXPECT_FALSE(terminal_takes_color("0")) << "any value counts";
}

}  // namespace
}  // namespace lockstep
