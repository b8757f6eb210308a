#include "config/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "config/near_miss.h"
#include "config/option_names.h"
#include "config/printable.h"
#include "config/value_text.h"

namespace lockstep::config {
namespace {

// Represents a missing value. No process argument can contain a zero byte.
const std::string kMissing(1, '\0');

std::string_view flag_name(std::string_view token) {
  return token.substr(0, token.find('='));
}

bool has_value(std::string_view token) {
  return token.find('=') != std::string_view::npos;
}

// -3, -.5 and -inf: values rather than bundles of one-letter flags.
bool is_negative_number(std::string_view token) {
  return token.size() > 1 && token[0] == '-' &&
         ((token[1] >= '0' && token[1] <= '9') || token[1] == '.' || token == "-inf");
}

// Whether CLI11 takes it for a flag, known or not.
bool is_flag(std::string_view token) {
  const std::size_t dashes = token.starts_with("--") ? 2 : 1;
  if (!token.starts_with('-') || token.size() == dashes) {
    return false;
  }
  const char first = token[dashes];
  const bool is_digit = first >= '0' && first <= '9';
  return std::string_view("-! \n").find(first) == std::string_view::npos && (dashes == 2 || !is_digit);
}

// An argument in the spelling that CLI11 knows, and its position.
struct Token {
  std::string text;
  std::size_t argument = 0;
};

class CommandLineReader {
 public:
  CommandLineReader(const Description& description, const std::vector<std::string>& arguments)
      : description_(description), arguments_(arguments) {}

  CommandLine read(Positionals policy) {
    declare_flags(policy);
    spell();
    parse();
    collect_values();
    collect_remaining(policy);
    return std::move(result_);
  }

 private:
  void declare_flags(Positionals policy);
  CLI::Option* declare_value(const std::string& flags);
  void spell();
  void spell_flag(const std::string& argument, std::size_t at);
  const OptionSpec* alias_with_value(std::string_view argument) const;
  bool belongs_to_previous(std::string_view argument) const;
  const OptionSpec* find_option(std::string_view token) const;
  void parse();

  void collect_values();
  void collect_value(const CLI::Option* flag, const std::string& text);
  void collect_print_config(const std::string& text);
  void collect_remaining(Positionals policy);
  void report_unknown_flag(std::string_view token);
  void report_stray(const std::string& text, const std::string& previous);
  void collect_leftover(const std::string& text, const std::string& previous, Positionals policy);
  void add_problem(std::string_view label, std::string_view text) {
    result_.findings.problems.push_back(fmt::format("{}: {}", label, text));
  }

