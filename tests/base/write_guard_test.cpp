#include "base/write_guard.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace lockstep {
namespace {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

constexpr std::size_t kBytes = 8192;

// Readable pages, and not writable ones.
class Pages {
 public:
  Pages() : data_(mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Pages() { munmap(data_, kBytes); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  void write(std::size_t at) const { *static_cast<volatile std::byte*>(data() + at) = std::byte{1}; }
  int read(std::size_t at) const {
    return static_cast<int>(*static_cast<const volatile std::byte*>(data() + at));
  }

 private:
  void* data_;
};

// The line it says it in, with the code that did it.
std::string said(const std::string& message) {
  return "^lockstep: " + message +
         ", in .*base_process_test\\+0x[0-9a-f]+ \\(addr2line -e .* has the line\\)\n$";
}

// A test of its own process, so that neither a sanitizer nor another test has a say in SIGSEGV.
class WriteGuardDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(WriteGuardDeathTest, SaysWhatWasHitAndDiesByTheSignal) {
  const auto hit = [](std::size_t at) {
    std::signal(SIGSEGV, SIG_DFL);
    const Pages pages;
    const WriteGuard guard({{pages.data(), 100, "the first is not yours"},
                            {pages.data() + 100, 4096, "the second is not yours"}});
    EXPECT_EQ(pages.read(at), 0);
    pages.write(at);
  };
  EXPECT_EXIT(hit(0), KilledBySignal(SIGSEGV), said("the first is not yours"));
  EXPECT_EXIT(hit(99), KilledBySignal(SIGSEGV), said("the first is not yours"));
  EXPECT_EXIT(hit(100), KilledBySignal(SIGSEGV), said("the second is not yours"));
  EXPECT_EXIT(hit(4195), KilledBySignal(SIGSEGV), said("the second is not yours"));
  EXPECT_EXIT(hit(4196), KilledBySignal(SIGSEGV), "^$");
}

TEST_F(WriteGuardDeathTest, ForgetsWhatIsNoLongerGuarded) {
  const auto hit = [](int which) {
    std::signal(SIGSEGV, SIG_DFL);
    const Pages pages[3];
    std::unique_ptr<WriteGuard> guards[3];
    for (int i = 0; i < 3; ++i) {
      guards[i] = std::make_unique<WriteGuard>(
          std::vector<WriteGuard::Place>{{pages[i].data(), kBytes, "page " + std::to_string(i)}});
    }
    guards[1].reset();
    EXPECT_TRUE(WriteGuard::covers(pages[0].data()));
    EXPECT_FALSE(WriteGuard::covers(pages[1].data()));
    EXPECT_TRUE(WriteGuard::covers(pages[2].data() + kBytes - 1));
    pages[which].write(0);
  };
  EXPECT_EXIT(hit(0), KilledBySignal(SIGSEGV), said("page 0"));
  EXPECT_EXIT(hit(1), KilledBySignal(SIGSEGV), "^$");
  EXPECT_EXIT(hit(2), KilledBySignal(SIGSEGV), said("page 2"));
}

const Pages* probed = nullptr;

void exit_with_42(int /*number*/) {
  _exit(42);
}
// Makes the page writable, as somebody who tracks writes would.
void unlock(int /*number*/, siginfo_t* info, void* /*context*/) {
  if (info->si_addr == probed->data()) {
    mprotect(probed->data(), kBytes, PROT_READ | PROT_WRITE);
  } else {
    _exit(43);
  }
}

TEST_F(WriteGuardDeathTest, LeavesOtherFaultsToTheHandlerBefore) {
  const Pages other;
  probed = &other;
  const Pages pages;
  const auto places = [&] { return std::vector<WriteGuard::Place>{{pages.data(), kBytes, "guarded"}}; };
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, exit_with_42);
        const WriteGuard guard(places());
        other.write(0);
      },
      ExitedWithCode(42), "^$");
  EXPECT_EXIT(
      {
        struct sigaction action {};
        action.sa_sigaction = unlock;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, nullptr);
        const WriteGuard guard(places());
        other.write(0);
        _exit(other.read(0));
      },
      ExitedWithCode(1), "^$");
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, exit_with_42);
        const WriteGuard guard(places());
        pages.write(0);
      },
      KilledBySignal(SIGSEGV), said("guarded"));
}

TEST_F(WriteGuardDeathTest, TreatsASignalThatWasSentAsBefore) {
  const Pages pages;
  const auto send = [&](void (*before)(int)) {
    std::signal(SIGSEGV, before);
    const WriteGuard guard({{pages.data(), kBytes, "guarded"}});
    kill(getpid(), SIGSEGV);
    _exit(7);
  };
  EXPECT_EXIT(send(SIG_DFL), KilledBySignal(SIGSEGV), "^$");
  EXPECT_EXIT(send(SIG_IGN), ExitedWithCode(7), "^$");
  EXPECT_EXIT(send(exit_with_42), ExitedWithCode(42), "^$");
}

void copy_to_output(const char* text, std::size_t size) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, size);
}

TEST_F(WriteGuardDeathTest, SaysItToAWitnessTooAndAdvises) {
  const auto hit = [] {
    std::signal(SIGSEGV, SIG_DFL);
    const Pages pages;
    const WriteGuard guard({{pages.data(), 100, "this is not yours", "ask before"}});
    WriteGuard::set_witness(copy_to_output);
    pages.write(0);
  };
  EXPECT_EXIT(hit(), KilledBySignal(SIGSEGV),
              "^this is not yours, in .*: ask beforelockstep: this is not yours, in .*: ask before\n$");
}

TEST(WriteGuard, ComesAndGoesOnManyThreads) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      const std::vector<std::byte> mine(100);
      for (int round = 0; round < 500; ++round) {
        EXPECT_FALSE(WriteGuard::covers(mine.data()));
        const WriteGuard guard({{mine.data(), 50, "mine"}, {mine.data() + 50, 0, "nothing"}});
        EXPECT_TRUE(WriteGuard::covers(mine.data() + 49));
        EXPECT_FALSE(WriteGuard::covers(mine.data() + 50));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace lockstep
