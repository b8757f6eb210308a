#pragma once

// Finds which optional backends are installed: an MPI launcher, NVIDIA GPUs, the NCCL library.

#include <string>
#include <string_view>

#include "cli/doctor/facts.h"
#include "cli/doctor/host_files.h"

namespace lockstep::doctor {

// Runs `mpirun --version` and `nvidia-smi` if they exist, each with a deadline of a few seconds.
BackendFacts find_backends(const HostFiles& files);

// "Open MPI 4.1.4", "MPICH 4.0.2", "Intel MPI 2021.9" from the launchers' output for --version; the first line of
// anything else.
std::string mpi_version(std::string_view printed);

}  // namespace lockstep::doctor
