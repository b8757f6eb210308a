#include "config/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/option_names.h"
#include "config/value_text.h"

namespace lockstep::config {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kWidestFlags = 34;  // longer ones get their own line
constexpr std::string_view kIndent = "  ";

// One entry of the list: the flags on the left, paragraphs on the right.
struct HelpEntry {
  std::string flags;
  std::vector<std::string> paragraphs;
};

struct Section {
  std::string title;
  std::vector<HelpEntry> entries;
};

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines.push_back(std::exchange(line, ""));
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  if (!line.empty()) {
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string_view placeholder(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return "BOOL";
    case Kind::kInteger:
      return "INTEGER";
    case Kind::kFloat:
      return "NUMBER";
    case Kind::kPath:
      return "PATH";
    case Kind::kDuration:
      return "DURATION";
    case Kind::kByteSize:
      return "SIZE";
    case Kind::kText:
      return "TEXT";
    case Kind::kEnum:
      return "CHOICE";
  }
  return "VALUE";
}

// "  -n, --workers INTEGER", "      --optim.[no-]nesterov"
std::string flags_text(const OptionSpec& option) {
  const std::string start = option.alias != '\0' ? fmt::format("-{}, --", option.alias) : "    --";
  if (is_switch(option)) {
    const std::size_t last = option.name.rfind('.') + 1;  // 0 if there is no dot
    return fmt::format("{}{}[no-]{}", start, option.name.substr(0, last), option.name.substr(last));
  }
  const std::string_view kind = option.choices.empty() ? placeholder(option.type.kind) : "CHOICE";
  return fmt::format("{}{} {}{}", start, option.name, kind, option.type.arity == Arity::kList ? ",..." : "");
}

std::string default_text(const OptionSpec& option) {
  if (option.required) {
    return "required";
  }
  const Value value = option.current();
  std::string text = to_text(value);
  if (text.empty()) {
    text = "empty";
  } else if (!option.unit.empty() && !std::holds_alternative<std::monostate>(value)) {
    text += " " + option.unit;
  }
  return "default " + text;
}

// "default 32 samples; from 1 to 1048576; LOCKSTEP_BATCH_SIZE"
std::string facts_text(const OptionSpec& option, std::string_view env_prefix) {
  std::vector<std::string> facts = {default_text(option)};
  if (!option.choices.empty()) {
    facts.insert(facts.begin(), "one of " + choices_text(option));
  }
  if (option.range) {
    facts.push_back(fmt::format("from {} to {}", to_text(option.range->low), to_text(option.range->high)));
  }
  if (!env_prefix.empty()) {
    facts.push_back(variable_name(env_prefix, option.name));
  }
  return fmt::format("{}", fmt::join(facts, "; "));
}

std::string heading(const GroupSpec& group) {
  return group.name.empty() ? group.title : fmt::format("{} ({})", group.title, group.name);
}

std::vector<Section> option_sections(const Description& description, std::string_view env_prefix) {
  std::vector<Section> sections;
  for (const GroupSpec& group : description.groups()) {
    sections.push_back({heading(group), {}});
  }
  for (const OptionSpec& option : description.options()) {
    sections[option.group].entries.push_back(
        {flags_text(option), {option.help, facts_text(option, env_prefix)}});
  }
  return sections;
}

Section general_section(const ProgramInfo& program) {
  const std::string instead =
      program.env_prefix.empty()
          ? ""
          : fmt::format("; instead of {}", variable_name(program.env_prefix, kConfigFlag));
  return {
      "General",
      {{fmt::format("    --{} FILE", kConfigFlag),
        {fmt::format("read options from a TOML file; may be given again, the later file wins{}", instead)}},
       {fmt::format("    --{}[=json]", kPrintConfigFlag),
        {"print every option with its value and where it came from, as a file for --config or as JSON, and "
         "exit"}},
       {fmt::format("-{}, --{}", kHelpAlias, kHelpFlag), {"print this text and exit"}}}};
}

std::size_t flags_width(const std::vector<Section>& sections) {
  std::size_t width = 0;
  for (const Section& section : sections) {
    for (const HelpEntry& entry : section.entries) {
      if (entry.flags.size() <= kWidestFlags) {
        width = std::max(width, entry.flags.size());
      }
    }
  }
  return width;
}

void append_entry(std::string& text, const HelpEntry& entry, std::size_t width) {
  const std::size_t column = 2 * kIndent.size() + width;
  std::vector<std::string> lines;
  for (const std::string& paragraph : entry.paragraphs) {
    for (std::string& line : wrap(paragraph, kWidth - column)) {
      lines.push_back(std::move(line));
    }
  }
  std::string left = entry.flags;
  if (left.size() > width) {
    text += fmt::format("{}{}\n", kIndent, std::exchange(left, ""));
  }
  for (const std::string& line : lines) {
    text += fmt::format("{}{:<{}}{}{}\n", kIndent, std::exchange(left, ""), width, kIndent, line);
  }
}

std::string usage_text(const ProgramInfo& program) {
  std::string text = fmt::format("Usage: {} [OPTION]...", program.name);
  if (program.positionals != Positionals::kNone) {
    text += " " + (program.positional_usage.empty() ? "[ARGUMENT]..." : program.positional_usage);
  }
  return text + "\n";
}

std::string sources_text(const ProgramInfo& program) {
  return program.env_prefix.empty() ? "A flag overrides the file, which overrides the default."
                                    : "A flag overrides the environment variable shown with it, which "
                                      "overrides the file, which overrides "
                                      "the default.";
}

}  // namespace

std::string help_text(const Description& description, const ProgramInfo& program) {
  std::string text = usage_text(program);
  if (!program.about.empty()) {
    text += fmt::format("\n{}\n", fmt::join(wrap(program.about, kWidth), "\n"));
  }
  std::vector<Section> sections = option_sections(description, program.env_prefix);
  sections.push_back(general_section(program));
  const std::size_t width = flags_width(sections);
  for (const Section& section : sections) {
    if (!section.entries.empty()) {
      text += fmt::format("\n{}:\n", section.title);
      for (const HelpEntry& entry : section.entries) {
        append_entry(text, entry, width);
      }
    }
  }
  return text + fmt::format("\n{}\n", fmt::join(wrap(sources_text(program), kWidth), "\n"));
}

}  // namespace lockstep::config
