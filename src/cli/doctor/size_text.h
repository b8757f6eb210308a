#pragma once

// Formats sizes for people: "512 B", "64 MiB", "23.5 GiB".

#include <cstdint>
#include <string>

namespace lockstep::doctor {

std::string size_text(std::uint64_t bytes);

}  // namespace lockstep::doctor
