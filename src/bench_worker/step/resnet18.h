#pragma once

// ResNet-18 for CIFAR: a 3x3 stem without pooling, 32x32 images. Convolutions take most of its time, and batch norm
// gives it module buffers.

#include <cstdint>
#include <memory>

#include "bench_worker/step/net.h"

namespace lockstep::bench {

std::shared_ptr<Net> make_resnet18(std::int64_t classes);

}  // namespace lockstep::bench
