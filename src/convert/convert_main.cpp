// lockstep-convert: converts tensors from safetensors to PyTorch's archives and back. A separate program: `lockstep`
// and training programs never read a pickle. It does not need libtorch.

#include <fmt/format.h>

#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "config/printable.h"
#include "config/usage.h"
#include "convert/conversion.h"
#include "lockstep/error.h"

namespace {

using namespace lockstep;

struct ConvertOptions {
  std::optional<std::string> part;
  std::optional<std::string> key;
  bool force = false;

  void describe(config::Description& d) {
    d.option("part", part, "of a checkpoint; the model when it is not said")
        .choices({"model", "ema", "optimizer"});
    d.option("key", key, "where in an archive the state_dict is, when there is more in it");
    d.option("force", force, "overwrite OUT");
  }
};

const config::Usage kUsage{.name = "lockstep-convert",
                           .about =
                               "Converts tensors between .safetensors and the archives of PyTorch's "
                               "torch.save, .pt or .pth, as the ends "
                               "of the names say. IN may also be the folder of a checkpoint. Of an archive "
                               "only a state_dict is read, and "
                               "nothing in it is executed: what is neither a tensor nor a container of them "
                               "is refused by its name. OUT "
                               "appears when it is complete.",
                           .arguments = "IN OUT",
                           .expected = "IN and OUT",
                           .fewest = 2,
                           .most = 2};

int run(int argc, const char* const* argv) {
  ConvertOptions options;
  std::vector<std::string> paths;
  if (const auto exit_code = config::parse_usage(options, argc, argv, kUsage, paths)) {
    return *exit_code;
  }
  const convert::Converted done = convert::convert({.input = paths[0],
                                                    .output = paths[1],
                                                    .part = options.part,
                                                    .key = options.key,
                                                    .overwrite = options.force});
  std::cout << fmt::format("{}: {} tensor{}, {} bytes\n", config::printable(paths[1]), done.tensors,
                           done.tensors == 1 ? "" : "s", done.bytes);
  // A full disk or a closed pipe must not look like success.
  if (!std::cout.flush()) {
    throw Error(ErrorCode::kSystem, "standard output could not be written");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << fmt::format("{}: {}\n", kUsage.name, error.what());
    return config::kUsageExitCode;
  }
}
