#include "base/host_name.h"

#include <gtest/gtest.h>

#include <fstream>

namespace lockstep {
namespace {

TEST(HostName, IsTheKernels) {
  std::string name;
  std::getline(std::ifstream("/proc/sys/kernel/hostname"), name);
  EXPECT_EQ(this_host_name(), name);
}

}  // namespace
}  // namespace lockstep
