#pragma once

// Reads CSV from a stream; read_csv() in lockstep/array_file.h is for files.

#include <string>

#include "data/byte_stream.h"
#include "lockstep/array_file.h"

namespace lockstep {

// `name` is for messages; places in a CSV file are lines and columns.
CsvTable read_csv(ByteStream& stream, const std::string& name, const CsvOptions& options);

}  // namespace lockstep
