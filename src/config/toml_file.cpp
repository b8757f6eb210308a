#include "config/toml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <toml.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "config/file_text.h"
#include "config/near_miss.h"
#include "config/option_names.h"
#include "config/printable.h"
#include "config/toml_complaint.h"
#include "config/toml_nesting.h"
#include "config/value_text.h"

namespace lockstep::config {
namespace {

using TomlValue = toml::basic_value<toml::discard_comments, std::map, std::vector>;

// No options file is this large or this deep; toml11 takes quadratic time and one stack frame per level.
constexpr std::size_t kLargestFile = std::size_t{256} << 10;
constexpr std::size_t kDeepestTable = 64;

// A key of the file with its full name: a value, or a table that is not a known group.
struct TomlEntry {
  std::string name;
  const TomlValue* value = nullptr;
  std::size_t line = 0;
};

std::size_t line_of(const TomlValue& value) {
  return value.location().line();
}

// A number as spelled in the file. toml11's own conversion turns numbers that do not fit into the largest one.
std::string literal(const TomlValue& value) {
  const toml::source_location place = value.location();
  return place.line_str().substr(place.column() - 1, place.region());
}

std::string_view kind_of(const TomlValue& value) {
  switch (value.type()) {
    case toml::value_t::boolean:
      return "a boolean";
    case toml::value_t::integer:
      return "an integer";
    case toml::value_t::floating:
      return "a float";
    case toml::value_t::string:
      return "a string";
    case toml::value_t::array:
      return "an array";
    case toml::value_t::table:
      return "a table";
    case toml::value_t::empty:
      return "nothing";
    default:
      return "a date or time";
  }
}

std::string_view expected_kind(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return "true or false";
    case Kind::kInteger:
      return "an integer";
    case Kind::kFloat:
      return "a number";
    case Kind::kByteSize:
      return "a string such as \"64MiB\" or an integer";
    case Kind::kDuration:
      return "a string such as \"200ms\"";
    case Kind::kText:
    case Kind::kPath:
    case Kind::kEnum:
      break;
  }
  return "a string";
}

bool is_accepted(Kind kind, toml::value_t type) {
  switch (kind) {
    case Kind::kBool:
      return type == toml::value_t::boolean;
    case Kind::kInteger:
      return type == toml::value_t::integer;
    case Kind::kFloat:
      return type == toml::value_t::floating || type == toml::value_t::integer;
    case Kind::kByteSize:
      return type == toml::value_t::string || type == toml::value_t::integer;
    case Kind::kText:
    case Kind::kPath:
    case Kind::kDuration:
    case Kind::kEnum:
      break;
  }
  return type == toml::value_t::string;
}

Problem wrong_type(std::string_view expected, const TomlValue& value) {
  return {fmt::format("expects {}, not {}", expected, kind_of(value))};
}

Checked<Scalar> convert_scalar(const OptionSpec& option, const TomlValue& value) {
  if (!is_accepted(option.type.kind, value.type())) {
    return wrong_type(expected_kind(option.type.kind), value);
  }
  if (value.is_string()) {
    return parse_scalar(option, value.as_string().str);
  }
  if (value.is_boolean()) {
    return parse_scalar(option, value.as_boolean() ? "true" : "false");
  }
  return parse_scalar(option, literal(value));
}

class TomlReader {
 public:
  TomlReader(const Description& description, const std::string& path)
      : description_(description), path_(path) {}

