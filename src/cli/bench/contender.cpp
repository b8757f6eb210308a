#include "cli/bench/contender.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "cli/doctor/host_files.h"
#include "cli/helper_program.h"

namespace lockstep::bench {
namespace {

namespace fs = std::filesystem;

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : doctor::split(path != nullptr ? path : "", ':')) {
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

std::string why_missing(Implementation implementation, const fs::path& program) {
  if (implementation == Implementation::kGloo && program.empty()) {
    return "this lockstep was built without libtorch; build it with LOCKSTEP_WITH_TORCH=ON";
  }
  if (implementation == Implementation::kOpenMpi && program.empty()) {
    return "this lockstep was built without MPI; install libopenmpi-dev and build it again";
  }
  if (implementation == Implementation::kOpenMpi && !in_path("mpirun")) {
    return "mpirun is not in PATH; install openmpi-bin";
  }
  return {};
}

}  // namespace

std::string_view to_string(Implementation implementation) {
  switch (implementation) {
    case Implementation::kLockstep:
      return "lockstep";
    case Implementation::kGloo:
      return "gloo";
    case Implementation::kOpenMpi:
      return "openmpi";
  }
  return "?";
}

Contender find_contender(Implementation implementation) {
  Contender contender{.implementation = implementation, .program = {}, .missing = {}};
  switch (implementation) {
    case Implementation::kLockstep:
      contender.program = fs::read_symlink("/proc/self/exe");
      break;
    case Implementation::kGloo:
      contender.program = cli::find_helper_program("lockstep-bench-gloo");
      break;
    case Implementation::kOpenMpi:
      contender.program = cli::find_helper_program("lockstep-bench-mpi");
      break;
  }
  contender.missing = why_missing(implementation, contender.program);
  return contender;
}

WorkerTeam make_team(const Contender& contender, int ranks, int flags_fd) {
  WorkerTeam team{.name = std::string(to_string(contender.implementation)), .ranks = ranks};
  team.process.environment = {{"OMP_NUM_THREADS", "1"}, {"MKL_NUM_THREADS", "1"}};
  const std::string program = contender.program.string();
  const std::string size = fmt::format("{}", ranks);
  if (contender.implementation == Implementation::kOpenMpi) {
    // The launcher is asked to exit rather than killed: it has files to remove.
    team.process.parent_death_signal = SIGTERM;
    team.commands = {{"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", size,
                      program, "--size", size}};
    return team;
  }
  for (int rank = 0; rank < ranks; ++rank) {
    auto& words = team.commands.emplace_back(std::vector{program});
    if (contender.implementation == Implementation::kLockstep) {
      words.insert(words.end(), {"bench", "worker", "--flags-fd", fmt::format("{}", flags_fd)});
    }
    words.insert(words.end(), {"--size", size, "--rank", fmt::format("{}", rank)});
  }
  if (contender.implementation == Implementation::kLockstep) {
    team.process.inherited_fds = {flags_fd};
  }
  return team;
}

}  // namespace lockstep::bench
