#pragma once

// One output stream of a worker: read from its pipe, and taken to its file, to the console, and into the last lines
// that a report shows.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "cli/run/console.h"
#include "cli/run/line_splitter.h"

namespace lockstep::run {

class WorkerStream {
 public:
  // `file` may be empty. The console is not written to when `shown` is false.
  WorkerStream(UniqueFd pipe, UniqueFd file, Console& console, Console::Stream stream, std::size_t worker,
               bool shown);

  bool is_open() const { return static_cast<bool>(pipe_); }
  int fd() const { return pipe_.get(); }
  // Whether the console can take more of it.
  bool has_room() const { return !shown_ || console_.has_room(stream_, worker_); }

  // Takes what is there, up to a bound, and closes at the end of the stream. True when there may be more.
  bool read_some();
  // Takes what is there and closes: whoever still holds the other end is not waited for.
  void finish();

  // The newest lines, each with its newline, oldest first.
  std::string tail() const;

 private:
  void take(std::string_view bytes);
  void take_line(std::string_view line);
  void write_file(std::string_view bytes);
  void close();

  UniqueFd pipe_;
  UniqueFd file_;
  Console& console_;
  Console::Stream stream_;
  std::size_t worker_;
  bool shown_;
  LineSplitter splitter_;
  std::deque<std::string> tail_;
};

}  // namespace lockstep::run
