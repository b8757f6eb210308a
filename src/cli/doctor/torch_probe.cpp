#include "cli/doctor/torch_probe.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/duration_text.h"
#include "base/subprocess.h"
#include "cli/doctor/host_files.h"
#include "cli/helper_program.h"
#include "lockstep/error.h"

namespace lockstep::doctor {
namespace {

namespace fs = std::filesystem;

TorchFacts failed(std::string trouble) {
  TorchFacts facts;
  facts.outcome = TorchProbeOutcome::kFailed;
  facts.trouble = std::move(trouble);
  return facts;
}

// The last line of the output, where programs say why they failed; its length is bounded for the page.
std::string last_words(std::string_view standard_error) {
  constexpr std::size_t kMost = 400;
  std::string_view words = trimmed(standard_error);
  if (const auto newline = words.rfind('\n'); newline != std::string_view::npos) {
    words.remove_prefix(newline + 1);
  }
  return std::string(words.substr(0, kMost));
}

TorchDescription parse_info(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  TorchDescription info;
  json.at("version").get_to(info.version);
  json.at("compiled_version").get_to(info.compiled_version);
  json.at("blas").get_to(info.blas);
  json.at("cpu_capability").get_to(info.cpu_capability);
  json.at("parallel_backend").get_to(info.parallel_backend);
  json.at("threads").get_to(info.threads);
  json.at("gemm_gflops").get_to(info.gemm_gflops);
  json.at("gloo").get_to(info.gloo);
  return info;
}

TorchFacts judge_answer(const CompletedSubprocess& done) {
  if (!done.status.ok()) {
    const std::string words = last_words(done.standard_error);
    return failed(
        fmt::format("the libtorch probe {}{}{}", done.status.describe(), words.empty() ? "" : ": ", words));
  }
  try {
    TorchFacts facts;
    facts.info = parse_info(done.standard_output);
    facts.outcome = TorchProbeOutcome::kAnswered;
    return facts;
  } catch (const nlohmann::json::exception& error) {
    return failed(fmt::format("the libtorch probe did not print what it should: {}", error.what()));
  }
}

}  // namespace

fs::path find_torch_probe() {
  return cli::find_helper_program("lockstep-torch-probe");
}

TorchFacts run_torch_probe(const fs::path& probe, std::chrono::nanoseconds patience) {
  if (probe.empty()) {
    return {};
  }
  try {
    return judge_answer(run_subprocess({probe.string()}, {}, Deadline::after(patience)));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kTimeout) {
      return failed(fmt::format("the libtorch probe did not end within {}", duration_text(patience)));
    }
    return failed(fmt::format("the libtorch probe could not be run: {}", error.message()));
  }
}

}  // namespace lockstep::doctor
