#pragma once

// Labels read from a file, with its name in errors.

#include <torch/types.h>

#include <cstdint>
#include <string>

#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {

// check_labels() with the name of the file in front of its message.
inline void check_file_labels(const std::string& name, const torch::Tensor& labels, std::int64_t classes) {
  try {
    check_labels(labels, classes);
  } catch (const Error& error) {
    throw Error(error).with_message(name + ": " + error.message());
  }
}

}  // namespace lockstep
