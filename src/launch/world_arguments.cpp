#include "launch/world_arguments.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "config/option_names.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr std::string_view kGroup = "world";

struct RankOptions {
  WorldOptions world;

  void describe(config::Description& d) { d.group(kGroup, "Ranks", world); }
};

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [text](std::string_view beginning) { return text.starts_with(beginning); });
}

// Whether the next argument is the value of this one. An unknown option takes none: it is refused separately.
bool takes_value(const config::Description& description, std::string_view argument) {
  const std::string name = config::canonical_name(argument.substr(2));
  const auto& options = description.options();
  return std::any_of(options.begin(), options.end(), [&](const config::OptionSpec& option) {
    return option.name == name && !config::is_switch(option);
  });
}

struct Division {
  std::vector<std::string> ours;
  std::vector<char*> rest;
};

// Arguments after "--" belong to the program, whatever they look like.
Division divide(const config::Description& description, int argc, char** argv) {
  Division division;
  bool ended = false;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    ended = ended || argument == "--";
    if (ended || i == 0 || !starts_with_any(argument, {"--world.", "--no-world."})) {
      division.rest.push_back(argv[i]);
      continue;
    }
    division.ours.emplace_back(argument);
    if (takes_value(description, argument) && i + 1 < argc) {
      division.ours.emplace_back(argv[++i]);
    }
  }
  return division;
}

// Other variables with that prefix may belong to options of the program.
config::Environment own_variables(const config::Environment& environment) {
  config::Environment own;
  for (const auto& [name, value] : environment) {
    if (name.starts_with("LOCKSTEP_WORLD_")) {
      own[name] = value;
    }
  }
  return own;
}

}  // namespace

WorldOptions take_world_arguments(int& argc, char** argv, const WorldOptions& defaults,
                                  const config::Environment& environment) {
  RankOptions options{defaults};
  config::Description description;
  options.describe(description);
  const Division division = divide(description, argc, argv);
  const config::LoadResult loaded =
      config::load(description, division.ours, {.name = "world"}, own_variables(environment));
  if (!loaded.problems.empty()) {
    std::string text = "options of the ranks that cannot be used:";
    for (const std::string& problem : loaded.problems) {
      text += "\n  " + problem;
    }
    throw Error(ErrorCode::kInvalidConfig, text).with_operation("join");
  }
  if (!division.ours.empty()) {
    std::copy(division.rest.begin(), division.rest.end(), argv);
    argc = static_cast<int>(division.rest.size());
    argv[argc] = nullptr;  // as main() gets it
  }
  return options.world;
}

}  // namespace lockstep
