#include "cli/doctor/backends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "cli/doctor/fake_host.h"

namespace lockstep::doctor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Sets an environment variable for its lifetime.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name); before != nullptr) {
      before_ = before;
    }
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// A machine with programs of our own, and no others, in PATH.
class FindBackends : public testing::Test {
 protected:
  void add_program(const char* name, const std::string& script) {
    host_.add(name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(host_.root() / name, std::filesystem::perms::owner_all);
  }

  FakeHost host_;
  ScopedVariable path_{"PATH", host_.root().string()};
  ScopedVariable library_path_{"LD_LIBRARY_PATH", "/nowhere:/opt/nccl"};
};

TEST_F(FindBackends, FindsNothingOnABareMachine) {
  const BackendFacts backends = find_backends(host_.files());
  EXPECT_EQ(backends.mpi_launcher, "");
  EXPECT_EQ(backends.mpi_version, "");
  EXPECT_THAT(backends.gpus, IsEmpty());
  EXPECT_EQ(backends.nccl_library, "");
}

TEST_F(FindBackends, AsksMpirunForItsVersion) {
  add_program("mpirun", "echo 'mpirun (Open MPI) 4.1.4'");
  add_program("mpiexec", "echo 'mpiexec (Open MPI) 9.9.9'");
  const BackendFacts backends = find_backends(host_.files());
  EXPECT_EQ(backends.mpi_launcher, (host_.root() / "mpirun").string());
  EXPECT_EQ(backends.mpi_version, "Open MPI 4.1.4");
}

TEST_F(FindBackends, KeepsAnMpiThatFailsToAnswer) {
  add_program("mpiexec", "echo broken; exit 1");
  const BackendFacts backends = find_backends(host_.files());
  EXPECT_EQ(backends.mpi_launcher, (host_.root() / "mpiexec").string());
  EXPECT_EQ(backends.mpi_version, "");
}

TEST_F(FindBackends, IgnoresAFileThatIsNoProgram) {
  host_.add("mpirun", "not executable");
  EXPECT_EQ(find_backends(host_.files()).mpi_launcher, "");
}

TEST_F(FindBackends, ListsTheGpusThatNvidiaSmiNames) {
  add_program("nvidia-smi", "echo 'NVIDIA A100'; echo 'NVIDIA T4'");
  EXPECT_THAT(find_backends(host_.files()).gpus, ElementsAre("NVIDIA A100", "NVIDIA T4"));
}

TEST_F(FindBackends, SeesAGpuByItsDeviceWhenNvidiaSmiFails) {
  add_program("nvidia-smi", "echo 'no driver'; exit 9");
  EXPECT_THAT(find_backends(host_.files()).gpus, IsEmpty());
  host_.add("/dev/nvidia0", "");
  EXPECT_THAT(find_backends(host_.files()).gpus, ElementsAre("NVIDIA GPU of unknown model"));
}

TEST_F(FindBackends, LooksForNcclWhereTheLoaderLooks) {
  host_.add("/usr/lib64/libnccl.so.2", "");
  EXPECT_EQ(find_backends(host_.files()).nccl_library, "/usr/lib64/libnccl.so.2");
  host_.add("/opt/nccl/libnccl.so.2", "");
  EXPECT_EQ(find_backends(host_.files()).nccl_library, "/opt/nccl/libnccl.so.2");
}

TEST(MpiVersion, KnowsTheLaunchersByWhatTheyPrint) {
  EXPECT_EQ(mpi_version("mpirun (Open MPI) 4.1.4\n\nReport bugs to\n"), "Open MPI 4.1.4");
  EXPECT_EQ(mpi_version("HYDRA build details:\n    Version:          4.0.2\n    Release Date: x\n"),
            "MPICH 4.0.2");
  EXPECT_EQ(mpi_version("Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 1\n"), "Intel MPI 2021.9");
}

TEST(MpiVersion, TakesTheFirstLineOfAnyOther) {
  EXPECT_EQ(mpi_version("  Other MPI 1.0\nmore\n"), "Other MPI 1.0");
  EXPECT_EQ(mpi_version(""), "");
}

}  // namespace
}  // namespace lockstep::doctor
