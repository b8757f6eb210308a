// load() combines the sources; parse_command_line() prints the result.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include "config/command_line.h"
#include "config/environment.h"
#include "config/help.h"
#include "config/option_names.h"
#include "config/settings_toml.h"
#include "config/toml_file.h"
#include "lockstep/config.h"
#include "lockstep/error.h"

namespace lockstep::config {
namespace {

std::vector<std::string> config_files(const CommandLine& line, const ProgramInfo& program,
                                      const Environment& environment) {
  if (!line.config_files.empty() || program.env_prefix.empty()) {
    return line.config_files;
  }
  const auto found = environment.find(variable_name(program.env_prefix, kConfigFlag));
  const bool names_a_file = found != environment.end() && !found->second.empty();
  return names_a_file ? std::vector{found->second} : std::vector<std::string>{};
}

Settings default_settings(const Description& description, const std::string& program) {
  Settings settings{program, {}};
  for (const OptionSpec& option : description.options()) {
    settings.values.push_back({option.name, option.current(), Source::kDefault, ""});
  }
  return settings;
}

void override_with(const std::vector<Setting>& overriding, Settings& settings) {
  for (const Setting& next : overriding) {
    auto is_same = [&next](const Setting& setting) { return setting.name == next.name; };
    *std::find_if(settings.values.begin(), settings.values.end(), is_same) = next;
  }
}

std::vector<std::string> missing_options(const Description& description, const Settings& settings,
                                         std::string_view env_prefix) {
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < settings.values.size(); ++i) {
    const OptionSpec& option = description.options()[i];
    if (option.required && settings.values[i].source == Source::kDefault) {
      const std::string variable =
          env_prefix.empty() ? "" : fmt::format(", set {}", variable_name(env_prefix, option.name));
      problems.push_back(fmt::format("--{0}: required; give this flag{1} or put '{0}' into a --config file",
                                     option.name, variable));
    }
  }
  return problems;
}

void append(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

void report(const Findings& findings, LoadResult& result) {
  append(result.problems, findings.problems);
  append(result.warnings, findings.warnings);
}

// Does not touch fields that no source mentions.
void assign(const Description& description, const Settings& settings) {
  for (std::size_t i = 0; i < settings.values.size(); ++i) {
    if (settings.values[i].source != Source::kDefault) {
      description.options()[i].set(settings.values[i].value);
    }
  }
}

std::string problem_report(const std::vector<std::string>& problems, std::string_view program) {
  std::string text = fmt::format("{}: {} problem{}, nothing was run:\n", program, problems.size(),
                                 problems.size() == 1 ? "" : "s");
  for (const std::string& problem : problems) {
    text += fmt::format("  {}\n", problem);
  }
  return text + fmt::format("run '{} --{}' for the list of options\n", program, kHelpFlag);
}

}  // namespace

LoadResult load(Description& description, const std::vector<std::string>& arguments,
                const ProgramInfo& program, const Environment& environment) {
  description.validate();
  CommandLine line = read_command_line(description, arguments, program.positionals);
  LoadResult result;
  result.settings = default_settings(description, program.name);
  if (line.help) {
    result.output = help_text(description, program);
    return result;
  }

  std::vector<Findings> files;
  for (const std::string& file : config_files(line, program, environment)) {
    files.push_back(read_toml_file(description, file));
    override_with(files.back().settings, result.settings);
  }
  const Findings variables = read_environment(description, program.env_prefix, environment);
  override_with(variables.settings, result.settings);
  override_with(line.findings.settings, result.settings);

  // The command line comes first.
  report(line.findings, result);
  report(variables, result);
  for (const Findings& file : files) {
    report(file, result);
  }
  append(result.problems, missing_options(description, result.settings, program.env_prefix));

  result.positionals = std::move(line.positionals);
  if (result.problems.empty() && line.print_config) {
    result.output =
        *line.print_config == "json" ? to_json(result.settings) : to_toml(description, result.settings);
  }
  if (result.ready()) {
    assign(description, result.settings);
  }
  return result;
}

std::optional<int> present(const LoadResult& result, std::string_view program) {
  for (const std::string& warning : result.warnings) {
    std::cerr << program << ": warning: " << warning << '\n';
  }
  if (!result.problems.empty()) {
    std::cerr << problem_report(result.problems, program) << std::flush;
    return kUsageExitCode;
  }
  if (!result.output.empty()) {
    std::cout << result.output << std::flush;
    return 0;
  }
  return std::nullopt;
}

std::optional<int> parse_command_line(Description& description, int argc, const char* const* argv,
                                      ProgramInfo program, std::vector<std::string>* positionals) {
  if (program.positionals != Positionals::kNone && positionals == nullptr) {
    throw Error(ErrorCode::kInternal, "a program that takes positional arguments has to say where they go");
  }
  if (program.name.empty() && argc > 0) {
    program.name = std::filesystem::path(argv[0]).filename().string();
  }
  LoadResult result =
      load(description, std::vector<std::string>(argv + std::min(argc, 1), argv + argc), program);
  const std::optional<int> exit_code = present(result, program.name);
  if (!exit_code && positionals != nullptr) {
    *positionals = std::move(result.positionals);
  }
  return exit_code;
}

}  // namespace lockstep::config
