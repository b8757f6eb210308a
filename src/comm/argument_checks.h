#pragma once

// What a call must get right before it concerns other ranks. Each throws Error{kInvalidArgument} that says what
// was passed and what would do.

#include <cstddef>
#include <span>

#include "lockstep/buffer.h"
#include "lockstep/input_piece.h"
#include "lockstep/operation.h"

namespace lockstep {

void require_rank(OperationKind kind, const char* what, int rank, int size);
void require_same_type(OperationKind kind, const ConstBuffer& in, const ConstBuffer& out);
// `whole` holds as many elements as `size` parts of `part` elements.
void require_parts(OperationKind kind, std::size_t whole, std::size_t part, int size);
void require_divisible(OperationKind kind, std::size_t whole, int size);
// One count for each rank, and as many elements as they add up to.
void require_counts(OperationKind kind, const char* what, std::span<const std::size_t> counts,
                    std::size_t elements, int size);
// The kernels load whole elements: a pointer between two of them is no pointer to elements.
void require_aligned(OperationKind kind, const char* what, const ConstBuffer& buffer);
// In order, apart from each other and from `part`, of its type, and within it.
void require_pieces(OperationKind kind, std::span<const InputPiece> pieces, const Buffer& part);
// Apart, or exactly in place at `offset` bytes into `out`.
void require_apart(OperationKind kind, const ConstBuffer& in, const ConstBuffer& out);

}  // namespace lockstep
