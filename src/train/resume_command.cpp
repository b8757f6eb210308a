#include "train/resume_command.h"

#include <string_view>
#include <vector>

#include "job/launch_command.h"

namespace lockstep::train {
namespace {

constexpr std::string_view kFlag = "--resume";

// Without `--resume X` and `--resume=X`.
std::vector<std::string> without_resume(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == kFlag) {
      ++i;
    } else if (words[i].substr(0, kFlag.size() + 1) != std::string(kFlag) + "=") {
      kept.push_back(words[i]);
    }
  }
  return kept;
}

}  // namespace

std::string resume_command(int argc, const char* const* argv, const std::filesystem::path& run) {
  std::vector<std::string> words = without_resume({argv, argv + argc});
  words.insert(words.end(), {std::string(kFlag), run.string()});
  const std::string launcher = launch_command();
  return launcher.empty() ? shell_text(words) : launcher + " " + shell_text(words);
}

}  // namespace lockstep::train
