#pragma once

// One line on standard error that says what is going on; nothing where that is no terminal.

#include <string_view>

namespace lockstep::bench {

class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // wipes the line

  void show(std::string_view line);

 private:
  bool terminal_;
};

}  // namespace lockstep::bench