  const Description& description_;
  const std::vector<std::string>& arguments_;
  CLI::App app_;
  CLI::Option* help_ = nullptr;
  CLI::Option* config_ = nullptr;
  CLI::Option* print_config_ = nullptr;
  std::map<const CLI::Option*, const OptionSpec*> options_;
  std::vector<Token> tokens_;
  std::size_t after_mark_ = 0;  // the first argument after "--", or one past the last
  CommandLine result_;
};

// Any number of values, each of which may be missing.
CLI::Option* CommandLineReader::declare_value(const std::string& flags) {
  return app_.add_option(flags)->expected(0, 1)->default_str(kMissing)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
}

void CommandLineReader::declare_flags(Positionals policy) {
  app_.set_help_flag();
  app_.allow_extras();
  app_.prefix_command(policy == Positionals::kPassThrough);
  auto declare_switch = [this](const std::string& flags) {
    return app_.add_flag(flags)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  help_ = declare_switch(fmt::format("--{},-{}", kHelpFlag, kHelpAlias));
  config_ = declare_value(fmt::format("--{}", kConfigFlag));
  print_config_ = declare_switch(fmt::format("--{}", kPrintConfigFlag));
  for (const OptionSpec& option : description_.options()) {
    std::string flags = "--" + option.name;
    if (option.alias != '\0') {
      flags += std::string(",-") + option.alias;
    }
    for (const std::string& off : off_flags(option)) {
      flags += ",!--" + off;
    }
    options_.emplace(is_switch(option) ? declare_switch(flags) : declare_value(flags), &option);
  }
}

// Normalises spellings that CLI11 would distinguish or misread. CLI11 never sees arguments after "--": it would take
// the mark for the end of an option's values.
void CommandLineReader::spell() {
  const auto mark = std::find(arguments_.begin(), arguments_.end(), "--");
  const auto end = static_cast<std::size_t>(mark - arguments_.begin());
  after_mark_ = std::min(end + 1, arguments_.size());
  for (std::size_t at = 0; at < end; ++at) {
    const std::string& argument = arguments_[at];
    if (argument.starts_with("--")) {
      spell_flag(argument, at);
    } else if (const OptionSpec* option = alias_with_value(argument)) {
      spell_flag("--" + option->name + argument.substr(2), at);
    } else if (belongs_to_previous(argument)) {
      std::string& flag = tokens_.back().text;
      flag += (flag.starts_with("--") ? "=" : "") + argument;
    } else {
      tokens_.push_back({argument, at});
    }
  }
}

void CommandLineReader::spell_flag(const std::string& argument, std::size_t at) {
  const std::string_view typed = flag_name(argument);
  const std::string name = canonical_name(typed);
  const std::string_view value = std::string_view(argument).substr(typed.size());
  if (value == "=") {  // an empty value, which CLI11 would treat as none
    tokens_.push_back({name, at});
    tokens_.push_back({"", at});
  } else {
    tokens_.push_back({name + std::string(value), at});
  }
}

// The option of -n=4, which CLI11 would read as the value "=4".
const OptionSpec* CommandLineReader::alias_with_value(std::string_view argument) const {
  const bool has_its_form = argument.size() > 2 && argument[0] == '-' && argument[2] == '=';
  return has_its_form ? find_option(argument) : nullptr;
}

// A negative number right after a flag that takes a value.
bool CommandLineReader::belongs_to_previous(std::string_view argument) const {
  if (tokens_.empty() || !is_negative_number(argument)) {
    return false;
  }
  const std::string& previous = tokens_.back().text;
  const OptionSpec* option = is_flag(previous) && !has_value(previous) ? find_option(previous) : nullptr;
  return option != nullptr && !is_switch(*option);
}

const OptionSpec* CommandLineReader::find_option(std::string_view token) const {
  const CLI::Option* flag = app_.get_option_no_throw(std::string(flag_name(token)));
  const auto found = options_.find(flag);
  return found != options_.end() ? found->second : nullptr;
}

void CommandLineReader::parse() {
  std::vector<std::string> texts;
  for (const Token& token : tokens_) {
    texts.push_back(token.text);
  }
  std::reverse(texts.begin(), texts.end());  // CLI11 takes them from the back
  app_.parse(std::move(texts));
}

// In the order of the command line, so that the last of repeated flags wins. Each entry of CLI11's order stands for the
// next result of its option.
void CommandLineReader::collect_values() {
  std::map<const CLI::Option*, std::size_t> next;
  for (const CLI::Option* flag : app_.parse_order()) {
    collect_value(flag, flag->results().at(next[flag]++));
  }
}

void CommandLineReader::collect_value(const CLI::Option* flag, const std::string& text) {
  if (flag == help_) {
    result_.help = true;
  } else if (flag == print_config_) {
    collect_print_config(text);
  } else if (flag == config_) {
    if (text == kMissing || text.empty()) {
      add_problem(fmt::format("--{}", kConfigFlag), "needs the path of a TOML file");
    } else {
      result_.config_files.push_back(text);
    }
  } else {
    const OptionSpec& option = *options_.at(flag);
    const std::string label = "--" + option.name;
    if (text == kMissing) {
      add_problem(label, "needs a value");
    } else {
      result_.findings.add(option.name, parse_value(option, text), Source::kFlag, label);
    }
  }
}

void CommandLineReader::collect_print_config(const std::string& text) {
  const bool is_alone = text == "true";  // what CLI11 gives a flag without a value
  if (is_alone || text == "toml" || text == "json") {
    result_.print_config = is_alone ? "toml" : text;
  } else {
    add_problem(fmt::format("--{}", kPrintConfigFlag), in_quotes(text) + " is neither toml nor json");
  }
}

// CLI11 returns the arguments that it could not place in order: unknown flags and arguments that belong to no flag.
void CommandLineReader::collect_remaining(Positionals policy) {
  const std::vector<std::string> remaining = app_.remaining();
  auto next = tokens_.begin();  // after the last one found
  for (std::size_t i = 0; i < remaining.size(); ++i) {
    if (policy == Positionals::kPassThrough && !is_flag(remaining[i])) {
      // The tokens at the end that CLI11 did not touch, as they were typed and with their "--", if any.
      after_mark_ = tokens_[tokens_.size() - (remaining.size() - i)].argument;
      break;
    }
    auto is_same = [&](const Token& token) { return token.text == remaining[i]; };
    const auto found = std::find_if(next, tokens_.end(), is_same);  // not found: the rest of a bundle -abc
    const bool has_previous = found != tokens_.end() && found != tokens_.begin();
    collect_leftover(remaining[i], has_previous ? std::prev(found)->text : "", policy);
    next = found != tokens_.end() ? std::next(found) : next;
  }
  for (std::size_t at = after_mark_; at < arguments_.size(); ++at) {
    if (policy == Positionals::kNone) {
      add_problem(in_quotes(arguments_[at]), "unexpected argument");
    } else {
      result_.positionals.push_back(arguments_[at]);
    }
  }
}

void CommandLineReader::collect_leftover(const std::string& text, const std::string& previous,
                                         Positionals policy) {
  if (is_flag(text)) {
    report_unknown_flag(text);
  } else if (policy == Positionals::kNone) {
    report_stray(text, previous);
  } else {
    result_.positionals.push_back(text);
  }
}

void CommandLineReader::report_unknown_flag(std::string_view token) {
  std::vector<std::string> known = {std::string(kHelpFlag), std::string(kConfigFlag),
                                    std::string(kPrintConfigFlag)};
  for (const OptionSpec& option : description_.options()) {
    known.push_back(option.name);
    for (std::string& off : off_flags(option)) {
      known.push_back(std::move(off));
    }
  }
  const std::string_view flag = flag_name(token);
  auto nearest = nearest_dotted_name(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())), known);
  if (nearest) {
    nearest->insert(0, "--");
  }
  add_problem(printable(flag), "unknown flag" + suggestion(nearest));
}

void CommandLineReader::report_stray(const std::string& text, const std::string& previous) {
  const bool follows_flag = is_flag(previous) && !has_value(previous);
  const OptionSpec* option = follows_flag ? find_option(previous) : nullptr;
  if (follows_flag && app_.get_option_no_throw(previous) == nullptr) {
    return;  // most likely the value of an unknown flag, which is a separate problem
  }
  std::string reason = "unexpected argument";
  if (option != nullptr && is_switch(*option)) {
    reason += fmt::format("; a value for --{0} is written --{0}=false", option->name);
  }
  add_problem(in_quotes(text), reason);
}

}  // namespace

CommandLine read_command_line(const Description& description, const std::vector<std::string>& arguments,
                              Positionals policy) {
  return CommandLineReader(description, arguments).read(policy);
}

}  // namespace lockstep::config
