#include "config/option_names.h"

#include <algorithm>
#include <cstddef>

namespace lockstep::config {

std::string canonical_name(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

bool is_switch(const OptionSpec& spec) {
  return spec.type.kind == Kind::kBool && spec.type.arity != Arity::kList;
}

std::vector<std::string> off_flags(const OptionSpec& spec) {
  if (!is_switch(spec)) {
    return {};
  }
  const std::size_t dot = spec.name.rfind('.');
  if (dot == std::string::npos) {
    return {"no-" + spec.name};
  }
  return {spec.name.substr(0, dot + 1) + "no-" + spec.name.substr(dot + 1), "no-" + spec.name};
}

std::string variable_name(std::string_view prefix, std::string_view name) {
  std::string result = std::string(prefix) + "_";
  for (const char c : name) {
    const bool is_lower = c >= 'a' && c <= 'z';
    result += c == '-' || c == '.' ? '_' : is_lower ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return result;
}

}  // namespace lockstep::config
