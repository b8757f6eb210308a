#pragma once

// One option: its field and everything known about it. OptionSpec is the description as plain data; Option<T> refines
// it and is what Description::option() returns. The templates here only translate between C++ types and config_value.h;
// the logic is in src/config/.

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ratio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/config_value.h"

namespace lockstep::config {

struct Range {
  Scalar low;
  Scalar high;
};

// The initializers avoid warnings about members that designated initializers leave out.
struct OptionSpec {
  std::string name = {};  // full name: "optim.lr"
  std::string help = {};
  std::string unit = {};  // empty: none
  Type type = {};
  std::vector<Choice> choices = {};  // empty: not limited
  std::optional<Range> range = {};   // inclusive
  char alias = '\0';                 // 'n' for -n; '\0': none
  bool required = false;
  std::size_t group = 0;  // index into Description::groups()
  std::function<Value()> get = {};
  std::function<void(const Value&)> set = {};

  // The field's current value.
  Value current() const;
};

// Field types. Their containers are std::optional<T> and std::vector<T>.

template <class T>
inline constexpr bool kIsDuration = false;
template <class Rep, class Period>
inline constexpr bool kIsDuration<std::chrono::duration<Rep, Period>> =
    std::same_as<Rep, std::int64_t>&& std::ratio_greater_equal_v<Period, std::nano>&& Period::den <=
    std::nano::den;

template <class T>
concept IntegerField = std::integral<T> &&(sizeof(T) == 4 || sizeof(T) == 8) && !std::same_as<T, wchar_t> &&
                       !std::same_as<T, char32_t>;
template <class T>
concept FloatField = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept DurationField = kIsDuration<T>;
template <class T>
concept OrderedField = IntegerField<T> || FloatField<T> || DurationField<T> || std::same_as<T, ByteSize>;
template <class T>
concept TextField = std::same_as<T, std::string> || std::same_as<T, std::filesystem::path>;
template <class T>
concept ScalarField = OrderedField<T> || TextField<T> || std::same_as<T, bool> || std::is_enum_v<T>;

template <class T>
struct FieldShape {
  using Element = T;
  static constexpr Arity kArity = Arity::kOne;
};
template <class T>
struct FieldShape<std::optional<T>> {
  using Element = T;
  static constexpr Arity kArity = Arity::kOptional;
};
template <class T>
struct FieldShape<std::vector<T>> {
  using Element = T;
  static constexpr Arity kArity = Arity::kList;
};

template <class T>
using FieldElement = typename FieldShape<T>::Element;
template <class T>
concept Field = ScalarField<FieldElement<T>>;

// Nanoseconds reach 292 years; a field that counts in seconds reaches further and is clamped to that.
std::chrono::nanoseconds to_nanoseconds(std::int64_t ticks, std::chrono::nanoseconds tick);

template <class T>
constexpr std::chrono::nanoseconds tick_of() {
  if constexpr (DurationField<T>) {
    return T(1);
  } else {
    return std::chrono::nanoseconds(1);
  }
}

template <ScalarField T>
constexpr Kind kind_of() {
  if constexpr (std::same_as<T, bool>) {
    return Kind::kBool;
  } else if constexpr (IntegerField<T>) {
    return Kind::kInteger;
  } else if constexpr (FloatField<T>) {
    return Kind::kFloat;
  } else if constexpr (std::same_as<T, std::string>) {
    return Kind::kText;
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return Kind::kPath;
  } else if constexpr (DurationField<T>) {
    return Kind::kDuration;
  } else if constexpr (std::same_as<T, ByteSize>) {
    return Kind::kByteSize;
  } else {
    return Kind::kEnum;
  }
}

template <Field T>
constexpr Type type_of() {
  using Element = FieldElement<T>;
  return {.kind = kind_of<Element>(),
          .arity = FieldShape<T>::kArity,
          .bits = static_cast<int>(8 * sizeof(Element)),
          .is_signed = std::is_signed_v<Element>,
          .tick = tick_of<Element>()};
}

template <ScalarField T>
Scalar to_scalar(const T& field) {
  if constexpr (std::is_enum_v<T>) {
    return Choice{static_cast<std::int64_t>(field), {}};
  } else if constexpr (DurationField<T>) {
    return to_nanoseconds(field.count(), tick_of<T>());
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return field.string();
  } else if constexpr (!IntegerField<T>) {
    return field;
  } else if constexpr (std::is_signed_v<T>) {
    return std::int64_t{field};
  } else {
    return std::uint64_t{field};
  }
}

template <ScalarField T>
T from_scalar(const Scalar& scalar) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(std::get<Choice>(scalar).number);
  } else if constexpr (DurationField<T>) {
    return std::chrono::duration_cast<T>(std::get<std::chrono::nanoseconds>(scalar));
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return T(std::get<std::string>(scalar));
  } else if constexpr (!IntegerField<T>) {
    return std::get<T>(scalar);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(std::get<std::int64_t>(scalar));
  } else {
    return static_cast<T>(std::get<std::uint64_t>(scalar));
  }
}

