#include "cli/bench/last_level_cache.h"

#include <gtest/gtest.h>

#include <string>

#include "cli/doctor/fake_host.h"

namespace lockstep::bench {
namespace {

using doctor::FakeHost;

struct FakeCache {
  std::string level;
  std::string type;
  std::string size;
  std::string cores;
};

void add_cache(FakeHost& host, int core, int index, const FakeCache& cache) {
  const std::string folder =
      "/sys/devices/system/cpu/cpu" + std::to_string(core) + "/cache/index" + std::to_string(index) + "/";
  host.add(folder + "level", cache.level + "\n")
      .add(folder + "type", cache.type + "\n")
      .add(folder + "size", cache.size + "\n")
      .add(folder + "shared_cpu_list", cache.cores + "\n");
}

TEST(LastLevelCache, IsTheOutermostOneForData) {
  FakeHost host;
  add_cache(host, 0, 0, {"1", "Data", "48K", "0"});
  add_cache(host, 0, 1, {"1", "Instruction", "32K", "0"});
  add_cache(host, 0, 2, {"2", "Unified", "2048K", "0"});
  add_cache(host, 0, 3, {"3", "Unified", "32768K", "0-1"});
  add_cache(host, 1, 0, {"3", "Unified", "32768K", "0-1"});
  EXPECT_EQ(last_level_cache_bytes(host.files()), std::uint64_t{32} << 20);
}

TEST(LastLevelCache, CountsEachOnceWhateverCoresShareIt) {
  FakeHost host;
  add_cache(host, 0, 0, {"3", "Unified", "1024K", "0,2"});
  add_cache(host, 1, 0, {"3", "Unified", "1024K", "1,3"});
  add_cache(host, 2, 0, {"3", "Unified", "1024K", "0,2"});
  add_cache(host, 3, 0, {"3", "Unified", "1024K", "1,3"});
  EXPECT_EQ(last_level_cache_bytes(host.files()), std::uint64_t{2} << 20);
}

TEST(LastLevelCache, BelongsToItsCoreWhenNobodyIsNamed) {
  FakeHost host;
  add_cache(host, 0, 0, {"2", "Unified", "512K", ""});
  add_cache(host, 1, 0, {"2", "Unified", "512K", ""});
  EXPECT_EQ(last_level_cache_bytes(host.files()), std::uint64_t{1} << 20);
}

TEST(LastLevelCache, PassesOverCoresThatAreOff) {
  FakeHost host;
  add_cache(host, 0, 0, {"3", "Unified", "1024K", "0,2"});
  host.add("/sys/devices/system/cpu/cpu1/online", "0\n");
  add_cache(host, 2, 0, {"3", "Unified", "1024K", "0,2"});
  add_cache(host, 3, 0, {"3", "Unified", "1024K", "3"});
  EXPECT_EQ(last_level_cache_bytes(host.files()), std::uint64_t{2} << 20);
}

TEST(LastLevelCache, IsUnknownWhereNothingIsSaid) {
  EXPECT_EQ(last_level_cache_bytes(FakeHost().files()), std::nullopt);
  FakeHost without_cache;
  without_cache.add("/sys/devices/system/cpu/cpu0/online", "1\n");
  EXPECT_EQ(last_level_cache_bytes(without_cache.files()), std::nullopt);
}

TEST(LastLevelCache, IsUnknownWhenItsSizeIsGarbled) {
  for (const char* size : {"", "K", "0K", "lots", "32768", "32M", "-1K", "1 K"}) {
    FakeHost host;
    add_cache(host, 0, 0, {"2", "Unified", "512K", "0"});
    add_cache(host, 0, 1, {"3", "Unified", size, "0"});
    EXPECT_EQ(last_level_cache_bytes(host.files()), std::nullopt) << size;
  }
}

TEST(LastLevelCache, IsNotOneOfInstructions) {
  FakeHost host;
  add_cache(host, 0, 0, {"1", "Instruction", "32K", "0"});
  EXPECT_EQ(last_level_cache_bytes(host.files()), std::nullopt);
}

}  // namespace
}  // namespace lockstep::bench
