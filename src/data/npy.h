#pragma once

// Reads the npy format from a stream; read_npy() in lockstep/array_file.h is for files.

#include "data/byte_stream.h"
#include "lockstep/array.h"

namespace lockstep {

Array read_npy(ByteStream& stream);

}  // namespace lockstep
