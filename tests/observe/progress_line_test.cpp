#include "observe/progress_line.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <limits>
#include <string>

#include "base/unique_fd.h"

namespace lockstep {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kAnyWidth = 1000;

ProgressState usual_state() {
  return {.step = 1240,
          .steps = 4000,
          .epoch = 2.5,
          .epochs = 10,
          .loss = 0.12344,
          .learning_rate = 3e-4,
          .samples_per_second = 12345.4,
          .communication_share = 0.04,
          .data_share = 0.012,
          .eta = 192s};
}

TEST(ProgressText, HasEverythingWhenThereIsRoom) {
  EXPECT_EQ(progress_text(usual_state(), kAnyWidth),
            "epoch 3/10  step 1,240/4,000  loss 0.1234  lr 3.0e-04  12,345 samples/s  comm 4 %  data 1 %  "
            "ETA 0:03:12");
}

TEST(ProgressText, LeavesOutWhatMattersLeastFirst) {
  const ProgressState state = usual_state();
  EXPECT_EQ(progress_text(state, 100),
            "epoch 3/10  step 1,240/4,000  loss 0.1234  lr 3.0e-04  12,345 samples/s  comm 4 %  ETA 0:03:12");
  EXPECT_EQ(progress_text(state, 80),
            "epoch 3/10  step 1,240/4,000  loss 0.1234  12,345 samples/s  ETA 0:03:12");
  EXPECT_EQ(progress_text(state, 60), "epoch 3/10  step 1,240/4,000  loss 0.1234  ETA 0:03:12");
  EXPECT_EQ(progress_text(state, 45), "step 1,240/4,000  loss 0.1234  ETA 0:03:12");
  EXPECT_EQ(progress_text(state, 30), "step 1,240/4,000  loss 0.1234");
  EXPECT_EQ(progress_text(state, 20), "step 1,240/4,000");
  EXPECT_EQ(progress_text(state, 9), "step 1,24");
  EXPECT_EQ(progress_text(state, 0), "");
}

TEST(ProgressText, NeverIsWiderThanItMay) {
  ProgressState state = usual_state();
  state.metrics = {{"größe", 1.5}, {"top5", 0.99}};
  for (std::size_t columns = 0; columns < 130; ++columns) {
    const std::string text = progress_text(state, columns);
    EXPECT_LE(text.size(), columns + 2) << "two letters have a second byte";
  }
}

TEST(ProgressText, ShowsMetricsBehindTheLoss) {
  ProgressState state = usual_state();
  state.metrics = {{"accuracy", 0.98}, {"bad\x1b[2Jname", 3}};
  EXPECT_THAT(progress_text(state, kAnyWidth),
              ::testing::HasSubstr("loss 0.1234  accuracy 98.0 %  bad\\x1b[2Jname 3  lr 3.0e-04"));
}

TEST(ProgressText, DoesWithoutWhatNobodyKnows) {
  EXPECT_EQ(
      progress_text({.step = 7, .epoch = 0, .loss = std::numeric_limits<double>::quiet_NaN()}, kAnyWidth),
      "epoch 1  step 7  loss nan  lr 0.0e+00  0 samples/s  comm 0 %  data 0 %");
}

TEST(ProgressText, CountsAnEpochToItsEnd) {
  auto epoch_at = [](double epoch) {
    const std::string text = progress_text({.epoch = epoch, .epochs = 2}, kAnyWidth);
    return text.substr(0, text.find("  "));
  };
  EXPECT_EQ(epoch_at(0), "epoch 1/2");
  EXPECT_EQ(epoch_at(1), "epoch 1/2");
  EXPECT_EQ(epoch_at(1.01), "epoch 2/2");
  EXPECT_EQ(epoch_at(2), "epoch 2/2");
  EXPECT_EQ(epoch_at(2.5), "epoch 2/2");
}

// What came out of a pipe or a terminal: `bytes` of it.
std::string read_bytes(const UniqueFd& fd, std::size_t bytes) {
  std::string text(bytes, '\0');
  std::size_t have = 0;
  while (have < bytes) {
    const ssize_t count = read(fd.get(), text.data() + have, bytes - have);
    if (count <= 0) {
      break;
    }
    have += static_cast<std::size_t>(count);
  }
  text.resize(have);
  return text;
}

ProgressState at_step(std::int64_t step) {
  return {.step = step, .steps = 9, .epoch = 1, .epochs = 1, .loss = 0.5};
}

std::string line_at(std::int64_t step) {
  return progress_text(at_step(step), kAnyWidth) + "\n";
}

class PipedProgress : public ::testing::Test {
 protected:
  // All that was written.
  std::string output() {
    pipe_.write.reset();
    return read_bytes(pipe_.read, 100'000);
  }

  Pipe pipe_ = Pipe::create();
  ManualClock clock_;
};

TEST_F(PipedProgress, WritesPlainLinesAtAnInterval) {
  {
    ProgressLine progress(pipe_.write.get(), clock_);
    progress.update(at_step(1));
    progress.update(at_step(2));
    clock_.advance(9'999ms);
    progress.update(at_step(3));
    clock_.advance(1ms);
    progress.update(at_step(4));
    progress.update(at_step(5));
  }
  EXPECT_EQ(output(), line_at(1) + line_at(4) + line_at(5)) << "the first, one an interval, and the last";
}

TEST_F(PipedProgress, DoesNotRepeatTheLastLine) {
  ProgressLine progress(pipe_.write.get(), clock_);
  progress.update(at_step(1));
  progress.end();
  progress.end();
  EXPECT_EQ(output(), line_at(1));
}

TEST_F(PipedProgress, SaysLinesAtOnce) {
  ProgressLine progress(pipe_.write.get(), clock_, {.line_interval = 0ms});
  progress.say("before");
  progress.update(at_step(1));
  progress.say("between");
  progress.update(at_step(2));
  EXPECT_EQ(output(), "before\n" + line_at(1) + "between\n" + line_at(2));
}

TEST_F(PipedProgress, WritesNothingWhenThereIsNothingToShow) {
  { ProgressLine progress(pipe_.write.get(), clock_); }
  EXPECT_EQ(output(), "");
}

TEST_F(PipedProgress, GoesOnWhenTheReaderIsGone) {
  const auto previous = std::signal(SIGPIPE, SIG_IGN);
  pipe_.read.reset();
  ProgressLine progress(pipe_.write.get(), clock_);
  progress.update(at_step(1));
  progress.say("to nobody");
  progress.end();
  std::signal(SIGPIPE, previous);
}

class ProgressOnATerminal : public ::testing::Test {
 protected:
  void SetUp() override {
    int master = -1;
    int slave = -1;
    ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
    keys_.reset(master);
    screen_.reset(slave);
    set_width(120);
  }

  void set_width(std::uint16_t columns) const {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(ioctl(screen_.get(), TIOCSWINSZ, &size), 0);
  }

  static std::string drawing(std::int64_t step, std::size_t columns) {
    return "\r\x1b[K" + progress_text(at_step(step), columns - 1) + "\r";
  }

  void expect_next(const std::string& expected) { EXPECT_EQ(read_bytes(keys_, expected.size()), expected); }

  UniqueFd keys_;
  UniqueFd screen_;
  ManualClock clock_;
};

TEST_F(ProgressOnATerminal, DrawsOneLineAgainAndAgain) {
  ProgressLine progress(screen_.get(), clock_);
  progress.update(at_step(1));
  expect_next(drawing(1, 120));
  progress.update(at_step(2));
  clock_.advance(100ms);
  progress.update(at_step(3));
  expect_next(drawing(3, 120));
}

TEST_F(ProgressOnATerminal, FitsTheWidthOfTheMoment) {
  ProgressLine progress(screen_.get(), clock_, {.redraw_interval = 0ms});
  for (const std::uint16_t columns : std::initializer_list<std::uint16_t>{120, 40, 20, 1, 200}) {
    set_width(columns);
    progress.update(at_step(1));
    expect_next(drawing(1, columns));
  }
  set_width(0);  // a terminal that does not know
  progress.update(at_step(2));
  expect_next(drawing(2, 80));
}

TEST_F(ProgressOnATerminal, SaysLinesAboveIt) {
  ProgressLine progress(screen_.get(), clock_);
  progress.say("first");
  expect_next("first\r\n");
  progress.update(at_step(1));
  progress.say("saved");
  expect_next(drawing(1, 120) + "\r\x1b[Ksaved\r\n" + drawing(1, 120));
}

TEST_F(ProgressOnATerminal, MakesRoomForTheMessagesOfOthers) {
  ProgressLine progress(screen_.get(), clock_);
  progress.update(at_step(1));
  progress.hide();
  progress.hide();
  progress.end();
  expect_next(drawing(1, 120) + "\r\x1b[K");
  progress.update(at_step(2));
  expect_next(drawing(2, 120));
}

TEST_F(ProgressOnATerminal, LeavesTheLastStateAndACleanLine) {
  ProgressLine progress(screen_.get(), clock_);
  progress.update(at_step(1));
  progress.update(at_step(2));
  progress.end();
  expect_next(drawing(1, 120) + drawing(2, 120) + "\r\n");
  progress.say("done");
  expect_next("done\r\n");
}

TEST_F(ProgressOnATerminal, DoesNotWaitForOneThatIsHeld) {
  ProgressLine progress(screen_.get(), clock_, {.redraw_interval = 0ms});
  ASSERT_EQ(tcflow(screen_.get(), TCOOFF), 0);
  for (int i = 0; i < 10'000; ++i) {
    progress.update(at_step(i));  // more than any terminal keeps for later
  }
  ASSERT_EQ(tcflow(screen_.get(), TCOON), 0);
  ASSERT_EQ(fcntl(screen_.get(), F_GETFL) & O_NONBLOCK, 0) << "the descriptor is still as its owner made it";
  tcflush(screen_.get(), TCIOFLUSH);
}

}  // namespace
}  // namespace lockstep
