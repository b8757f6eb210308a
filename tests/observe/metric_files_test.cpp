#include "observe/metric_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "lockstep/error.h"
#include "not_finite.h"
#include "observe/append_file.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

MetricRow train_row() {
  return {.phase = "train",
          .step = 10,
          .epoch = 0.25,
          .seconds = 1.5,
          .values = {{"loss", 0.1}, {"learning_rate", 3e-4}}};
}

std::string content_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<fs::path> event_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("events.out.tfevents.")) {
      files.push_back(entry.path());
    }
  }
  return files;
}

template <class Call>
Error error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::kInternal, "nothing was thrown"};
}

TEST(JsonLine, HasTheMomentAndTheValuesInTheirOrder) {
  EXPECT_EQ(to_json_line(train_row()), R"({"seconds":1.5,"step":10,"epoch":0.25,"phase":"train",)"
                                       R"("values":{"loss":0.1,"learning_rate":0.0003}})"
                                       "\n");
}

TEST(JsonLine, SpellsOutWhatJsonHasNoNumberFor) {
  MetricRow row{.phase = "eval", .values = {{"a", kNan}, {"b", -kNan}, {"c", kInf}, {"d", -kInf}}};
  EXPECT_THAT(to_json_line(row), HasSubstr(R"("values":{"a":"nan","b":"nan","c":"inf","d":"-inf"})"));
}

TEST(JsonLine, StaysOneLineOfValidTextWhateverTheNames) {
  MetricRow row{.phase = "a\nb\"", .values = {{"\xFF", 1}, {"twice", 1}, {"twice", 2}}};
  EXPECT_EQ(to_json_line(row),
            "{\"seconds\":0.0,\"step\":0,\"epoch\":0.0,\"phase\":\"a\\nb\\\"\","
            "\"values\":{\"\xEF\xBF\xBD\":1.0,\"twice\":2.0}}\n");
}

TEST(JsonLines, AreReadAsTheyWereWritten) {
  const TempDir folder;
  const MetricRow odd{.phase = "e\"val",
                      .step = -3,
                      .epoch = 0.1,
                      .seconds = kInf,
                      .values = {{"z", -kInf}, {"a", 1.0 / 3}, {"größe", kNan}}};
  {
    JsonLines lines(folder.path() / "metrics.jsonl");
    lines.write(train_row());
    lines.write(odd);
  }
  const std::vector<MetricRow> rows = read_json_lines(folder.path() / "metrics.jsonl");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(to_json_line(rows[0]), to_json_line(train_row()));
  EXPECT_EQ(to_json_line(rows[1]), to_json_line(odd));
}

TEST(JsonLines, LeaveOutWhatIsNoRow) {
  const TempDir folder;
  const std::string row = to_json_line(train_row());
  const fs::path file = folder.write(
      "metrics.jsonl",
      row.substr(0, 30) + "\n\n[]\n3\n{}\n" + R"({"seconds":1,"step":1.5,"epoch":1,"phase":"","values":{}})" +
          "\n" + R"({"seconds":1,"step":1,"epoch":1,"phase":"","values":{"a":"b"}})" + "\n" + row + "\xFF");
  const std::vector<MetricRow> rows = read_json_lines(file);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(to_json_line(rows[0]), row);
}

TEST(JsonLines, AreNoneWhereThereIsNoFile) {
  const TempDir folder;
  EXPECT_TRUE(read_json_lines(folder.path() / "metrics.jsonl").empty());
  const Error error = error_of([&] { read_json_lines(folder.path()); });
  EXPECT_EQ(error.code(), ErrorCode::kSystem);
  EXPECT_EQ(error.message(), "cannot read " + folder.path().string() + ": Is a directory");
}

TEST(CsvLines, HaveOneLineForEachValue) {
  EXPECT_EQ(to_csv_lines(train_row()),
            "1.5,10,0.25,train,loss,0.1\n"
            "1.5,10,0.25,train,learning_rate,0.0003\n");
  EXPECT_EQ(to_csv_lines({.phase = "train"}), "");
}

TEST(CsvLines, QuoteWhatWouldBreakALine) {
  EXPECT_EQ(to_csv_lines({.phase = "a,b", .values = {{"say \"hi\"", -kNan}, {"x\ny", -kInf}}}),
            "0,0,0,\"a,b\",\"say \"\"hi\"\"\",nan\n"
            "0,0,0,\"a,b\",\"x\ny\",-inf\n");
}

TEST(MetricFiles, WriteEachRowIntoAllThreeBeforeTheNext) {
  const TempDir folder;
  MetricFiles files(folder.path());
  files.write(train_row());
  EXPECT_EQ(content_of(folder.path() / "metrics.jsonl"), to_json_line(train_row()));
  EXPECT_EQ(content_of(folder.path() / "metrics.csv"),
            "seconds,step,epoch,phase,name,value\n" + to_csv_lines(train_row()));
  ASSERT_EQ(event_files_in(folder.path()).size(), 1U);
  const fs::path events = event_files_in(folder.path())[0];
  const auto size = fs::file_size(events);
  files.write(train_row());
  EXPECT_GT(fs::file_size(events), size);
  EXPECT_EQ(content_of(folder.path() / "metrics.jsonl"),
            to_json_line(train_row()) + to_json_line(train_row()));
}

