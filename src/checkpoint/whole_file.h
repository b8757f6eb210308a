#pragma once

// The tensors of a file of a checkpoint, including all parts if several ranks wrote one each (file_parts.h).

#include <deque>
#include <string>

#include "checkpoint/checkpoint.h"
#include "checkpoint/file_bytes.h"
#include "checkpoint/safetensors.h"

namespace lockstep::checkpoint {

class WholeFile {
 public:
  // Throws Error{kCorrupt} or Error{kNotFound} as Checkpoint::read() and parse_safetensors() do; a file without any
  // part is reported missing by name.
  WholeFile(const Checkpoint& checkpoint, const std::string& whole);

  // In ascending order of names. They are views of bytes that this object owns.
  const Safetensors& all() const { return all_; }

 private:
  std::deque<FileBytes> contents_;
  Safetensors all_;
};

}  // namespace lockstep::checkpoint
