#include "parity/dump.h"

#include <c10/util/StringUtil.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "lockstep/error.h"

namespace lockstep::testing {
namespace {

std::string file_content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(ErrorCode::kNotFound, c10::str("there is no ", path.string()));
  }
  // By the block: a byte at a time, half of the processor time of the parity tests went here.
  std::ostringstream content;
  content << file.rdbuf();
  return std::move(content).str();
}

torch::ScalarType dtype_named(const std::string& name) {
  if (name == "f32") {
    return torch::kFloat32;
  }
  if (name == "i64") {
    return torch::kInt64;
  }
  throw Error(ErrorCode::kCorrupt, c10::str("a dump has no type '", name, "'"));
}

std::vector<std::int64_t> shape_of(const std::string& text) {
  std::vector<std::int64_t> shape;
  if (text == "-") {
    return shape;
  }
  std::istringstream sizes(text);
  for (std::int64_t size = 0; sizes >> size; sizes.ignore(1, 'x')) {
    shape.push_back(size);
  }
  if (!sizes.eof() || std::any_of(shape.begin(), shape.end(), [](std::int64_t size) { return size < 0; })) {
    throw Error(ErrorCode::kCorrupt, c10::str("a dump has no shape '", text, "'"));
  }
  return shape;
}

}  // namespace

Dump::Dump(const std::filesystem::path& path) : path_(path), data_(file_content(path.string() + ".data")) {
  std::istringstream index(file_content(path.string() + ".index"));
  for (std::string line; std::getline(index, line);) {
    entries_.emplace(line.substr(0, line.find(' ')), parse_entry(line));
  }
}

Dump::Entry Dump::parse_entry(const std::string& line) const {
  std::istringstream words(line);
  std::string name;
  std::string dtype;
  std::string shape;
  std::size_t offset = 0;
  if (!(words >> name >> dtype >> shape >> offset)) {
    throw Error(ErrorCode::kCorrupt, c10::str(path_.string(), ".index has the line '", line, "'"));
  }
  Entry entry{.dtype = dtype_named(dtype), .shape = shape_of(shape), .offset = offset, .bytes = 0};
  entry.bytes = c10::elementSize(entry.dtype) * static_cast<std::size_t>(c10::multiply_integers(entry.shape));
  if (offset > data_.size() || entry.bytes > data_.size() - offset) {
    throw Error(ErrorCode::kCorrupt, c10::str("'", name, "' is ", entry.bytes, " bytes at ", offset, " of ",
                                              path_.string(), ".data, which has only ", data_.size()));
  }
  return entry;
}

torch::Tensor Dump::tensor(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    throw Error(ErrorCode::kNotFound, c10::str(path_.string(), " has no '", name, "'"));
  }
  const Entry& entry = found->second;
  torch::Tensor tensor = torch::empty(entry.shape, entry.dtype);
  std::memcpy(tensor.data_ptr(), data_.data() + entry.offset, entry.bytes);
  return tensor;
}

std::size_t Dump::count(std::string_view prefix) const {
  const auto first = entries_.lower_bound(prefix);
  const auto last = std::find_if(first, entries_.end(), [&](const auto& entry) {
    return entry.first.compare(0, prefix.size(), prefix) != 0;
  });
  return static_cast<std::size_t>(std::distance(first, last));
}

}  // namespace lockstep::testing
