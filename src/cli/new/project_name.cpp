#include "cli/new/project_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep::cli {
namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
char upper(char c) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
}

bool is_reserved(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kTargets = {
      "all",     "build", "clean", "data",    "depend",     "edit_cache",    "help",
      "install", "lib",   "main",  "package", "preinstall", "rebuild_cache", "test"};
  return std::find(kTargets.begin(), kTargets.end(), name) != kTargets.end();
}

void require_valid(const std::string& name) {
  const bool well_formed =
      !name.empty() && is_letter(name[0]) &&
      std::all_of(name.begin(), name.end(), [](char c) { return is_word(c) || c == '-'; });
  if (!well_formed) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("'{}' cannot name a project: use letters, digits, '_' and '-', and begin with a "
                            "letter",
                            config::printable(name)));
  }
  if (is_reserved(name)) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("'{}' cannot name a project: its build has a target or folder of that name", name));
  }
}

enum class End { kWord, kOpen };

// `end` says whether the match must be a whole word or may be the beginning of one.
void replace(std::string& text, std::string_view from, std::string_view to, End end) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    const std::size_t behind = at + from.size();
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const bool ends = end == End::kOpen || behind == text.size() || !is_word(text[behind]);
    if (begins && ends) {
      text.replace(at, from.size(), to);
      at += to.size();
    } else {
      at = behind;
    }
  }
}

}  // namespace

ProjectName::ProjectName(std::string name) : name_(std::move(name)) {
  require_valid(name_);
}

std::string ProjectName::type() const {
  std::string type;
  bool begins_word = true;
  for (const char c : name_) {
    if (c == '_' || c == '-') {
      begins_word = true;
    } else {
      type += begins_word ? upper(c) : c;
      begins_word = false;
    }
  }
  return type;
}

std::string ProjectName::macro() const {
  std::string macro;
  for (const char c : name_) {
    macro += c == '-' ? '_' : upper(c);
  }
  return macro;
}

std::string renamed(std::string_view text, const ProjectName& from, const ProjectName& to) {
  std::string result(text);
  replace(result, from.macro(), to.macro(), End::kOpen);
  replace(result, from.type(), to.type(), End::kOpen);
  replace(result, from.target(), to.target(), End::kWord);
  return result;
}

}  // namespace lockstep::cli
