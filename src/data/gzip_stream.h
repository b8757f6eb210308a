#pragma once

// The contents of a gzip file, unpacked as it is read; including files of several members, as made by `cat a.gz b.gz`.

#include <array>
#include <cstddef>
#include <memory>

#include "data/byte_source.h"
#include "data/byte_stream.h"

namespace lockstep {

inline constexpr std::array kGzipMagic = {std::byte{0x1F}, std::byte{0x8B}};

std::unique_ptr<ByteStream> unpack_gzip(std::unique_ptr<ByteSource> source);

}  // namespace lockstep
