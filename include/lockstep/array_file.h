#pragma once

// Arrays from files: idx (the form of MNIST), npy (NumPy's) and CSV. Any of them may be packed with gzip, whatever
// its name.
//
//   const Array labels = read_idx("train-labels-idx1-ubyte.gz");
//   const CsvTable table = read_csv("houses.csv", {.columns = {"rooms", "price"}});
//
// Nothing in a file is taken on trust. Lengths are held against the size of the file before memory is taken; data
// that is cut short, too long, or not of its format is Error{kCorrupt} with file, place and what was expected;
// Error{kUnsupported} is for variants that are not read here. Error{kNotFound} and Error{kSystem} are for the file
// itself. docs/data.md describes the formats.

#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/array.h"

namespace lockstep {

Array read_idx(const std::filesystem::path& path);

// Versions 1 to 3, little endian, booleans, integers and floats. Arrays in Fortran's order are turned to rows.
Array read_npy(const std::filesystem::path& path);

struct CsvOptions {
  char delimiter = ',';
  bool header = true;                     // the first line holds the names of the columns
  std::vector<std::string> columns = {};  // which to read, by name and in this order; empty: all
};

struct CsvTable {
  std::vector<std::string> names = {};  // of the columns read; empty without a header
  Array values = {};                    // f64, rows by columns
};

// Quotes as in RFC 4180, lines that end in LF or CRLF. Every field of a column that is read has to be a number.
CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& options = {});

}  // namespace lockstep
