// Any bytes as a manifest: twice, as they are and with its checksum put right, since hardly a change would get past that.
// What is accepted is, byte for byte, what would be written.

#include <span>
#include <string>
#include <string_view>

#include "checkpoint/checksum.h"
#include "checkpoint/manifest.h"
#include "one_input.h"

namespace {

using namespace lockstep;
using namespace lockstep::checkpoint;

void read(std::string_view text) {
  fuzz::expect_success_or_error([text] {
    const Manifest manifest = parse_manifest("input", text);
    fuzz::require(manifest_text(manifest) == text);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text);
  const std::string body(text.substr(0, text.rfind("  \"checksum\"")));
  read(body + "  \"checksum\": \"" + checksum_text(std::as_bytes(std::span(body))) + "\"\n}\n");
  return 0;
}
