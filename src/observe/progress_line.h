#pragma once

// Shows the progress of a run to a person. On a terminal this is one line that is redrawn, as wide as the terminal is
// at that moment; elsewhere, successive lines at a longer interval.
//
//   ProgressLine progress(STDERR_FILENO);
//   while (training) { ...; progress.update(state); }
//   progress.end();
//
// For one thread of one rank. Training continues when nobody reads: update() does not wait for a terminal that is held,
// and a reader that is gone is no error, since the metric files have everything.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "observe/progress_text.h"

namespace lockstep {

struct ProgressOptions {
  std::chrono::milliseconds redraw_interval{100};  // on a terminal
  std::chrono::milliseconds line_interval{10'000};
};

class ProgressLine {
 public:
  // `fd` and `clock` remain the caller's and must outlive this object.
  explicit ProgressLine(int fd, const Clock& clock = Clock::real(), const ProgressOptions& options = {});
  ~ProgressLine();  // end()
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows the state, unless one was shown less than an interval ago.
  void update(const ProgressState& state);
  // Prints a separate line, above the one that is redrawn.
  void say(std::string_view line);
  // Clears the line for another message; the next update() draws it again.
  void hide();
  // Shows the last state if it was not shown, and leaves the cursor at the start of a new line. update() may follow.
  void end();

 private:
  bool is_due() const;
  void show();
  std::string drawing() const;
  void put(int fd, std::string_view text) const;

  const int fd_;
  const Clock& clock_;
  const bool is_terminal_;
  const std::chrono::milliseconds interval_;
  UniqueFd terminal_;                   // the same terminal, opened so that writes do not block
  std::optional<ProgressState> state_;  // the last one; empty before the first and after the end
  bool is_shown_ = false;               // whether state_ is shown
  std::optional<Clock::Time> shown_at_;
};

}  // namespace lockstep