template <Field T>
Value to_value(const T& field) {
  using Element = FieldElement<T>;
  if constexpr (FieldShape<T>::kArity == Arity::kOne) {
    return to_scalar<Element>(field);
  } else if constexpr (FieldShape<T>::kArity == Arity::kOptional) {
    return field ? Value(to_scalar<Element>(*field)) : Value();
  } else {
    std::vector<Scalar> list;
    list.reserve(field.size());
    for (const Element& element : field) {
      list.push_back(to_scalar<Element>(element));
    }
    return list;
  }
}

template <Field T>
T from_value(const Value& value) {
  using Element = FieldElement<T>;
  if constexpr (FieldShape<T>::kArity == Arity::kOne) {
    return from_scalar<Element>(std::get<Scalar>(value));
  } else if constexpr (FieldShape<T>::kArity == Arity::kOptional) {
    const auto* scalar = std::get_if<Scalar>(&value);
    return scalar ? T(from_scalar<Element>(*scalar)) : T();
  } else {
    T list;
    for (const Scalar& scalar : std::get<std::vector<Scalar>>(value)) {
      list.push_back(from_scalar<Element>(scalar));
    }
    return list;
  }
}

// Throw Error{kInternal} for an empty range or no choices; see Description::validate() for the other checks.
void set_range(OptionSpec& spec, Scalar low, Scalar high);
void set_choices(OptionSpec& spec, std::vector<Choice> choices);

template <Field T>
class Option {
  using Element = FieldElement<T>;
  // double for a float field, so that .range(0.1, 0.9) needs no suffixes.
  using Bound = std::conditional_t<FloatField<Element>, double, Element>;

 public:
  explicit Option(OptionSpec& spec) : spec_(spec) {}

  // The unit of the number, for messages and help: "samples".
  Option& unit(std::string_view unit) {
    spec_.unit = unit;
    return *this;
  }

  // A one-letter flag beside the long one: 'n' for -n.
  Option& alias(char letter) {
    spec_.alias = letter;
    return *this;
  }

  // A source must set it; the field's own value does not count.
  Option& required() {
    spec_.required = true;
    return *this;
  }

  // Inclusive. For lists and optionals it applies to the elements.
  Option& range(Bound low, Bound high) requires OrderedField<Element> {
    set_range(spec_, to_scalar(static_cast<Element>(low)), to_scalar(static_cast<Element>(high)));
    return *this;
  }

  // The names of the enumerators; required for an enum field.
  Option& choices(
      std::initializer_list<std::pair<std::string_view, Element>> named) requires std::is_enum_v<Element> {
    std::vector<Choice> list;
    for (const auto& [name, enumerator] : named) {
      list.push_back({static_cast<std::int64_t>(enumerator), std::string(name)});
    }
    set_choices(spec_, std::move(list));
    return *this;
  }

  // The only values allowed.
  Option& choices(std::initializer_list<std::string_view> texts) requires std::same_as<Element, std::string> {
    std::vector<Choice> list;
    for (const std::string_view text : texts) {
      list.push_back({static_cast<std::int64_t>(list.size()), std::string(text)});
    }
    set_choices(spec_, std::move(list));
    return *this;
  }

 private:
  OptionSpec& spec_;
};

}  // namespace lockstep::config
