#include "cli/doctor/backends.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/subprocess.h"
#include "lockstep/error.h"

namespace lockstep::doctor {
namespace {

// A broken driver can make nvidia-smi hang; doctor must not.
constexpr std::chrono::seconds kPatience{5};

std::vector<std::string> path_list(const char* variable) {
  std::vector<std::string> folders;
  if (const char* value = std::getenv(variable); value != nullptr) {
    for (const std::string_view folder : split(value, ':')) {
      folders.emplace_back(folder);
    }
  }
  return folders;
}

std::string find_program(const std::string& name) {
  for (const std::string& folder : path_list("PATH")) {
    std::string path = fmt::format("{}/{}", folder, name);
    std::error_code unreadable_counts_as_absent;
    if (std::filesystem::is_regular_file(path, unreadable_counts_as_absent) &&
        access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return {};
}

// The output of the program; empty if it fails.
std::string output_of(const std::vector<std::string>& argv) {
  try {
    const auto done = run_subprocess(argv, {}, Deadline::after(kPatience));
    return done.status.ok() ? done.standard_output : "";
  } catch (const Error&) {
    return {};  // installed but does not answer: reported as present without a version
  }
}

// The word after `label`, up to white space or a comma; empty without the label.
std::string word_after(std::string_view text, std::string_view label) {
  const auto at = text.find(label);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view rest = trimmed(text.substr(at + label.size()));
  return std::string(rest.substr(0, rest.find_first_of(" \t\n,")));
}

std::vector<std::string> find_gpus(const HostFiles& files) {
  std::vector<std::string> gpus;
  if (const std::string smi = find_program("nvidia-smi"); !smi.empty()) {
    const std::string names = output_of({smi, "--query-gpu=name", "--format=csv,noheader"});
    for (const std::string_view name : split(trimmed(names), '\n')) {
      gpus.emplace_back(trimmed(name));
    }
  }
  if (gpus.empty() && files.exists("/dev/nvidia0")) {
    gpus.emplace_back("NVIDIA GPU of unknown model");
  }
  return gpus;
}

std::string find_nccl(const HostFiles& files) {
  std::vector<std::string> folders = path_list("LD_LIBRARY_PATH");
  for (const char* usual : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                            "/usr/lib", "/usr/local/lib", "/usr/local/cuda/lib64"}) {
    folders.emplace_back(usual);
  }
  for (const std::string& folder : folders) {
    for (const char* name : {"/libnccl.so.2", "/libnccl.so"}) {
      if (files.exists(folder + name)) {
        return folder + name;
      }
    }
  }
  return {};
}

}  // namespace

std::string mpi_version(std::string_view printed) {
  if (const std::string version = word_after(printed, "(Open MPI)"); !version.empty()) {
    return "Open MPI " + version;
  }
  if (printed.find("HYDRA") != std::string_view::npos) {
    return "MPICH " + word_after(printed, "Version:");
  }
  if (printed.find("Intel(R) MPI") != std::string_view::npos) {
    return "Intel MPI " + word_after(printed, "Version");
  }
  return std::string(trimmed(printed.substr(0, printed.find('\n'))));
}

BackendFacts find_backends(const HostFiles& files) {
  BackendFacts backends;
  for (const char* launcher : {"mpirun", "mpiexec"}) {
    if (backends.mpi_launcher.empty()) {
      backends.mpi_launcher = find_program(launcher);
    }
  }
  if (!backends.mpi_launcher.empty()) {
    backends.mpi_version = mpi_version(output_of({backends.mpi_launcher, "--version"}));
  }
  backends.gpus = find_gpus(files);
  backends.nccl_library = find_nccl(files);
  return backends;
}

}  // namespace lockstep::doctor
