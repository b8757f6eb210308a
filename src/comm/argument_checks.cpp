#include "comm/argument_checks.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <numeric>

#include "lockstep/error.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse(OperationKind kind, std::string message) {
  throw Error(ErrorCode::kInvalidArgument, std::move(message)).with_operation(std::string(to_string(kind)));
}

bool overlap(const ConstBuffer& a, const ConstBuffer& b) {
  const std::less<> before;
  return a.bytes() > 0 && b.bytes() > 0 && before(a.data(), b.data() + b.bytes()) &&
         before(b.data(), a.data() + a.bytes());
}

}  // namespace

void require_rank(OperationKind kind, const char* what, int rank, int size) {
  if (rank < 0 || rank >= size) {
    refuse(kind, fmt::format("{} {} is not a rank of this group, which has {}", what, rank, size));
  }
}

void require_same_type(OperationKind kind, const ConstBuffer& in, const ConstBuffer& out) {
  if (in.dtype() != out.dtype()) {
    refuse(kind, fmt::format("the input has type {}, the output {}", to_string(in.dtype()),
                             to_string(out.dtype())));
  }
}

void require_parts(OperationKind kind, std::size_t whole, std::size_t part, int size) {
  if (whole != part * static_cast<std::size_t>(size)) {
    refuse(kind, fmt::format("{} elements are not {} parts of {}", whole, size, part));
  }
}

void require_divisible(OperationKind kind, std::size_t whole, int size) {
  if (whole % static_cast<std::size_t>(size) != 0) {
    refuse(kind, fmt::format("{} elements cannot be divided among {} ranks", whole, size));
  }
}

void require_counts(OperationKind kind, const char* what, std::span<const std::size_t> counts,
                    std::size_t elements, int size) {
  if (counts.size() != static_cast<std::size_t>(size)) {
    refuse(kind, fmt::format("{} {} counts for {} ranks", counts.size(), what, size));
  }
  const std::size_t sum = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  if (sum != elements) {
    refuse(kind, fmt::format("the {} counts add up to {}, the buffer has {} elements", what, sum, elements));
  }
}

void require_aligned(OperationKind kind, const char* what, const ConstBuffer& buffer) {
  if (reinterpret_cast<std::uintptr_t>(buffer.data()) % size_of(buffer.dtype()) != 0) {
    refuse(kind, fmt::format("the {} is at {}, which is not aligned to its {}-byte elements", what,
                             fmt::ptr(buffer.data()), size_of(buffer.dtype())));
  }
}

void require_pieces(OperationKind kind, std::span<const InputPiece> pieces, const Buffer& part) {
  std::size_t end = 0;
  for (const InputPiece& piece : pieces) {
    require_aligned(kind, "piece", piece.values);
    require_same_type(kind, piece.values, part);
    if (overlap(piece.values, part)) {
      refuse(kind, "a piece overlaps the part it is a piece of");
    }
    if (piece.first < end) {
      refuse(kind, fmt::format("a piece begins at element {}, before the end of the one before it at {}",
                               piece.first, end));
    }
    end = piece.first + piece.values.count();
    if (end > part.count()) {
      refuse(kind, fmt::format("a piece ends at element {} of a part of {}", end, part.count()));
    }
  }
}

void require_apart(OperationKind kind, const ConstBuffer& in, const ConstBuffer& out) {
  if (overlap(in, out)) {
    refuse(kind, "the input and the output overlap; pass one buffer to work in place");
  }
}

}  // namespace lockstep
