#include "cli/run/keyboard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>

#include "base/deadline.h"

namespace lockstep::run {
namespace {

using namespace std::chrono_literals;

// A terminal whose keys the test presses.
class Terminal {
 public:
  Terminal() {
    int master = -1;
    int slave = -1;
    EXPECT_EQ(openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
    master_.reset(master);
    slave_.reset(slave);
    termios settings{};
    tcgetattr(slave, &settings);
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(slave, TCSANOW, &settings);
  }

  void type(std::string_view keys) const {
    EXPECT_EQ(write(master_.get(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  // This process, which must lead no group yet, gets it as its terminal and standard input.
  void become_standard_input() const {
    setsid();
    ioctl(slave_.get(), TIOCSCTTY, 0);
    dup2(slave_.get(), STDIN_FILENO);
  }

 private:
  UniqueFd master_;
  UniqueFd slave_;
};

// Relays until `done`, or fails at a deadline.
template <class Done>
void relay_until(Keyboard& keyboard, Done done) {
  const Deadline deadline = Deadline::after(20s);
  while (!done() && !deadline.expired()) {
    pollfd event = keyboard.wants();
    poll(&event, 1, deadline.poll_timeout_ms());
    keyboard.relay(event.revents);
  }
}

// What `reader` has got so far, without waiting.
std::string read_there(int reader) {
  std::string text;
  std::array<char, 65536> buffer{};
  pollfd event{.fd = reader, .events = POLLIN, .revents = 0};
  while (poll(&event, 1, 0) == 1) {
    const ssize_t count = read(reader, buffer.data(), buffer.size());
    if (count <= 0) {
      break;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

// Runs `body` in a process that has the terminal to itself, and expects it to return true.
template <class Body>
void expect_with_terminal(const Terminal& terminal, Body body) {
  const pid_t pid = fork();
  if (pid == 0) {
    terminal.become_standard_input();
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// The two sides of a keyboard in one process: the reader's end stays open beside the writer's.
struct BothSides {
  Keyboard keyboard;
  UniqueFd reader;

  BothSides() {
    // The reading end of its pipe is the lowest new descriptor.
    const int next = dup(STDIN_FILENO);
    close(next);
    keyboard = Keyboard();
    reader.reset(dup(next));
    keyboard.become_writer();
  }
};

TEST(Keyboard, BringsWhatIsTypedToTheReader) {
  const Terminal terminal;
  expect_with_terminal(terminal, [&] {
    BothSides sides;
    terminal.type("hello\nworld\n");
    std::string got;
    relay_until(sides.keyboard, [&] { return (got += read_there(sides.reader.get())).size() >= 12; });
    return got == "hello\nworld\n";
  });
}

TEST(Keyboard, BringsTheEndOfInputToTheReader) {
  const Terminal terminal;
  expect_with_terminal(terminal, [&] {
    BothSides sides;
    terminal.type("\x04");
    relay_until(sides.keyboard, [&] { return sides.keyboard.wants().fd < 0; });
    char byte = 0;
    return sides.keyboard.wants().fd < 0 && read(sides.reader.get(), &byte, 1) == 0;
  });
}

TEST(Keyboard, HoldsWhatTheReaderDoesNotTakeAndReadsNoMore) {
  const Terminal terminal;
  expect_with_terminal(terminal, [&] {
    BothSides sides;
    fcntl(sides.reader.get(), F_SETPIPE_SZ, 4096);
    const std::string line = std::string(1000, 'x') + "\n";
    for (int i = 0; i < 6; ++i) {  // one by one: a terminal holds 4096 bytes
      terminal.type(line);
      pollfd event = sides.keyboard.wants();
      if (event.fd != STDIN_FILENO) {
        break;
      }
      poll(&event, 1, 20'000);
      sides.keyboard.relay(event.revents);
    }
    const bool is_full =
        sides.keyboard.wants().fd != STDIN_FILENO && sides.keyboard.wants().events == POLLOUT;
    std::string got;
    relay_until(sides.keyboard,
                [&] { return (got += read_there(sides.reader.get())).size() >= 5 * line.size(); });
    return is_full && got.find_first_not_of("x\n") == std::string::npos;
  });
}

TEST(Keyboard, StopsWhenTheReaderIsGone) {
  const Terminal terminal;
  expect_with_terminal(terminal, [&] {
    BothSides sides;
    sides.reader.reset();
    terminal.type("hello\n");
    relay_until(sides.keyboard, [&] { return sides.keyboard.wants().fd < 0; });
    return sides.keyboard.wants().fd < 0;
  });
}

TEST(Keyboard, MakesThePipeTheReadersStandardInput) {
  const Terminal terminal;
  expect_with_terminal(terminal, [&] {
    Keyboard keyboard;
    keyboard.become_reader();
    return isatty(STDIN_FILENO) == 0 && fcntl(STDIN_FILENO, F_GETFD) == 0;
  });
}

TEST(Keyboard, LeavesStandardInputAloneThatIsNoTerminal) {
  const pid_t pid = fork();
  if (pid == 0) {
    const UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    dup2(null.get(), STDIN_FILENO);
    Keyboard reader;
    reader.become_reader();
    std::array<char, 64> name{};
    const ssize_t length = readlink("/proc/self/fd/0", name.data(), name.size());
    Keyboard writer;
    writer.become_writer();
    _exit(std::string_view(name.data(), static_cast<std::size_t>(length)) == "/dev/null" &&
                  writer.wants().fd < 0
              ? 0
              : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

// In the background reading would stop the process.
TEST(Keyboard, LeavesATerminalAloneThatBelongsToAnotherGroup) {
  const Terminal terminal;
  expect_with_terminal(terminal, [] {
    const pid_t background = fork();
    if (background == 0) {
      setpgid(0, 0);
      Keyboard keyboard;
      keyboard.become_writer();
      _exit(keyboard.wants().fd < 0 ? 0 : 1);
    }
    int status = 0;
    return waitpid(background, &status, 0) == background && status == 0;
  });
}

}  // namespace
}  // namespace lockstep::run
