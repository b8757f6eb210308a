#include "lockstep/token_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

TokenSampleOptions checked(TokenSampleOptions options) {
  if (options.length == 0) {
    throw Error(ErrorCode::kInvalidArgument, "the length of a sample must not be 0");
  }
  if (options.stride == 0) {
    options.stride = options.length;
  }
  return options;
}

void require_same_vocabulary(const TokenShard& first, const TokenShard& other) {
  if (first.header().vocabulary != other.header().vocabulary) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} has a vocabulary of {} tokens, {} one of {}: they are no parts of one data set",
                    first.name(), first.header().vocabulary, other.name(), other.header().vocabulary));
  }
}

}  // namespace

TokenData::TokenData(const std::vector<fs::path>& shards, const TokenSampleOptions& options)
    : options_(checked(options)), starts_{0} {
  if (shards.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "there is no token shard to read");
  }
  for (const fs::path& path : shards) {
    shards_.push_back(TokenShard::open(path));
    require_same_vocabulary(shards_.front(), shards_.back());
    starts_.push_back(starts_.back() + shards_.back().size());
  }
}

std::uint64_t TokenData::size() const {
  return tokens() < options_.length ? 0 : (tokens() - options_.length) / options_.stride + 1;
}

void TokenData::read(std::uint64_t index, std::span<std::int64_t> into) const {
  if (index >= size()) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("there is no sample {} of {}", index, size()));
  }
  if (into.size() != options_.length) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a sample has {} tokens, not {}", options_.length, into.size()));
  }
  std::uint64_t first = index * options_.stride;
  // The last shard that starts at or before the token; an empty shard starts where the next one does.
  auto shard =
      static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), first) - starts_.begin()) - 1;
  while (!into.empty()) {
    const std::uint64_t count = std::min<std::uint64_t>(into.size(), starts_[shard + 1] - first);
    shards_[shard].copy(first - starts_[shard], into.first(count));
    into = into.subspan(count);
    first += count;
    ++shard;
  }
}

void TokenData::verify() const {
  std::for_each(shards_.begin(), shards_.end(), [](const TokenShard& shard) { shard.verify(); });
}

std::vector<fs::path> token_shards_in(const fs::path& folder) {
  const std::string name = config::printable(folder.string());
  std::vector<fs::path> found;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (entry->path().extension() == ".tokens") {
      found.push_back(entry->path());
    }
  }
  if (problem) {
    throw Error(ErrorCode::kNotFound, fmt::format("{}: {}", name, problem.message()));
  }
  if (found.empty()) {
    throw Error(ErrorCode::kNotFound, fmt::format("{}: there is no file whose name ends in .tokens", name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace lockstep
