#include "convert/strided_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace lockstep::convert {
namespace {

std::string form_of(const StridedTensor& tensor) {
  return fmt::format("offset {}, sizes [{}], strides [{}]", tensor.offset, fmt::join(tensor.sizes, ", "),
                     fmt::join(tensor.strides, ", "));
}

bool has_negative(const std::vector<std::int64_t>& numbers) {
  return std::any_of(numbers.begin(), numbers.end(), [](std::int64_t number) { return number < 0; });
}

bool is_empty(const StridedTensor& tensor) {
  return std::find(tensor.sizes.begin(), tensor.sizes.end(), 0) != tensor.sizes.end();
}

// Nothing if it exceeds 63 bits.
std::optional<std::int64_t> element_count(const StridedTensor& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.sizes) {
    if (__builtin_mul_overflow(count, size, &count)) {
      return std::nullopt;
    }
  }
  return count;
}

// The index in the storage of the last element, for a tensor that is not empty. Nothing if it exceeds 63 bits.
std::optional<std::int64_t> last_index(const StridedTensor& tensor) {
  std::int64_t index = tensor.offset;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(tensor.sizes[i] - 1, tensor.strides[i], &reach) ||
        __builtin_add_overflow(index, reach, &index)) {
      return std::nullopt;
    }
  }
  return index;
}

}  // namespace

std::optional<std::string> problem_of(const StridedTensor& tensor) {
  if (tensor.sizes.size() != tensor.strides.size()) {
    return fmt::format("there are not as many strides as sizes: {}", form_of(tensor));
  }
  if (tensor.offset < 0 || has_negative(tensor.sizes) || has_negative(tensor.strides)) {
    return fmt::format("a number is negative: {}", form_of(tensor));
  }
  if (is_empty(tensor)) {
    return std::nullopt;
  }
  const auto stored = static_cast<std::int64_t>(tensor.storage.size() / checkpoint::size_of(tensor.type));
  const auto last = last_index(tensor);
  if (!last || *last >= stored) {
    return fmt::format("it reaches beyond its storage of {} elements: {}", stored, form_of(tensor));
  }
  // A file of a few bytes could demand any amount of memory.
  const auto count = element_count(tensor);
  if (!count || *count > stored) {
    return fmt::format(
        "it has more elements than its storage, which has {}: {}; an expanded tensor has to be saved as "
        "tensor.contiguous()",
        stored, form_of(tensor));
  }
  return std::nullopt;
}

std::uint64_t bytes_of(const StridedTensor& tensor) {
  if (is_empty(tensor)) {
    return 0;
  }
  return static_cast<std::uint64_t>(element_count(tensor).value()) * checkpoint::size_of(tensor.type);
}

std::optional<std::span<const std::byte>> rows_in_storage(const StridedTensor& tensor) {
  if (is_empty(tensor)) {
    return tensor.storage.first(0);
  }
  std::int64_t expected = 1;
  for (std::size_t i = tensor.sizes.size(); i-- > 0;) {
    if (tensor.sizes[i] != 1 && tensor.strides[i] != expected) {
      return std::nullopt;
    }
    expected *= tensor.sizes[i];
  }
  return tensor.storage.subspan(static_cast<std::size_t>(tensor.offset) * checkpoint::size_of(tensor.type),
                                bytes_of(tensor));
}

void copy_rows(const StridedTensor& tensor, std::span<std::byte> rows) {
  LOCKSTEP_CHECK(rows.size() == bytes_of(tensor));
  const std::size_t element = checkpoint::size_of(tensor.type);
  std::vector<std::int64_t> indices(tensor.sizes.size());
  std::int64_t from = tensor.offset;
  for (std::size_t to = 0; to < rows.size(); to += element) {
    std::memcpy(rows.data() + to, tensor.storage.data() + static_cast<std::size_t>(from) * element, element);
    // Advances the indices like an odometer, the last one first. A stride that is never used may be any number.
    for (std::size_t i = indices.size(); i-- > 0;) {
      if (tensor.sizes[i] == 1) {
        continue;
      }
      from += tensor.strides[i];
      if (++indices[i] < tensor.sizes[i]) {
        break;
      }
      from -= tensor.strides[i] * tensor.sizes[i];
      indices[i] = 0;
    }
  }
}

}  // namespace lockstep::convert
