#include "convert/state_dict.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "config/printable.h"
#include "convert/pickle_reader.h"
#include "convert/strided_tensor.h"
#include "convert/torch_archive.h"
#include "lockstep/error.h"

namespace lockstep::convert {
namespace {

using checkpoint::FileBytes;
using config::in_quotes;

// Tensors may share a storage, but each gets its own bytes: a small file must not demand an arbitrary amount of memory.
constexpr std::uint64_t kMostCopies = 16;

// The keys of this dict whose values are dicts.
std::string keys_of_dicts(const Pickle& pickle, const PickledDict& dict) {
  constexpr std::size_t kMostListed = 20;
  std::vector<std::string> keys;
  for (const auto& [key, value] : dict.items) {
    const auto* text = std::get_if<PickledText>(&pickle.at(key));
    if (text != nullptr && std::holds_alternative<PickledDict>(pickle.at(value))) {
      keys.push_back(in_quotes(text->text));
    }
  }
  if (keys.size() > kMostListed) {
    keys.resize(kMostListed);
    keys.emplace_back("...");
  }
  return fmt::format("{}", fmt::join(keys, ", "));
}

// For a dict with other contents: a key leads one level down.
std::string advice_on(const Pickle& pickle, const PickledDict& dict) {
  const bool is_whole = &dict == std::get_if<PickledDict>(&pickle.at(pickle.root));
  const std::string dicts = is_whole ? keys_of_dicts(pickle, dict) : "";
  return dicts.empty() ? "" : "; if the state_dict is in there, say --key with one of " + dicts;
}

// The dict under `key`, or the whole if there is no key.
const PickledDict& find_dict(std::string_view name, const Pickle& pickle,
                             std::optional<std::string_view> key) {
  const auto* whole = std::get_if<PickledDict>(&pickle.at(pickle.root));
  if (whole == nullptr) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{}: expected a state_dict, found {}", name, kind_of(pickle.at(pickle.root))));
  }
  const PickledDict* found = key ? nullptr : whole;
  for (const auto& [each, value] : whole->items) {
    const auto* text = std::get_if<PickledText>(&pickle.at(each));
    if (key && text != nullptr && text->text == *key) {
      found = std::get_if<PickledDict>(&pickle.at(value));
    }
  }
  if (found == nullptr) {
    const std::string dicts = keys_of_dicts(pickle, *whole);
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{}: there is no dict under the key {}; {}", name, in_quotes(*key),
                            dicts.empty() ? "there is none under any" : "there are " + dicts));
  }
  return *found;
}

// Names and values; if a name occurs twice, the later value, as in Python.
std::vector<std::pair<std::string_view, const PickledTensor*>> tensors_in(std::string_view name,
                                                                          const Pickle& pickle,
                                                                          const PickledDict& dict) {
  std::vector<std::pair<std::string_view, const PickledTensor*>> tensors;
  std::map<std::string_view, std::size_t> places;
  for (const auto& [key, value] : dict.items) {
    const auto* text = std::get_if<PickledText>(&pickle.at(key));
    const auto* tensor = std::get_if<PickledTensor>(&pickle.at(value));
    if (text == nullptr) {
      throw Error(ErrorCode::kUnsupported, fmt::format("{}: expected the names of tensors for keys, found {}",
                                                       name, kind_of(pickle.at(key))));
    }
    if (tensor == nullptr) {
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{}: expected a tensor under {}, found {}{}", name, in_quotes(text->text),
                              kind_of(pickle.at(value)), advice_on(pickle, dict)));
    }
    const auto [place, is_new] = places.try_emplace(text->text, tensors.size());
    if (is_new) {
      tensors.emplace_back(text->text, tensor);
    } else {
      tensors[place->second].second = tensor;
    }
  }
  return tensors;
}

}  // namespace

StateDict StateDict::read(std::string_view name, std::span<const std::byte> bytes,
                          std::optional<std::string_view> key) {
  TorchArchive archive(std::string(name), bytes);
  const Pickle pickle = archive.pickle();
  StateDict state;
  std::uint64_t total = 0;
  for (const auto& [tensor_name, tensor] : tensors_in(name, pickle, find_dict(name, pickle, key))) {
    const StridedTensor strided{.type = tensor->storage.type,
                                .offset = tensor->offset,
                                .sizes = tensor->sizes,
                                .strides = tensor->strides,
                                .storage = archive.storage(tensor->storage)};
    if (const auto problem = problem_of(strided)) {
      throw Error(ErrorCode::kCorrupt,
                  fmt::format("{}: tensor {}: {}", name, in_quotes(tensor_name), *problem));
    }
    total += bytes_of(strided);
    if (total > kMostCopies * bytes.size()) {
      throw Error(
          ErrorCode::kResourceExhausted,
          fmt::format("{}: its tensors share storages so often that they take more than {} times the bytes "
                      "of the file",
                      name, kMostCopies));
    }
    state.add(tensor_name, strided);
  }
  return state;
}

void StateDict::add(std::string_view name, const StridedTensor& tensor) {
  auto rows = rows_in_storage(tensor);
  if (!rows) {
    FileBytes& copy = copies_.emplace_back(bytes_of(tensor));
    copy_rows(tensor, copy.bytes());
    rows = std::as_const(copy).bytes();
  }
  tensors_.push_back({.name = std::string(name),
                      .type = tensor.type,
                      .shape = {tensor.sizes.begin(), tensor.sizes.end()},
                      .bytes = *rows});
}

}  // namespace lockstep::convert
