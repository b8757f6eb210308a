#include "cli/diff/tensor_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace lockstep::diff {
namespace {

using checkpoint::TensorType;
using checkpoint::TensorView;

// Represents 64-bit integers and all floats exactly.
using Real = long double;
static_assert(std::numeric_limits<Real>::digits >= 64);

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

float widen_f16(std::uint16_t bits) {
  constexpr int kFractionBits = 10;
  constexpr int kBias = 15;
  constexpr int kHighestExponent = 31;
  const int exponent = (bits >> kFractionBits) & kHighestExponent;
  const int fraction = bits & 0x3ff;
  float size = 0;
  if (exponent == kHighestExponent) {
    size = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    size = std::ldexp(static_cast<float>(fraction), 1 - kBias - kFractionBits);
  } else {
    size = std::ldexp(static_cast<float>(fraction + (1 << kFractionBits)), exponent - kBias - kFractionBits);
  }
  return (bits >> 15) != 0 ? -size : size;
}

float widen_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Passes the element to `use` as a number that prints as itself.
template <class Use>
auto with_number(TensorType type, const std::byte* from, const Use& use) {
  switch (type) {
    case TensorType::kF64:
      return use(load<double>(from));
    case TensorType::kF32:
      return use(load<float>(from));
    case TensorType::kF16:
      return use(widen_f16(load<std::uint16_t>(from)));
    case TensorType::kBF16:
      return use(widen_bf16(load<std::uint16_t>(from)));
    case TensorType::kI64:
      return use(load<std::int64_t>(from));
    case TensorType::kI32:
      return use(load<std::int32_t>(from));
    case TensorType::kI16:
      return use(load<std::int16_t>(from));
    case TensorType::kI8:
      return use(int{load<std::int8_t>(from)});
    case TensorType::kU8:
    case TensorType::kBool:
      return use(int{load<std::uint8_t>(from)});
  }
  LOCKSTEP_CHECK(false);
}

Real value_of(TensorType type, const std::byte* from) {
  return with_number(type, from, [](auto number) { return static_cast<Real>(number); });
}

std::string text_of(TensorType type, const std::byte* from) {
  return with_number(type, from, [](auto number) { return fmt::format("{}", number); });
}

bool is_float(TensorType type) {
  return type == TensorType::kF64 || type == TensorType::kF32 || type == TensorType::kF16 ||
         type == TensorType::kBF16;
}

// The index of a float among those of its type, counted from zero: neighbours are one apart. Floats are sign and
// magnitude.
template <class Bits>
std::int64_t place_of(Bits bits) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const auto magnitude = static_cast<std::int64_t>(static_cast<Bits>(bits & ~kSign));
  return (bits & kSign) != 0 ? -magnitude : magnitude;
}

std::int64_t place_of(TensorType type, const std::byte* from) {
  switch (checkpoint::size_of(type)) {
    case 8:
      return place_of(load<std::uint64_t>(from));
    case 4:
      return place_of(load<std::uint32_t>(from));
    default:
      return place_of(load<std::uint16_t>(from));
  }
}

std::uint64_t ulps_between(TensorType type, const std::byte* a, const std::byte* b) {
  const auto [low, high] = std::minmax({place_of(type, a), place_of(type, b)});
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

Real relative_difference(Real a, Real b) {
  const Real larger = std::max(std::abs(a), std::abs(b));
  if (std::isinf(larger)) {
    return larger;
  }
  return larger == 0 ? 0 : std::abs(a - b) / larger;
}

// The largest so far, without its text.
struct Peak {
  Real difference = -1;
  std::uint64_t index = 0;

  void take(Real other, std::uint64_t at) {
    if (other > difference) {
      *this = {other, at};
    }
  }
};

class TensorComparison {
 public:
  TensorComparison(const TensorView& a, const TensorView& b)
      : a_(a), b_(b), element_bytes_(checkpoint::size_of(a.type)) {}

  std::optional<TensorDifference> run() {
    const std::uint64_t elements = a_.bytes.size() / element_bytes_;
    for (std::uint64_t index = 0; index < elements; ++index) {
      if (std::memcmp(at(a_, index), at(b_, index), element_bytes_) != 0) {
        take(index);
      }
    }
    if (differing_ == 0) {
      return std::nullopt;
    }
    return TensorDifference{
        .name = a_.name,
        .type = a_.type,
        .shape = a_.shape,
        .elements = elements,
        .differing = differing_,
        .nan_on_one_side = nan_on_one_side_,
        .first = spot(first_),
        .absolute = largest(absolute_),
        .relative = largest(relative_),
        .ulps = is_float(a_.type) && absolute_.difference >= 0 ? std::optional(ulps_) : std::nullopt};
  }

 private:
  const std::byte* at(const TensorView& tensor, std::uint64_t index) const {
    return tensor.bytes.data() + index * element_bytes_;
  }

  void take(std::uint64_t index) {
    if (differing_++ == 0) {
      first_ = index;
    }
    const Real a = value_of(a_.type, at(a_, index));
    const Real b = value_of(b_.type, at(b_, index));
    if (std::isnan(a) || std::isnan(b)) {
      ++nan_on_one_side_;
      return;
    }
    absolute_.take(std::abs(a - b), index);
    relative_.take(relative_difference(a, b), index);
    if (is_float(a_.type)) {
      ulps_ = std::max(ulps_, ulps_between(a_.type, at(a_, index), at(b_, index)));
    }
  }

  Spot spot(std::uint64_t index) const {
    return {index, text_of(a_.type, at(a_, index)), text_of(b_.type, at(b_, index))};
  }

  std::optional<Largest> largest(const Peak& peak) const {
    if (peak.difference < 0) {
      return std::nullopt;
    }
    return Largest{static_cast<double>(peak.difference), spot(peak.index)};
  }

  const TensorView& a_;
  const TensorView& b_;
  std::size_t element_bytes_;
  std::uint64_t differing_ = 0;
  std::uint64_t nan_on_one_side_ = 0;
  std::uint64_t first_ = 0;
  Peak absolute_;
  Peak relative_;
  std::uint64_t ulps_ = 0;
};

}  // namespace

std::optional<TensorDifference> compare_tensors(const TensorView& a, const TensorView& b) {
  LOCKSTEP_CHECK(a.type == b.type && a.shape == b.shape && a.bytes.size() == b.bytes.size());
  return TensorComparison(a, b).run();
}

std::string index_text(std::uint64_t index, const std::vector<std::uint64_t>& shape) {
  std::vector<std::uint64_t> indices(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    indices[i] = index % shape[i];
    index /= shape[i];
  }
  return fmt::format("[{}]", fmt::join(indices, ", "));
}

}  // namespace lockstep::diff
