#pragma once

// Passes keyboard input from a terminal on to rank 0.
//
// Workers have their own process groups, which may not read from the terminal: the kernel would stop them. So the front
// reads, while it is in the foreground, and writes to a pipe that is rank 0's standard input. Files and pipes need none
// of this and are inherited directly.

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

  // What to poll for next; a negative descriptor if nothing.
  pollfd wants() const;
  // Does as much as possible without blocking.
  void relay(short events);

 private:
  void read_typed();
  void write_held();

  Pipe pipe_;         // empty if standard input is not a terminal
  std::string held_;  // typed but not read by rank 0 yet
};

}  // namespace lockstep::run
