#include "cli/run/code_line.h"

#include <chrono>
#include <regex>

#include "base/subprocess.h"
#include "lockstep/error.h"

namespace lockstep::run {
namespace {

using namespace std::chrono_literals;

// "train.cpp:42" with its folder, or nothing.
std::string line_at(const std::string& program, const std::string& address) {
  try {
    const auto done = run_subprocess({"addr2line", "-e", program, address}, {}, Deadline::after(5s));
    const std::string line = done.standard_output.substr(0, done.standard_output.find_first_of(" \n"));
    return done.status.ok() && line.find('?') == std::string::npos ? line : "";
  } catch (const Error&) {  // there is no such program, or it takes too long: the address has to do
    return "";
  }
}

}  // namespace

std::string with_code_line(const std::string& text) {
  static const std::regex address_text("\\(addr2line -e (.+) (0x[0-9a-f]+) has the line\\)");
  std::smatch found;
  if (!std::regex_search(text, found, address_text)) {
    return text;
  }
  const std::string line = line_at(found[1], found[2]);
  return line.empty() ? text : found.prefix().str() + "(" + line + ")" + found.suffix().str();
}

}  // namespace lockstep::run
