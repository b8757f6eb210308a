#include "launch/variable_setter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "base/process_file.h"

namespace lockstep {
namespace {

constexpr int kMaxGenerations = 64;

bool started_with(int pid, std::string_view variable) {
  const std::string entries = '\0' + read_process_file(pid, "environ");
  return entries.find(fmt::format("{}{}=", '\0', variable)) != std::string::npos;
}

}  // namespace

int find_variable_setter(std::string_view variable) {
  int pid = getppid();
  for (int generation = 0; generation < kMaxGenerations && pid > 0 && started_with(pid, variable);
       ++generation) {
    pid = parent_of(pid);
  }
  return pid;
}

}  // namespace lockstep
