#pragma once

// Named tensors in a pair of files, as peer/dump.py writes them.

#include <torch/types.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::testing {

class Dump {
 public:
  // Reads PATH.index and PATH.data. Throws Error{kNotFound} when one is not there, Error{kCorrupt} when they are not
  // what they should be.
  explicit Dump(const std::filesystem::path& path);

  bool has(const std::string& name) const { return entries_.count(name) != 0; }
  // A copy. Throws Error{kNotFound}.
  torch::Tensor tensor(const std::string& name) const;
  // How many names begin so.
  std::size_t count(std::string_view prefix) const;

 private:
  struct Entry {
    torch::ScalarType dtype;
    std::vector<std::int64_t> shape;
    std::size_t offset;
    std::size_t bytes;
  };

  Entry parse_entry(const std::string& line) const;

  std::filesystem::path path_;
  std::string data_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace lockstep::testing
