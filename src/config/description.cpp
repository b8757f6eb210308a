#include "lockstep/config_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "config/option_names.h"
#include "config/printable.h"
#include "config/value_text.h"
#include "lockstep/error.h"

namespace lockstep::config {
namespace {

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

// Only one spelling, so that every name has one flag, one key and one variable.
bool is_well_formed(std::string_view name) {
  if (name.empty() || !is_letter(name.front()) || name.back() == '-' ||
      name.find("--") != std::string_view::npos) {
    return false;
  }
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

void check_name(std::string_view kind, std::string_view name) {
  if (!is_well_formed(name)) {
    throw Error(
        ErrorCode::kInternal,
        fmt::format("{} '{}': a name starts with a lower-case letter and has only those, digits and single "
                    "dashes between them",
                    kind, name));
  }
}

// Help, units and titles become parts of lines and comments.
void check_one_line(std::string_view name, std::string_view text) {
  const bool has_control = std::any_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; });
  if (has_control || !is_utf8(text)) {
    throw Error(ErrorCode::kInternal,
                fmt::format("'{}': a help text, unit or title is one line of UTF-8", name));
  }
}

// Names that only one option may have, and the options that have them.
class Owners {
 public:
  void claim(const std::string& name, std::string_view option) {
    const auto [owner, is_free] = owners_.emplace(name, option);
    if (!is_free) {
      throw Error(ErrorCode::kInternal,
                  fmt::format("option '{}': {} already belongs to '{}'", option, name, owner->second));
    }
  }

 private:
  std::map<std::string, std::string> owners_;
};

void claim_names(const OptionSpec& spec, Owners& owners) {
  owners.claim("--" + spec.name, spec.name);
  for (const std::string& flag : off_flags(spec)) {
    owners.claim("--" + flag, spec.name);
  }
  owners.claim(variable_name("the variable ...", spec.name), spec.name);
  if (spec.alias != '\0') {
    if (!is_letter(spec.alias) && !(spec.alias >= 'A' && spec.alias <= 'Z')) {
      throw Error(ErrorCode::kInternal, fmt::format("option '{}': its alias is not a letter", spec.name));
    }
    owners.claim(std::string("-") + spec.alias, spec.name);
  }
}

void check_default(const OptionSpec& spec, const Scalar& scalar) {
  if (const std::string reason = refusal(spec, scalar); !reason.empty()) {
    throw Error(ErrorCode::kInternal,
                fmt::format("option '{}': its default is refused: {}", spec.name, reason));
  }
}

void check_default(const OptionSpec& spec) {
  const Value value = spec.current();
  if (const auto* scalar = std::get_if<Scalar>(&value)) {
    check_default(spec, *scalar);
  } else if (const auto* list = std::get_if<std::vector<Scalar>>(&value)) {
    for (const Scalar& element : *list) {
      check_default(spec, element);
    }
  }
}

}  // namespace

Description::Description() : groups_({GroupSpec{"", "Options"}}) {}

OptionSpec& Description::add_option(OptionSpec spec) {
  check_name("option", spec.name);
  spec.name = full_name(spec.name);
  spec.group = current_group_;
  return options_.emplace_back(std::move(spec));
}

std::size_t Description::enter_group(std::string_view name, std::string_view title) {
  check_name("group", name);
  groups_.push_back({full_name(name), std::string(title)});
  return std::exchange(current_group_, groups_.size() - 1);
}

// Refuses a name that an option or a group already has.
std::string Description::full_name(std::string_view name) const {
  const std::string& prefix = groups_[current_group_].name;
  std::string full = prefix.empty() ? std::string(name) : fmt::format("{}.{}", prefix, name);
  auto has_it = [&full](const auto& spec) { return spec.name == full; };
  if (std::any_of(options_.begin(), options_.end(), has_it) ||
      std::any_of(groups_.begin(), groups_.end(), has_it)) {
    throw Error(ErrorCode::kInternal, fmt::format("option '{}' is described twice", full));
  }
  return full;
}

void Description::validate() const {
  Owners owners;
  for (const std::string_view flag : {kHelpFlag, kConfigFlag, kPrintConfigFlag}) {
    owners.claim(fmt::format("--{}", flag), "every program");
  }
  owners.claim(fmt::format("-{}", kHelpAlias), "every program");
  owners.claim(variable_name("the variable ...", kConfigFlag), "every program");
  for (const GroupSpec& group : groups_) {
    check_one_line(group.name, group.title);
  }
  for (const OptionSpec& spec : options_) {
    check_one_line(spec.name, spec.help);
    check_one_line(spec.name, spec.unit);
    claim_names(spec, owners);
    if (spec.type.kind == Kind::kEnum && spec.choices.empty()) {
      throw Error(ErrorCode::kInternal, fmt::format("option '{}': an enum needs choices", spec.name));
    }
    if (!spec.required) {  // a required option has no default to check
      check_default(spec);
    }
  }
}

}  // namespace lockstep::config
