#pragma once

// TensorBoard's records, byte by byte: an Event message of protocol buffers in the frame of a TFRecord. Only the few
// fields that scalars need, so neither protobuf nor TensorFlow is.

#include <string>
#include <string_view>

#include "lockstep/metric_row.h"

namespace lockstep {

// The record that a file begins with. `wall_time` is in seconds since 1970.
std::string event_file_start(double wall_time);

// All values of a row, under tags such as "train/loss". They are 32-bit floats there, and bytes that are no UTF-8 are
// spelled out, since readers refuse the file otherwise.
std::string event_of_row(double wall_time, const MetricRow& row);

// Length, its checksum, the bytes, their checksum.
std::string tfrecord(std::string_view bytes);

}  // namespace lockstep
