#pragma once

// TensorBoard's records, byte by byte: an Event message of protocol buffers in a TFRecord frame. Only the few fields
// that scalars need, so neither protobuf nor TensorFlow is required.

#include <string>
#include <string_view>

#include "lockstep/metric_row.h"

namespace lockstep {

// The first record of a file. `wall_time` is in seconds since 1970.
std::string event_file_start(double wall_time);

// All values of a row, under tags such as "train/loss". They are stored as 32-bit floats. Bytes that are not UTF-8 are
// escaped, since readers would refuse the file otherwise.
std::string event_of_row(double wall_time, const MetricRow& row);

// Length, its checksum, the bytes, their checksum.
std::string tfrecord(std::string_view bytes);

}  // namespace lockstep
