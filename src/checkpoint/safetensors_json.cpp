#include "checkpoint/safetensors_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep::checkpoint {
namespace {

using HeaderJson = nlohmann::json;

constexpr std::size_t kMostDimensions = 64;
constexpr std::uint64_t kLongestDimension = std::numeric_limits<std::int64_t>::max();

// Parses the JSON as a stream: a tree would cost many times its size, and would hide duplicate names. In each place
// only one kind of token may come next; anything else stops the parser.
class HeaderReader final : public nlohmann::json_sax<HeaderJson> {
 public:
  explicit HeaderReader(std::string_view file) : file_(file) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t /*members*/) override {
    switch (place_) {
      case Place::kStart:
        return go_to(Place::kTop);
      case Place::kTensor:
        return go_to(Place::kTensorKey);
      case Place::kMetadata:
        return go_to(Place::kMetadataMember);
      default:
        throw unexpected("an object");
    }
  }

  bool key(std::string& name) override {
    switch (place_) {
      case Place::kTop:
        return begin_entry(name);
      case Place::kTensorKey:
        return begin_tensor_member(name);
      default:
        if (header_.metadata.contains(name)) {
          throw corrupt(fmt::format("{} comes twice in the metadata", config::in_quotes(name)));
        }
        metadata_name_ = std::move(name);
        return go_to(Place::kMetadataText);
    }
  }

  bool end_object() override {
    if (place_ == Place::kTensorKey) {
      finish_tensor();
    }
    return go_to(Place::kTop);  // the JSON parser ensures that nothing follows the outermost object
  }

  bool start_array(std::size_t /*elements*/) override {
    switch (place_) {
      case Place::kShape:
        return go_to(Place::kLength);
      case Place::kOffsets:
        return go_to(Place::kOffset);
      default:
        throw unexpected("an array");
    }
  }

  bool end_array() override { return go_to(Place::kTensorKey); }

