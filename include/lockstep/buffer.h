#pragma once

// Memory that a collective reads or writes: a pointer, an element count and an element type. It owns nothing. The
// pointer must be aligned to its element type; a collective refuses one that is not.
//
// Spans, vectors and arrays convert implicitly:
//
//   std::vector<float> gradients(1024);
//   communicator.all_reduce(gradients, ReduceOp::kAvg);

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "lockstep/dtype.h"

namespace lockstep {

// Anything that std::span accepts, and its element type.
template <class Range>
concept ElementRange = requires(Range& range) {
  std::span(range);
};
template <ElementRange Range>
using ElementOf = typename decltype(std::span(std::declval<Range&>()))::element_type;
template <class Range>
concept WritableRange = ElementRange<Range> && !std::is_const_v<ElementOf<Range>>;

class Buffer {
 public:
  Buffer() = default;
  Buffer(void* data, std::size_t count, DType dtype)
      : data_(static_cast<std::byte*>(data)), count_(count), dtype_(dtype) {}

  // Implicit on purpose. It never hides a copy: a Buffer is not a range.
  template <WritableRange Range>
  Buffer(Range&& range)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : Buffer(std::span(range).data(), std::span(range).size(), dtype_of<ElementOf<Range>>()) {}

  std::byte* data() const { return data_; }
  std::size_t count() const { return count_; }
  DType dtype() const { return dtype_; }
  std::size_t bytes() const { return count_ * size_of(dtype_); }

  // `count` elements from `first` on.
  Buffer part(std::size_t first, std::size_t count) const {
    return {data_ + first * size_of(dtype_), count, dtype_};
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t count_ = 0;
  DType dtype_ = DType::kU8;
};

class ConstBuffer {
 public:
  ConstBuffer() = default;
  ConstBuffer(const void* data, std::size_t count, DType dtype)
      : data_(static_cast<const std::byte*>(data)), count_(count), dtype_(dtype) {}
  ConstBuffer(const Buffer& buffer)  // NOLINT(google-explicit-constructor): reading is always allowed
      : ConstBuffer(buffer.data(), buffer.count(), buffer.dtype()) {}

  template <ElementRange Range>
  ConstBuffer(const Range& range)  // NOLINT(google-explicit-constructor): meant to convert
      : ConstBuffer(std::span(range).data(), std::span(range).size(),
                    dtype_of<std::remove_const_t<ElementOf<const Range>>>()) {}

  const std::byte* data() const { return data_; }
  std::size_t count() const { return count_; }
  DType dtype() const { return dtype_; }
  std::size_t bytes() const { return count_ * size_of(dtype_); }

  // `count` elements from `first` on.
  ConstBuffer part(std::size_t first, std::size_t count) const {
    return {data_ + first * size_of(dtype_), count, dtype_};
  }

 private:
  const std::byte* data_ = nullptr;
  std::size_t count_ = 0;
  DType dtype_ = DType::kU8;
};

}  // namespace lockstep
