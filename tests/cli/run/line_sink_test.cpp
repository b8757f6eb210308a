#include "cli/run/line_sink.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

namespace lockstep::run {
namespace {

using namespace std::chrono_literals;

// Far more than any of it takes.
Deadline soon() {
  return Deadline::after(20s);
}

// Reads until `bytes` have come or the other end is closed.
std::string read_bytes(const UniqueFd& fd, std::size_t bytes) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (text.size() < bytes) {
    const ssize_t count = read(fd.get(), buffer.data(), std::min(buffer.size(), bytes - text.size()));
    if (count <= 0) {
      break;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

bool becomes_readable(int fd) {
  pollfd event{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&event, 1, soon().poll_timeout_ms()) == 1;
}

bool flush(LineSink& sink, const Deadline& deadline) {
  while (!sink.is_idle() && !deadline.expired()) {
    pollfd event{.fd = sink.room_fd(), .events = POLLIN, .revents = 0};
    poll(&event, 1, deadline.poll_timeout_ms());
    sink.acknowledge_room();
  }
  return sink.is_idle();
}

std::size_t fill(LineSink& sink, std::size_t queue, const std::string& line) {
  std::size_t bytes = 0;
  while (sink.has_room(queue)) {
    sink.put(queue, line);
    bytes += line.size();
  }
  return bytes;
}

class LineSinkTest : public ::testing::Test {
 protected:
  Pipe pipe_ = Pipe::create();
  std::unique_ptr<LineSink> sink_ =
      std::make_unique<LineSink>(pipe_.write.get(), 3, std::make_shared<Mutex>());
};

TEST_F(LineSinkTest, WritesWhatItIsGiven) {
  sink_->put(0, "one\n");
  EXPECT_TRUE(flush(*sink_, soon()));
  sink_->put(2, "two\n");
  sink_->put(2, "three\n");
  EXPECT_TRUE(flush(*sink_, soon()));
  EXPECT_EQ(read_bytes(pipe_.read, 14), "one\ntwo\nthree\n");
}

TEST_F(LineSinkTest, IsIdleAtFirst) {
  EXPECT_TRUE(sink_->is_idle());
}

TEST_F(LineSinkTest, BoundsEachQueueByItself) {
  // It returns, so there was no room; there may be some by now, since the writer takes what a pipe holds.
  const std::size_t flood = fill(*sink_, 0, std::string(1023, 'x') + "\n");
  EXPECT_TRUE(sink_->has_room(1));
  EXPECT_LT(flood, 1U << 20);
  EXPECT_EQ(read_bytes(pipe_.read, flood).size(), flood);
  EXPECT_TRUE(flush(*sink_, soon()));
  EXPECT_TRUE(sink_->has_room(0));
}

TEST_F(LineSinkTest, SaysWhenThereIsRoomAgain) {
  const std::size_t flood = fill(*sink_, 0, std::string(1023, 'x') + "\n");
  sink_->acknowledge_room();
  read_bytes(pipe_.read, flood);
  while (!sink_->has_room(0)) {
    ASSERT_TRUE(becomes_readable(sink_->room_fd()));
    sink_->acknowledge_room();
  }
}

TEST_F(LineSinkTest, LetsTheOthersInBetweenAFlood) {
  const std::string line = std::string(1023, 'x') + "\n";
  const std::size_t flood = fill(*sink_, 0, line);
  sink_->put(1, "me too\n");
  const std::string text = read_bytes(pipe_.read, flood + 7);
  const auto place = text.find("me too\n");
  // What was in the pipe, the turn under way, and one more turn go before; the rest of the flood does not.
  EXPECT_LT(place, std::size_t{64 << 10} + std::size_t{64 << 10});
  EXPECT_EQ(place % line.size(), 0U);  // and no line is torn
}

TEST_F(LineSinkTest, GivesALineThatIsLongerThanATurnInOnePiece) {
  const std::string line = std::string(100'000, 'y') + "\n";
  sink_->put(0, line);
  sink_->put(1, "short\n");
  const std::string text = read_bytes(pipe_.read, line.size() + 6);
  EXPECT_TRUE(text == line + "short\n" || text == "short\n" + line);
}

TEST_F(LineSinkTest, IsNotIdleWhenNobodyReads) {
  fill(*sink_, 0, std::string(1023, 'x') + "\n");
  EXPECT_FALSE(flush(*sink_, Deadline::after(10ms)));
}

TEST_F(LineSinkTest, EndsThoughNobodyReads) {
  fill(*sink_, 0, std::string(1023, 'x') + "\n");
  ASSERT_TRUE(becomes_readable(pipe_.read.get()));
  sink_.reset();
  pipe_.write.reset();
  const std::string text = read_bytes(pipe_.read, std::size_t{1} << 20);
  EXPECT_LE(text.size(), std::size_t{64 << 10});  // what the pipe holds
}

TEST(LineSink, WritesOverWhatAWorkerHasDrawnOnTheTerminal) {
  int master = -1;
  int slave = -1;
  ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const UniqueFd keys(master);
  const UniqueFd screen(slave);
  LineSink sink(screen.get(), 1, std::make_shared<Mutex>());
  sink.put(0, "one\ntwo\n");
  const std::string shown = "\x1b[Kone\r\n\x1b[Ktwo\r\n";
  EXPECT_EQ(read_bytes(keys, shown.size()), shown);
}

TEST(LineSink, EndsThoughATerminalIsHeld) {
  int master = -1;
  int slave = -1;
  ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  const UniqueFd keys(master);
  const UniqueFd screen(slave);
  // Room for one byte is room to poll(), and not to a line's end, which takes two: only a write tells.
  const UniqueFd probe(open(ptsname(master), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(probe);
  LineSink sink(screen.get(), 1, std::make_shared<Mutex>());
  fill(sink, 0, std::string(1023, 'x') + "\n");
  const Deadline deadline = soon();
  while (write(probe.get(), "\n", 1) == 1) {
    ASSERT_FALSE(deadline.expired()) << "the terminal takes all of it";
    std::this_thread::yield();
  }
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(LineSinkTest, DropsLinesWhenTheReaderIsGone) {
  const auto previous = std::signal(SIGPIPE, SIG_IGN);
  pipe_.read.reset();
  for (int i = 0; i < 100; ++i) {
    fill(*sink_, 0, std::string(1023, 'x') + "\n");
    ASSERT_TRUE(flush(*sink_, soon()));
  }
  std::signal(SIGPIPE, previous);
}

TEST(LineSinks, ToTheSameFileDoNotTearEachOthersLines) {
  Pipe pipe = Pipe::create();
  const auto file = std::make_shared<Mutex>();
  LineSink out(pipe.write.get(), 1, file);
  LineSink err(pipe.write.get(), 1, file);
  const std::string out_line = std::string(9'999, 'o') + "\n";
  const std::string err_line = std::string(9'999, 'e') + "\n";
  for (int i = 0; i < 20; ++i) {
    out.put(0, out_line);
    err.put(0, err_line);
  }
  const std::string text = read_bytes(pipe.read, 40 * out_line.size());
  for (std::size_t i = 0; i < 40; ++i) {
    const std::string line = text.substr(i * out_line.size(), out_line.size());
    EXPECT_TRUE(line == out_line || line == err_line) << "line " << i;
  }
}

}  // namespace
}  // namespace lockstep::run
