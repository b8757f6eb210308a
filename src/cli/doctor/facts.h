#pragma once

// What doctor knows about a machine, as plain data. gather_facts() fills it in; the checks judge it. An empty optional
// means that the machine did not report it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::doctor {

struct ProcessorFacts {
  std::string model;         // empty: unknown
  std::string architecture;  // "x86_64"
  std::vector<std::string> features;
  int online_cores = 0;
  int affinity_cores = 0;  // how many of them this process may run on; Linux counts hardware threads
  // Of those; 0: unknown.
  int physical_cores = 0;
  int caches = 0;  // last-level ones
  int packages = 0;
};

// The tightest limits from this process's control group up to the root. A group with a limit is named by its path in
// the hierarchy.
struct CgroupLimits {
  std::optional<double> cpu_cores;
  std::string cpu_group;
  std::optional<std::uint64_t> memory_bytes;
  std::uint64_t memory_used_bytes = 0;  // of memory_group, without page cache that can be dropped
  std::string memory_group;
  std::optional<std::uint64_t> processes;
  std::string processes_group;
};

struct MemoryFacts {
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> available_bytes;
  std::string shared_huge_pages;  // the mode: "never", "advise", ...; empty: not supported by the kernel
  std::uint64_t page_bytes = 4096;
};

// The result of a trial: it works, or the reason why not.
struct Trial {
  bool works = false;
  std::string trouble;
};

struct KernelFacts {
  std::string release;       // "6.1.0-18-amd64"
  std::string clock_source;  // empty: unknown
  double clock_read_ns = 0;
  std::string core_pattern;  // empty: unknown
  Trial sealed_memory;
  Trial shared_mapping;
  Trial process_descriptors;
  Trial unix_sockets;
};

// An empty value is "unlimited".
struct ResourceLimit {
  std::optional<std::uint64_t> soft;
  std::optional<std::uint64_t> hard;
};

struct LimitFacts {
  ResourceLimit open_files;
  ResourceLimit locked_memory_bytes;
  ResourceLimit processes;
  ResourceLimit core_file_bytes;
};

enum class TorchProbeOutcome {
  kAbsent,    // no probe program: a build without libtorch
  kFailed,    // it crashed, took too long, or printed something else
  kAnswered,  // `info` holds its answer
};

// The probe's report about libtorch, with the names of its JSON. A separate struct, because this layer does not depend
// on the one that sees libtorch.
struct TorchDescription {
  std::string version;           // the loaded libtorch
  std::string compiled_version;  // the libtorch that Lockstep was compiled with
  std::string blas;
  std::string cpu_capability;  // the instruction set of its kernels: "AVX2", "DEFAULT", ...
  std::string parallel_backend;
  int threads = 0;         // inside one operation, by default
  double gemm_gflops = 0;  // float32, one thread
  bool gloo = false;
};

struct TorchFacts {
  TorchProbeOutcome outcome = TorchProbeOutcome::kAbsent;
  std::string trouble;    // of kFailed
  TorchDescription info;  // of kAnswered
  std::optional<std::string> omp_num_threads;
};

struct BackendFacts {
  std::string mpi_launcher;  // path of mpirun or mpiexec; empty: none
  std::string mpi_version;   // "Open MPI 4.1.4"; empty: unknown
  std::vector<std::string> gpus;
  std::string nccl_library;  // path; empty: none
};

struct Facts {
  ProcessorFacts processor;
  CgroupLimits cgroup;
  MemoryFacts memory;
  KernelFacts kernel;
  LimitFacts limits;
  TorchFacts torch;
  BackendFacts backends;
};

}  // namespace lockstep::doctor
