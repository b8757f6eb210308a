#include "cli/config_diff_command.h"

#include <fmt/format.h>

#include <iostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/command.h"
#include "config/file_text.h"
#include "config/usage.h"
#include "lockstep/config.h"
#include "lockstep/error.h"

namespace lockstep::cli {
namespace {

constexpr std::size_t kLargestDump = 16 << 20;

std::string read_dump(const std::string& path) {
  auto text = config::read_text_file(path, kLargestDump);
  if (const auto* problem = std::get_if<config::Problem>(&text)) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{}: {}", path, problem->text));
  }
  return std::get<std::string>(std::move(text));
}

}  // namespace

int run_config_diff(int argc, const char* const* argv) {
  const config::Usage usage{
      .name = "lockstep config-diff",
      .about =
          "Shows in which options two runs differ. A.json and B.json hold what the programs printed for "
          "--print-config=json. Exits with 0 when there is no difference, with 1 when there are some.",
      .arguments = "A.json B.json",
      .expected = "two files",
      .fewest = 2,
      .most = 2};
  config::NoOptions options;
  std::vector<std::string> files;
  if (const auto exit_code = config::parse_usage(options, argc, argv, usage, files)) {
    return *exit_code;
  }
  const auto differences = config::diff(read_dump(files[0]), read_dump(files[1]));
  std::cout << config::to_text(differences);
  return differences.empty() ? kExitOk : kExitFound;
}

}  // namespace lockstep::cli
