#pragma once

// The tensors of a file of a checkpoint, and of all its parts where ranks wrote a part each (file_parts.h).

#include <deque>
#include <string>

#include "checkpoint/checkpoint.h"
#include "checkpoint/file_bytes.h"
#include "checkpoint/safetensors.h"

namespace lockstep::checkpoint {

class WholeFile {
 public:
  // Throws Error{kCorrupt} or Error{kNotFound} as Checkpoint::read() and parse_safetensors() do; a file of which there is
  // no part is missed by its name.
  WholeFile(const Checkpoint& checkpoint, const std::string& whole);

  // In the order of their names. They are views of bytes that this object has.
  const Safetensors& all() const { return all_; }

 private:
  std::deque<FileBytes> contents_;
  Safetensors all_;
};

}  // namespace lockstep::checkpoint
