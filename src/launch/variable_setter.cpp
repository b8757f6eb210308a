#include "launch/variable_setter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace lockstep {
namespace {

constexpr int kMaxGenerations = 64;

// Empty when it cannot be read.
std::string read_process_file(int pid, std::string_view name) {
  std::ifstream file(fmt::format("/proc/{}/{}", pid, name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool started_with(int pid, std::string_view variable) {
  const std::string entries = '\0' + read_process_file(pid, "environ");
  return entries.find(fmt::format("{}{}=", '\0', variable)) != std::string::npos;
}

// The name of the program comes before it and may hold anything, brackets and spaces included.
int parent_of(int pid) {
  const std::string stat = read_process_file(pid, "stat");
  const std::size_t state = stat.rfind(')') + 2;  // then a letter, a space and the parent
  int parent = 0;
  if (state + 2 < stat.size()) {
    std::from_chars(stat.data() + state + 2, stat.data() + stat.size(), parent);
  }
  return parent;
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
