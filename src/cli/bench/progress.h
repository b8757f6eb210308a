#pragma once

// One line on standard error that shows the progress; nothing if that is not a terminal.

#include <string_view>

namespace lockstep::bench {

class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // clears the line

  void show(std::string_view line);

 private:
  bool terminal_;
};

}  // namespace lockstep::bench
