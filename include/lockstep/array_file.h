#pragma once

// Arrays from files: idx (the MNIST format), npy (NumPy) and CSV. Any of them may be gzip-compressed, whatever the file
// is called.
//
//   const Array labels = read_idx("train-labels-idx1-ubyte.gz");
//   const CsvTable table = read_csv("houses.csv", {.columns = {"rooms", "price"}});
//
// No file is trusted. Lengths are checked against the size of the file before memory is allocated. Truncated, overlong
// or malformed data is Error{kCorrupt} with the file, the position and what was expected. Error{kUnsupported} reports a
// variant that is not implemented. Error{kNotFound} and Error{kSystem} concern the file itself. docs/data.md describes
// the formats.

#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/array.h"

namespace lockstep {

Array read_idx(const std::filesystem::path& path);

// Versions 1 to 3, little endian, booleans, integers and floats. Arrays in Fortran order are converted to row-major.
Array read_npy(const std::filesystem::path& path);

struct CsvOptions {
  char delimiter = ',';
  bool header = true;                     // the first line holds the column names
  std::vector<std::string> columns = {};  // columns to read, by name and in this order; empty: all
};

struct CsvTable {
  std::vector<std::string> names = {};  // names of the columns read; empty without a header
  Array values = {};                    // f64, rows by columns
};

// Quotes as in RFC 4180; lines end in LF or CRLF. Every field of a column that is read must be a number.
CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& options = {});

}  // namespace lockstep
