#pragma once

// An archive of torch.save: a ZIP with a pickle that describes the contents, and one entry with the bytes of each
// storage.

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "convert/pickle_reader.h"
#include "convert/zip_archive.h"

namespace lockstep::convert {

class TorchArchive {
 public:
  // `name` is for messages; the bytes must outlive this object. Throws Error{kCorrupt} for anything else, and
  // Error{kUnsupported} with advice for an archive in the format before PyTorch 1.6, of TorchScript, or of another byte
  // order.
  TorchArchive(std::string name, std::span<const std::byte> bytes);

  // Throws as read_pickle() does.
  Pickle pickle() const;

  // The bytes of a storage. Throws Error{kCorrupt} when they are missing, damaged, or not as many as the pickle says.
  std::span<const std::byte> storage(const PickledStorage& storage);

 private:
  std::string name_;
  ZipArchive entries_;
  std::string root_;  // the folder of all entries
  std::map<std::string_view, std::span<const std::byte>>
      storages_;  // already checked, by their keys in the pickle
};

}  // namespace lockstep::convert
