#pragma once

// See ../algorithm.h.

namespace gloo::transport {

class Device;

}  // namespace gloo::transport
