#include "lockstep/config_option.h"

#include <fmt/format.h>

#include <algorithm>

#include "lockstep/error.h"

namespace lockstep::config {
namespace {

using std::chrono::nanoseconds;

void name_choice(const OptionSpec& spec, Scalar& scalar) {
  if (auto* choice = std::get_if<Choice>(&scalar)) {
    const auto found = std::find_if(spec.choices.begin(), spec.choices.end(),
                                    [choice](const Choice& known) { return known.number == choice->number; });
    if (found != spec.choices.end()) {
      choice->name = found->name;
    }
  }
}

}  // namespace

Value OptionSpec::current() const {
  Value value = get();
  if (auto* scalar = std::get_if<Scalar>(&value)) {
    name_choice(*this, *scalar);
  } else if (auto* list = std::get_if<std::vector<Scalar>>(&value)) {
    for (Scalar& element : *list) {
      name_choice(*this, element);
    }
  }
  return value;
}

nanoseconds to_nanoseconds(std::int64_t ticks, nanoseconds tick) {
  const std::int64_t highest = nanoseconds::max() / tick;
  return std::clamp(ticks, -highest, highest) * tick;
}

void set_range(OptionSpec& spec, Scalar low, Scalar high) {
  if (!(low <= high)) {
    throw Error(ErrorCode::kInternal, fmt::format("option '{}': its range [{}, {}] is empty", spec.name,
                                                  to_text(low), to_text(high)));
  }
  spec.range = Range{std::move(low), std::move(high)};
}

void set_choices(OptionSpec& spec, std::vector<Choice> choices) {
  if (choices.empty()) {
    throw Error(ErrorCode::kInternal, fmt::format("option '{}': its choices are empty", spec.name));
  }
  for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
    const bool repeated =
        std::any_of(choices.begin(), choice, [&](const Choice& other) { return other.name == choice->name; });
    if (choice->name.empty() || repeated) {
      throw Error(ErrorCode::kInternal,
                  fmt::format("option '{}': its choice '{}' is {}", spec.name, choice->name,
                              repeated ? "there twice" : "without a name"));
    }
  }
  spec.choices = std::move(choices);
}

}  // namespace lockstep::config
