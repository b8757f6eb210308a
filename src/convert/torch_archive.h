#pragma once

// An archive of torch.save: a ZIP with a pickle that says what there is, and an entry with the bytes of each storage.

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
  // `name` is for messages; the bytes have to stay. Throws Error{kCorrupt} for what is none, Error{kUnsupported} with
  // what to do for one in the form before PyTorch 1.6, of TorchScript, or of another byte order.
  TorchArchive(std::string name, std::span<const std::byte> bytes);

  // Throws what read_pickle() throws.
  Pickle pickle() const;

  // Its bytes. Throws Error{kCorrupt} when they are missing, damaged, or not as many as the pickle says.
  std::span<const std::byte> storage(const PickledStorage& storage);

 private:
  std::string name_;
  ZipArchive entries_;
  std::string root_;  // the folder that all of them are in
  std::map<std::string_view, std::span<const std::byte>>
      storages_;  // that were checked, by their keys in the pickle
};

}  // namespace lockstep::convert