  void read(const TomlValue& root) {
    flatten(root, "");
    // toml11 sorts tables by key; people read from the top.
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const TomlEntry& a, const TomlEntry& b) { return a.line < b.line; });
    for (const TomlEntry& entry : entries_) {
      read_entry(entry);
    }
  }

  void add_problem(std::size_t line, std::string_view text) {
    findings_.problems.push_back(fmt::format("{}:{}: {}", printable(path_), line, text));
  }

  Findings take_findings() { return std::move(findings_); }

 private:
  bool is_group(std::string_view name) const {
    const auto& groups = description_.groups();
    return std::any_of(groups.begin(), groups.end(),
                       [name](const GroupSpec& group) { return group.name == name; });
  }

  const OptionSpec* find_option(std::string_view name) const {
    const auto& options = description_.options();
    const auto found = std::find_if(options.begin(), options.end(),
                                    [name](const OptionSpec& spec) { return spec.name == name; });
    return found != options.end() ? &*found : nullptr;
  }

  void flatten(const TomlValue& table, const std::string& prefix) {
    for (const auto& [key, value] : table.as_table()) {
      const std::string name = prefix + canonical_name(key);
      if (value.is_table() && is_group(name)) {
        flatten(value, name + ".");
      } else {
        entries_.push_back({name, &value, line_of(value)});
      }
    }
  }

  void read_entry(const TomlEntry& entry) {
    const OptionSpec* option = find_option(entry.name);
    if (option == nullptr) {
      report_unknown(entry);
      return;
    }
    const auto [first, is_first] = lines_.emplace(entry.name, entry.line);
    if (!is_first) {
      add_problem(entry.line, fmt::format("{}: set twice, first in line {}", entry.name, first->second));
      return;
    }
    auto value = convert(*option, entry);
    if (value) {
      findings_.settings.push_back({option->name, std::move(*value), Source::kFile,
                                    fmt::format("{}:{}", printable(path_), entry.line)});
    }
  }

  void report_unknown(const TomlEntry& entry) {
    if (is_group(entry.name)) {
      add_problem(entry.line,
                  fmt::format("{}: a group of options, written as a table [{}]", entry.name, entry.name));
      return;
    }
    std::vector<std::string> known;
    for (const OptionSpec& option : description_.options()) {
      known.push_back(option.name);
    }
    for (const GroupSpec& group : description_.groups()) {
      known.push_back(group.name);
    }
    add_problem(entry.line, fmt::format("unknown key {}{}", in_quotes(entry.name),
                                        suggestion(nearest_dotted_name(entry.name, known))));
  }

  // Nothing if there was a problem. Every bad element of a list is a problem, on its own line.
  std::optional<Value> convert(const OptionSpec& option, const TomlEntry& entry) {
    const TomlValue& value = *entry.value;
    if (option.type.arity == Arity::kList) {
      return convert_list(option, entry);
    }
    if (option.type.arity == Arity::kOptional && value.is_string() && value.as_string().str == kNoneText) {
      return Value();
    }
    auto scalar = keep(option, entry.line, convert_scalar(option, value));
    return scalar ? std::optional<Value>(std::move(*scalar)) : std::nullopt;
  }

  std::optional<Value> convert_list(const OptionSpec& option, const TomlEntry& entry) {
    if (!entry.value->is_array()) {
      add_problem(entry.line, fmt::format("{}: {}", option.name, wrong_type("an array", *entry.value).text));
      return std::nullopt;
    }
    std::vector<Scalar> list;
    const auto& elements = entry.value->as_array();
    for (const TomlValue& element : elements) {
      if (auto scalar = keep(option, line_of(element), convert_scalar(option, element))) {
        list.push_back(std::move(*scalar));
      }
    }
    return list.size() == elements.size() ? std::optional<Value>(std::move(list)) : std::nullopt;
  }

  std::optional<Scalar> keep(const OptionSpec& option, std::size_t line, Checked<Scalar> checked) {
    if (const auto* problem = std::get_if<Problem>(&checked)) {
      add_problem(line, fmt::format("{}: {}", option.name, problem->text));
      return std::nullopt;
    }
    return std::get<Scalar>(std::move(checked));
  }

  const Description& description_;
  const std::string& path_;
  Findings findings_;
  std::vector<TomlEntry> entries_;
  std::map<std::string, std::size_t> lines_;  // where each option was first set
};

std::size_t line_at(std::string_view text, std::size_t position) {
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

}  // namespace

Findings read_toml(const Description& description, const std::string& path, const std::string& text) {
  TomlReader reader(description, path);
  // toml11 reads past its buffer on invalid UTF-8 and overflows the stack on deep nesting.
  if (const std::size_t valid = utf8_prefix(text); valid != text.size()) {
    reader.add_problem(line_at(text, valid), "not valid UTF-8");
    return reader.take_findings();
  }
  if (const auto line = line_nested_beyond(text, kDeepestTable)) {
    reader.add_problem(*line, fmt::format("nested deeper than {} levels", kDeepestTable));
    return reader.take_findings();
  }
  try {
    std::istringstream stream(text);
    reader.read(toml::parse<toml::discard_comments, std::map, std::vector>(stream, path));
  } catch (const toml::exception& error) {
    reader.add_problem(error.location().line(), "not valid TOML: " + toml_complaint(error.what()));
  }
  return reader.take_findings();
}

Findings read_toml_file(const Description& description, const std::string& path) {
  const auto text = read_text_file(path, kLargestFile);
  if (const auto* problem = std::get_if<Problem>(&text)) {
    Findings findings;
    findings.problems.push_back(printable(path) + ": " + problem->text);
    return findings;
  }
  return read_toml(description, path, std::get<std::string>(text));
}

}  // namespace lockstep::config
