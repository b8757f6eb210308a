#include "parity/peer.h"

#include <c10/util/StringUtil.h>
#include <torch/version.h>

#include <chrono>
#include <utility>

#include "base/subprocess.h"
#include "lockstep/error.h"

namespace lockstep::testing {
namespace {

constexpr std::string_view kPython = LOCKSTEP_PEER_PYTHON;
constexpr int kSkipped = 77;

std::vector<std::string> command_of(const PeerRun& run) {
  std::vector<std::string> command = {std::string(kPython), LOCKSTEP_PEER_SCRIPT, "--scenarios"};
  command.insert(command.end(), run.scenarios.begin(), run.scenarios.end());
  command.emplace_back("--optimizers");
  command.insert(command.end(), run.optimizers.begin(), run.optimizers.end());
  command.insert(command.end(), {"--ranks", std::to_string(run.ranks), "--steps", std::to_string(run.steps),
                                 "--torch-version", TORCH_VERSION, "--output", run.output.string()});
  return command;
}

}  // namespace

std::filesystem::path PeerRun::folder(const std::string& scenario, std::string_view model,
                                      std::string_view optimizer) const {
  return output / scenario / c10::str(model, ".", optimizer);
}

std::optional<std::string> run_peer(const PeerRun& run) {
  if (kPython.empty()) {
    return "this libtorch is not from a Python wheel, so there is no Python to compare with";
  }
  SubprocessOptions options;
  options.environment["PYTHONDONTWRITEBYTECODE"] = "1";  // nothing into the source tree
  options.environment["OMP_NUM_THREADS"] = "1";
  const CompletedSubprocess done =
      run_subprocess(command_of(run), std::move(options), Deadline::after(std::chrono::seconds(200)));
  if (done.status.shell_code() == kSkipped) {
    return c10::str(kPython, ": ", done.standard_output);
  }
  if (!done.status.ok()) {
    throw Error(ErrorCode::kInternal, c10::str("the peer ", done.status.describe(), ":\n",
                                               done.standard_output, done.standard_error));
  }
  return std::nullopt;
}

}  // namespace lockstep::testing
