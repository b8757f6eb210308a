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

using Arguments = std::vector<std::string>;

void append(Arguments& arguments, const std::string& option, const std::vector<std::string>& values) {
  arguments.push_back(option);
  arguments.insert(arguments.end(), values.begin(), values.end());
}

SubprocessOptions peer_options() {
  SubprocessOptions options;
  options.environment["PYTHONDONTWRITEBYTECODE"] = "1";  // nothing into the source tree
  options.environment["OMP_NUM_THREADS"] = "1";
  return options;
}

template <class Run>
std::optional<std::string> run_script(const std::string& script, Arguments arguments, const Run& run) {
  if (kPython.empty()) {
    return "this libtorch is not from a Python wheel, so there is no Python to compare with";
  }
  arguments.insert(arguments.begin(), {std::string(kPython), c10::str(LOCKSTEP_PEER_FOLDER "/", script)});
  append(arguments, "--optimizers", run.optimizers);
  append(arguments, "--ranks", {std::to_string(run.ranks)});
  append(arguments, "--steps", {std::to_string(run.steps)});
  append(arguments, "--torch-version", {TORCH_VERSION});
  append(arguments, "--output", {run.output.string()});
  const CompletedSubprocess done =
      run_subprocess(arguments, peer_options(), Deadline::after(std::chrono::seconds(200)));
  if (done.status.shell_code() == kSkipped) {
    return c10::str(kPython, ": ", done.standard_output);
  }
  if (!done.status.ok()) {
    throw Error(ErrorCode::kInternal, c10::str("the peer ", done.status.describe(), ":\n",
                                               done.standard_output, done.standard_error));
  }
  return std::nullopt;
}

}  // namespace

std::filesystem::path PeerRun::folder(const std::string& scenario, std::string_view model,
                                      std::string_view optimizer) const {
  return output / scenario / c10::str(model, ".", optimizer);
}

std::optional<std::string> run_peer(const PeerRun& run) {
  Arguments arguments;
  append(arguments, "--scenarios", run.scenarios);
  return run_script("peer.py", std::move(arguments), run);
}

std::optional<std::string> run_peer(const BenchPeerRun& run) {
  return run_script("bench_peer.py", {"--model", run.model, "--batch", std::to_string(run.batch)}, run);
}

}  // namespace lockstep::testing
