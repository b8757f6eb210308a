#pragma once

// Reads the idx format from a stream; read_idx() in lockstep/array_file.h is for files.

#include "data/byte_stream.h"
#include "lockstep/array.h"

namespace lockstep {

Array read_idx(ByteStream& stream);

}  // namespace lockstep
