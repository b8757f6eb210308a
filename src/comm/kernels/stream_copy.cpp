#include "comm/kernels/stream_copy.h"

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace lockstep {
namespace {

#ifdef __SSE2__

constexpr std::size_t kLine = 64;  // bytes

// Whole lines, to where one begins: half a line would be written to memory by itself.
void stream_lines(std::byte* to, const std::byte* from, std::size_t bytes) {
  auto* out = reinterpret_cast<__m128i*>(to);
  const auto* in = reinterpret_cast<const __m128i*>(from);
  for (const auto* const end = in + bytes / sizeof(__m128i); in != end; in += 4, out += 4) {
    const __m128i first = _mm_loadu_si128(in);
    const __m128i second = _mm_loadu_si128(in + 1);
    const __m128i third = _mm_loadu_si128(in + 2);
    const __m128i fourth = _mm_loadu_si128(in + 3);
    _mm_stream_si128(out, first);
    _mm_stream_si128(out + 1, second);
    _mm_stream_si128(out + 2, third);
    _mm_stream_si128(out + 3, fourth);
  }
  _mm_sfence();  // such stores are not ordered with those of flags
}

#endif

}  // namespace

void stream_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef __SSE2__
  if (bytes >= kStreamedBytes) {
    const std::size_t head = (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine;
    const std::size_t lines = (bytes - head) / kLine * kLine;
    std::memcpy(to, from, head);
    std::memcpy(to + head + lines, from + head + lines, bytes - head - lines);
    stream_lines(to + head, from + head, lines);
    return;
  }
#endif
  if (bytes > 0) {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace lockstep
