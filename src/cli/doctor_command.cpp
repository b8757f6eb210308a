#include "cli/doctor_command.h"

#include <iostream>

#include "cli/command.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/machine.h"
#include "cli/doctor/page.h"
#include "cli/doctor/report.h"
#include "lockstep/config.h"

namespace lockstep::cli {
namespace {

struct DoctorOptions {
  bool json = false;

  void describe(config::Description& description) {
    description.option("json", json, "print JSON instead of a page");
  }
};

}  // namespace

// Ignores the environment and files that configure a training run: they must not affect a diagnosis.
int run_doctor(int argc, const char* const* argv) {
  DoctorOptions options;
  const config::ProgramInfo program{
      .name = "lockstep doctor",
      .about =
          "Tells whether this machine is fit for multi-process training: looks at the processor, memory, "
          "kernel, limits, libtorch and optional backends, and says what to do about what it finds. Exits "
          "with 1 when something is a problem.",
      .env_prefix = ""};
  if (const auto exit_code = config::parse_command_line(options, argc, argv, program)) {
    return *exit_code;
  }
  const doctor::Report report{doctor::judge(doctor::gather_facts(doctor::HostFiles()))};
  if (options.json) {
    std::cout << report.to_json_text() << '\n';
  } else {
    std::cout << doctor::render_page(report, doctor::PageStyle::of_standard_output());
  }
  return report.fit() ? kExitOk : kExitFound;
}

}  // namespace lockstep::cli
