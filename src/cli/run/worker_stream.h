#pragma once

// One output stream of a worker: read from its pipe, and copied to its file, to the console, and to the last lines that
// a report shows.

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
  // `file` may be empty. If `shown` is false, nothing goes to the console.
  WorkerStream(UniqueFd pipe, UniqueFd file, Console& console, Console::Stream stream, std::size_t worker,
               bool shown);

  bool is_open() const { return static_cast<bool>(pipe_); }
  int fd() const { return pipe_.get(); }
  // Whether the console has room for more of it.
  bool has_room() const { return !shown_ || console_.has_room(stream_, worker_); }

  // Reads what is available, up to a limit, and closes at the end of the stream. Returns true if there may be more.
  bool read_some();
  // Reads what is available and closes, without waiting for other processes that hold the pipe open.
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
