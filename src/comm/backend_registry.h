#pragma once

// The backends that this program has, by name. The core brings its own; a library on top, such as the one with
// libtorch's Gloo, adds its backend when it is linked in.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "comm/backend.h"

namespace lockstep {

// What a backend may need to find the other ranks.
struct BackendContext {
  int rank = 0;
  int size = 1;
  std::string token = {};           // equal on all ranks of the job
  std::string master_address = {};  // rank 0's
  int master_port = 0;
  std::string bind_address = {};  // this rank's address or interface; empty: up to the backend
};

using BackendFactory =
    std::function<std::shared_ptr<Backend>(const BackendContext& context, const Deadline& deadline)>;

// Adds a backend, or replaces the one of that name. Returns true, so that it can initialise a constant.
bool register_backend(std::string_view name, BackendFactory factory);

// Throws Error{kUnsupported} that lists the backends there are.
std::shared_ptr<Backend> make_backend(std::string_view name, const BackendContext& context,
                                      const Deadline& deadline);

}  // namespace lockstep
