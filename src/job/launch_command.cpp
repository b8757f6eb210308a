#include "job/launch_command.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>

namespace lockstep {
namespace {

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_-./=:,@%+").find(c) != std::string_view::npos;
}

std::string quoted(const std::string& word) {
  bool plain = !word.empty();
  std::string text = "'";
  for (const char c : word) {
    plain = plain && is_plain(c);
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return plain ? word : text + "'";
}

}  // namespace

std::string launch_command() {
  const char* command = std::getenv(std::string(kLaunchVariable).c_str());
  return command == nullptr ? "" : command;
}

std::vector<std::string> own_command(std::size_t count) {
  std::vector<std::string> words;
  std::ifstream file("/proc/self/cmdline");
  for (std::string word; std::getline(file, word, '\0');) {
    words.push_back(word);
  }
  words.resize(words.size() - std::min(count, words.size()));
  return words;
}

std::string shell_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + quoted(word);
  }
  return text;
}

}  // namespace lockstep
