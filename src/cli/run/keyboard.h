#pragma once

// What is typed on a terminal, on its way to rank 0.
//
// Workers are in process groups of their own, which may not read from the terminal: the kernel would stop them. So
// the front reads, while it is in the foreground, and writes to a pipe that rank 0 has as its standard input. Files
// and pipes need none of this and are inherited as they are.

#include <poll.h>

#include <string>

#include "base/unique_fd.h"

namespace lockstep::run {

class Keyboard {
 public:
  Keyboard();

  // After fork(): the side whose standard input becomes the pipe, and the side that feeds it.
  void become_reader();
  void become_writer();

  // What to wait for next; a negative descriptor when there is nothing.
  pollfd wants() const;
  // Does what can be done without blocking.
  void relay(short events);

 private:
  void read_typed();
  void write_held();

  Pipe pipe_;         // empty when standard input is no terminal
  std::string held_;  // typed and not yet taken
};

}  // namespace lockstep::run
