#pragma once

// The backend of a world of one: every collective is a copy, or nothing when it works in place.

#include <memory>

#include "comm/backend.h"

namespace lockstep {

std::shared_ptr<Backend> make_local_backend();

}  // namespace lockstep