  bool string(std::string& text) override {
    if (place_ == Place::kMetadataText) {
      header_.metadata.emplace(std::move(metadata_name_), std::move(text));
      return go_to(Place::kMetadataMember);
    }
    if (place_ != Place::kType) {
      throw unexpected("a text");
    }
    const auto type = tensor_type_of(text);
    if (!type) {
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("{}: elements of type {}; F64, F32, F16, BF16, I64, I32, I16, I8, U8 and BOOL "
                              "are read",
                              where(), config::in_quotes(text)));
    }
    tensor_.type = *type;
    return go_to(Place::kTensorKey);
  }

  bool number_unsigned(std::uint64_t number) override {
    if (place_ == Place::kLength) {
      add_length(number);
    } else if (place_ == Place::kOffset) {
      offsets_.push_back(number);
      if (offsets_.size() > 2) {
        throw corrupt("expected two data_offsets, found more");
      }
    } else {
      throw unexpected("a number");
    }
    return true;
  }

  bool null() override { throw unexpected("null"); }
  bool boolean(bool /*value*/) override { throw unexpected("a boolean"); }
  bool number_integer(std::int64_t number) override { throw unexpected(fmt::format("{}", number)); }
  bool number_float(double /*number*/, const std::string& text) override {
    throw unexpected(config::in_quotes(text));
  }
  bool binary(HeaderJson::binary_t& /*bytes*/) override { throw unexpected("bytes"); }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*problem*/) override {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: byte {}: the header is not JSON from here on", file_,
                            kHeaderLengthBytes + std::max<std::size_t>(position, 1) - 1));
  }

 private:
  enum class Place {
    kStart,           // before the outermost object
    kTop,             // in it: names of tensors, or the metadata
    kTensor,          // after the name of a tensor
    kTensorKey,       // in its object
    kType,            // after "dtype"
    kShape,           // after "shape"
    kLength,          // in its array
    kOffsets,         // after "data_offsets"
    kOffset,          // in its array
    kMetadata,        // after "__metadata__"
    kMetadataMember,  // in its object
    kMetadataText,    // after the name of a member
  };

  static std::string_view wanted(Place place) {
    switch (place) {
      case Place::kStart:
      case Place::kTensor:
      case Place::kMetadata:
        return "an object";
      case Place::kShape:
      case Place::kOffsets:
        return "an array";
      case Place::kLength:
      case Place::kOffset:
        return "a whole number of at most 64 bits";
      default:
        return "a text";
    }
  }

  bool go_to(Place place) {
    place_ = place;
    return true;
  }

  bool begin_entry(std::string& name) {
    if (!names_.insert(name).second) {
      throw Error(ErrorCode::kCorrupt, fmt::format("{}: {} comes twice", file_, config::in_quotes(name)));
    }
    if (name == kMetadataKey) {
      return go_to(Place::kMetadata);
    }
    tensor_ = {.name = std::move(name)};
    offsets_.clear();
    members_.clear();
    return go_to(Place::kTensor);
  }

  bool begin_tensor_member(const std::string& name) {
    const Place place = name == "dtype"          ? Place::kType
                        : name == "shape"        ? Place::kShape
                        : name == "data_offsets" ? Place::kOffsets
                                                 : Place::kStart;
    if (place == Place::kStart || std::find(members_.begin(), members_.end(), place) != members_.end()) {
      throw corrupt(fmt::format("expected dtype, shape and data_offsets, each once, found {}",
                                config::in_quotes(name)));
    }
    members_.push_back(place);
    return go_to(place);
  }

  void add_length(std::uint64_t length) {
    if (tensor_.shape.size() == kMostDimensions) {
      throw corrupt(fmt::format("it has more than {} dimensions", kMostDimensions));
    }
    if (length > kLongestDimension) {
      throw corrupt(fmt::format("a dimension of {} is beyond 63 bits", length));
    }
    tensor_.shape.push_back(length);
  }

  void finish_tensor() {
    if (members_.size() != 3 || offsets_.size() != 2) {
      throw corrupt("expected dtype, shape and two data_offsets, found not all of them");
    }
    tensor_.begin = offsets_[0];
    tensor_.end = offsets_[1];
    const auto bytes = bytes_of(tensor_.type, tensor_.shape);
    if (!bytes) {
      throw corrupt("the product of its dimensions is beyond 64 bits");
    }
    if (tensor_.begin > tensor_.end || tensor_.end - tensor_.begin != *bytes) {
      throw corrupt(fmt::format("expected {} bytes, as its type and shape say, found data_offsets {} to {}",
                                *bytes, tensor_.begin, tensor_.end));
    }
    header_.tensors.push_back(std::move(tensor_));
  }

  std::string where() const {
    switch (place_) {
      case Place::kStart:
        return fmt::format("{}: header", file_);
      case Place::kMetadata:
      case Place::kMetadataMember:
      case Place::kMetadataText:
        return fmt::format("{}: metadata", file_);
      default:
        return fmt::format("{}: tensor {}", file_, config::in_quotes(tensor_.name));
    }
  }

  Error corrupt(std::string_view message) const {
    return {ErrorCode::kCorrupt, fmt::format("{}: {}", where(), message)};
  }

  Error unexpected(std::string_view found) const {
    return corrupt(fmt::format("expected {}, found {}", wanted(place_), found));
  }

  std::string_view file_;
  SafetensorsHeader header_;
  std::unordered_set<std::string> names_;
  Place place_ = Place::kStart;
  TensorPlace tensor_;
  std::vector<Place> members_;  // of the current tensor, seen so far
  std::vector<std::uint64_t> offsets_;
  std::string metadata_name_;
};

}  // namespace

SafetensorsHeader read_safetensors_json(std::string_view file, std::string_view json) {
  HeaderReader reader(file);
  HeaderJson::sax_parse(json.begin(), json.end(), &reader);
  return reader.take();
}

}  // namespace lockstep::checkpoint
