#pragma once

// What a person sees while a run goes on. On a terminal it is one line that is drawn again and again, as wide as the
// terminal is at that moment; anywhere else, lines that follow each other at a longer interval.
//
//   ProgressLine progress(STDERR_FILENO);
//   while (training) { ...; progress.update(state); }
//   progress.end();
//
// For one thread of one rank. Training goes on when nobody reads: update() does not wait for a terminal that is held,
// and a reader who is gone is no error, since the metric files have all of it.

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
  // `fd` and `clock` stay the caller's and outlive this.
  explicit ProgressLine(int fd, const Clock& clock = Clock::real(), const ProgressOptions& options = {});
  ~ProgressLine();  // end()
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows it, unless something was shown less than an interval ago.
  void update(const ProgressState& state);
  // A line of its own, above the one that is redrawn.
  void say(std::string_view line);
  // Takes the line off the terminal for somebody else's message; the next update() draws it again.
  void hide();
  // Shows the last state if it was not shown, and leaves the cursor at the start of a new line. update() begins anew.
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
  UniqueFd terminal_;                   // the same one, opened so that a write does not wait
  std::optional<ProgressState> state_;  // the last one; there is none before the first and after the end
  bool is_shown_ = false;               // state_, as it is
  std::optional<Clock::Time> shown_at_;
};

}  // namespace lockstep
