#include <gtest/gtest.h>

#include "cli/doctor/checks.h"
#include "cli/doctor/healthy_facts.h"

namespace lockstep::doctor {
namespace {

Check backend_check(const BackendFacts& backends, std::string_view name) {
  return check_named(judge_backends(backends), name);
}

TEST(Backends, AreNeverMoreThanInformation) {
  for (const Check& check : judge_backends({})) {
    EXPECT_EQ(check.status, Status::kOk) << check.name;
    EXPECT_EQ(check.advice, "") << check.name;
  }
}

TEST(Backends, SayWhatIsMissingAndWhoNeedsIt) {
  EXPECT_EQ(backend_check({}, "MPI").seen, "none found; one host does not need it");
  EXPECT_EQ(backend_check({}, "GPU").seen, "none found; training runs on the processor");
  EXPECT_EQ(backend_check({}, "NCCL").seen, "none found; only GPUs need it");
}

TEST(Backends, NameWhatWasFound) {
  const BackendFacts backends{.mpi_launcher = "/usr/bin/mpirun",
                              .mpi_version = "Open MPI 4.1.4",
                              .gpus = {"A100", "A100", "T4"},
                              .nccl_library = "/usr/lib/libnccl.so.2"};
  EXPECT_EQ(backend_check(backends, "MPI").seen, "Open MPI 4.1.4 (/usr/bin/mpirun)");
  EXPECT_EQ(backend_check(backends, "GPU").seen, "2 x A100, 1 x T4");
  EXPECT_EQ(backend_check(backends, "NCCL").seen, "/usr/lib/libnccl.so.2");
}

TEST(Backends, NameAnMpiThatDoesNotSayItsVersion) {
  BackendFacts backends;
  backends.mpi_launcher = "/opt/mpirun";
  EXPECT_EQ(backend_check(backends, "MPI").seen, "of unknown version (/opt/mpirun)");
}

}  // namespace
}  // namespace lockstep::doctor
