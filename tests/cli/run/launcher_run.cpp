#include "cli/run/launcher_run.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "base/random_token.h"
#include "lockstep/error.h"
#include "support/process_list.h"
#include "support/process_watch.h"

namespace lockstep::run {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using testing::list_processes;
using testing::ProcessEntry;
using testing::ProcessWatch;
using ::testing::StartsWith;

// Far more than anything here takes, also under a sanitizer on a busy machine.
Deadline soon() {
  return Deadline::after(std::chrono::seconds(50));
}

// By the block: tests read the environments of all processes over and over, without optimisation.
std::string bytes_of(const fs::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(bytes).str();
}

std::vector<std::string> command_of(const fs::path& folder, const std::vector<std::string>& flags,
                                    const std::vector<std::string>& worker_arguments,
                                    const std::vector<std::string>& wrapper) {
  std::vector<std::string> command = wrapper;
  command.insert(command.end(), {LOCKSTEP_PROGRAM, "run", "--report", (folder / "report.json").string()});
  command.insert(command.end(), flags.begin(), flags.end());
  if (!worker_arguments.empty()) {
    command.emplace_back(LOCKSTEP_SCENARIO_WORKER);
    command.insert(command.end(), worker_arguments.begin(), worker_arguments.end());
  }
  return command;
}

SubprocessOptions options_of(const fs::path& folder, const std::string& mark) {
  return {.environment = {{"LOCKSTEP_TEST_MARK", mark}, {"TMPDIR", folder.string()}},
          .working_directory = folder,
          .standard_output = StreamTarget::kPipe,
          .standard_error = StreamTarget::kPipe};
}

int count_lines_with(const std::string& text, const std::string& wanted) {
  int count = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    count += line.find(wanted) != std::string::npos ? 1 : 0;
  }
  return count;
}

}  // namespace

std::vector<std::string> FinishedRun::messages() const {
  constexpr std::string_view kMark = "lockstep run: ";
  std::vector<std::string> found;
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kMark)) {
      found.push_back(line.substr(kMark.size()));
    }
  }
  return found;
}

LauncherRun::LauncherRun(const std::vector<std::string>& flags,
                         const std::vector<std::string>& worker_arguments,
                         const std::vector<std::string>& wrapper)
    : mark_(random_token()),
      launcher_(Subprocess::spawn(command_of(folder_.path(), flags, worker_arguments, wrapper),
                                  options_of(folder_.path(), mark_))) {
  for (const UniqueFd* stream : {&launcher_.standard_output(), &launcher_.standard_error()}) {
    fcntl(stream->get(), F_SETFL, O_NONBLOCK);
  }
}

LauncherRun::~LauncherRun() {
  expect_processes_end();
  // The thread sanitizer starts every program with a file of its own, which stays when one is killed just then.
  const auto may_stay = AnyOf("report.json", "logs", StartsWith("tsan.rodata."));
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_THAT(entry.path().filename().string(), may_stay) << "is left behind";
  }
}

std::vector<pid_t> LauncherRun::processes() const {
  std::vector<pid_t> found;
  for (const ProcessEntry& process : list_processes()) {
    const std::string environment = bytes_of(fs::path("/proc") / std::to_string(process.id) / "environ");
    if (process.state != 'Z' && environment.find("LOCKSTEP_TEST_MARK=" + mark_) != std::string::npos) {
      found.push_back(process.id);
    }
  }
  return found;
}

void LauncherRun::expect_processes_end() const {
  const Deadline deadline = soon();
  for (auto left = processes(); !left.empty(); left = processes()) {
    if (!ProcessWatch(left.front()).wait_for_end(deadline)) {
      ADD_FAILURE() << "process " << left.front() << " and " << left.size() - 1 << " others are left behind";
      std::for_each(left.begin(), left.end(), [](pid_t pid) { kill(pid, SIGKILL); });
      return;
    }
  }
}

pid_t LauncherRun::supervisor() const {
  const Deadline deadline = soon();
  while (!deadline.expired()) {
    for (const ProcessEntry& process : list_processes()) {
      if (process.parent == pid()) {
        return process.id;
      }
    }
    std::this_thread::yield();
  }
  throw Error(ErrorCode::kTimeout, "the launcher has no supervisor");
}

// False at the end of both streams, or at the deadline.
bool LauncherRun::take_output(const Deadline& deadline) {
  UniqueFd& out = launcher_.standard_output();
  UniqueFd& err = launcher_.standard_error();
  std::array<pollfd, 2> events = {
      {{.fd = out.get(), .events = POLLIN, .revents = 0}, {.fd = err.get(), .events = POLLIN, .revents = 0}}};
  poll(events.data(), events.size(), deadline.poll_timeout_ms());
  std::array<char, 65536> buffer{};
  for (const auto& [fd, text] : {std::pair(&out, &done_.out), std::pair(&err, &done_.err)}) {
    const ssize_t count = *fd ? read(fd->get(), buffer.data(), buffer.size()) : -1;
    if (count > 0) {
      text->append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      fd->reset();
    }
  }
  return (out || err) && !deadline.expired();
}

void LauncherRun::await_lines(const std::string& text, int count) {
  const Deadline deadline = soon();
  const auto seen = [&] { return count_lines_with(done_.out, text) + count_lines_with(done_.err, text); };
  while (seen() < count) {
    if (!take_output(deadline)) {
      ADD_FAILURE() << "no " << count << " lines with '" << text << "':\n" << done_.out << done_.err;
      return;
    }
  }
}

std::map<int, pid_t> LauncherRun::await_ready(int workers) {
  await_lines("ready ", workers);
  std::map<int, pid_t> pids;
  std::istringstream lines(done_.out);
  for (std::string line; std::getline(lines, line);) {
    int rank = -1;
    pid_t pid = -1;
    const auto place = line.find("ready ");
    if (place != std::string::npos && std::sscanf(line.c_str() + place, "ready %d %d", &rank, &pid) == 2) {
      pids[rank] = pid;
    }
  }
  return pids;
}

const FinishedRun& LauncherRun::finish() {
  const Deadline deadline = soon();
  while (take_output(deadline)) {
  }
  const auto status = launcher_.wait(deadline);
  EXPECT_TRUE(status.has_value()) << "the launcher does not end:\n" << done_.out << done_.err;
  done_.exit_code = status.value_or(ExitStatus{.exit_code = -1}).shell_code();
  done_.report = nlohmann::json::parse(bytes_of(folder_.path() / "report.json"), nullptr, false);
  EXPECT_THAT(processes(), ::testing::IsEmpty()) << "are left when the launcher has ended";
  return done_;
}

std::optional<int> LauncherRun::exit_code_unread() {
  const auto status = launcher_.wait(soon());
  return status ? std::optional(status->shell_code()) : std::nullopt;
}

}  // namespace lockstep::run