TEST(MetricFiles, GoOnWhereARunWasResumed) {
  const TempDir folder;
  MetricFiles(folder.path()).write(train_row());
  MetricFiles(folder.path()).write(train_row());
  EXPECT_EQ(content_of(folder.path() / "metrics.jsonl"),
            to_json_line(train_row()) + to_json_line(train_row()));
  EXPECT_EQ(content_of(folder.path() / "metrics.csv"),
            "seconds,step,epoch,phase,name,value\n" + to_csv_lines(train_row()) + to_csv_lines(train_row()));
  EXPECT_EQ(event_files_in(folder.path()).size(), 2U) << "TensorBoard joins the files of a folder";
}

TEST(MetricFiles, BeginANewLineAfterOneThatWasCut) {
  const TempDir folder;
  folder.write("metrics.jsonl", R"({"seconds":1)");
  folder.write("metrics.csv", "seconds,step,epoch,phase,name,value\n1,2");
  MetricFiles(folder.path()).write(train_row());
  EXPECT_EQ(content_of(folder.path() / "metrics.jsonl"), "{\"seconds\":1\n" + to_json_line(train_row()));
  EXPECT_EQ(content_of(folder.path() / "metrics.csv"),
            "seconds,step,epoch,phase,name,value\n1,2\n" + to_csv_lines(train_row()));
}

TEST(MetricFiles, NameTheFileThatCannotBeOpened) {
  const TempDir folder;
  fs::create_directory(folder.path() / "metrics.csv");
  const Error error = error_of([&] { MetricFiles files(folder.path()); });
  EXPECT_EQ(error.code(), ErrorCode::kSystem);
  EXPECT_EQ(error.message(), "cannot open " + (folder.path() / "metrics.csv").string() + ": Is a directory");
}

TEST(MetricFiles, SayWhenTheDiskIsFull) {
  const TempDir folder;
  fs::create_symlink("/dev/full", folder.path() / "metrics.jsonl");
  MetricFiles files(folder.path());
  const Error error = error_of([&] { files.write(train_row()); });
  EXPECT_EQ(error.code(), ErrorCode::kResourceExhausted);
  EXPECT_EQ(error.message(),
            "cannot write " + (folder.path() / "metrics.jsonl").string() + ": No space left on device");
}

TEST(EventFile, SaysWhenTheDiskIsFull) {
  const Error error = error_of([&] { EventFile("/dev/full", 0); });
  EXPECT_EQ(error.code(), ErrorCode::kResourceExhausted);
  EXPECT_EQ(error.message(), "cannot write /dev/full: No space left on device");
}

// Files of this process end at `bytes` while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : previous_signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &previous_);
    const rlimit limit{bytes, previous_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &previous_);
    std::signal(SIGXFSZ, previous_signal_);
  }

 private:
  rlimit previous_{};
  void (*previous_signal_)(int);
};

TEST(AppendFile, KeepsNothingOfAPieceThatDidNotFit) {
  const TempDir folder;
  AppendFile file(folder.path() / "log");
  file.append("one\n");
  {
    const FileSizeLimit limit(10);
    const Error error = error_of([&] { file.append("two, which is longer\n"); });
    EXPECT_EQ(error.code(), ErrorCode::kResourceExhausted);
    EXPECT_EQ(error.message(), "cannot write " + (folder.path() / "log").string() + ": File too large");
    EXPECT_EQ(content_of(folder.path() / "log"), "one\n");
  }
  file.append("three\n");
  EXPECT_EQ(content_of(folder.path() / "log"), "one\nthree\n");
}

TEST(MetricFiles, ForgetLaterStepsOfARunThatGoesOn) {
  const TempDir folder;
  MetricFiles files(folder.path());
  MetricRow row = train_row();
  for (row.step = 10; row.step <= 30; row.step += 10) {
    files.write(row);
  }
  const std::vector<MetricRow> kept = files.rewind([](const MetricRow& one) { return one.step <= 20; });
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[1].step, 20);
  row.step = 25;
  files.write(row);
  const std::vector<MetricRow> rows = read_json_lines(folder.path() / "metrics.jsonl");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[2].step, 25);
  EXPECT_EQ(content_of(folder.path() / "metrics.csv"),
            "seconds,step,epoch,phase,name,value\n"
            "1.5,10,0.25,train,loss,0.1\n1.5,10,0.25,train,learning_rate,0.0003\n"
            "1.5,20,0.25,train,loss,0.1\n1.5,20,0.25,train,learning_rate,0.0003\n"
            "1.5,25,0.25,train,loss,0.1\n1.5,25,0.25,train,learning_rate,0.0003\n");
}

}  // namespace
}  // namespace lockstep
