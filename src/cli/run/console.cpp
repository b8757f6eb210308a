#include "cli/run/console.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/color.h"
#include "cli/run/line_prefix.h"

namespace lockstep::run {
namespace {

bool lead_to_same_file(int a, int b) {
  struct stat of_a {};
  struct stat of_b {};
  return fstat(a, &of_a) == 0 && fstat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

std::vector<std::string> prefixes(const Plan& plan, int fd) {
  const bool color = takes_color(fd);
  std::vector<std::string> texts;
  for (const WorkerPlan& worker : plan.workers) {
    texts.push_back(color ? colored_prefix(worker.prefix, worker.rank) : worker.prefix);
  }
  return texts;
}

}  // namespace

Console::Console(const Plan& plan)
    : launcher_queue_(plan.workers.size()),
      out_prefixes_(prefixes(plan, STDOUT_FILENO)),
      err_prefixes_(prefixes(plan, STDERR_FILENO)) {
  auto file = std::make_shared<Mutex>();
  out_ = std::make_unique<LineSink>(STDOUT_FILENO, launcher_queue_ + 1, file);
  if (!lead_to_same_file(STDOUT_FILENO, STDERR_FILENO)) {
    file = std::make_shared<Mutex>();
  }
  err_ = std::make_unique<LineSink>(STDERR_FILENO, launcher_queue_ + 1, file);
}

void Console::put_line(Stream stream, std::size_t worker, std::string_view line) {
  std::string text = stream == Stream::kOut ? out_prefixes_[worker] : err_prefixes_[worker];
  text += line;
  sink(stream).put(worker, text);
}

void Console::say(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    const auto end = message.find('\n');
    text += "lockstep run: ";
    text += message.substr(0, end);
    text += '\n';
    message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
  }
  err_->put(launcher_queue_, text);
}

}  // namespace lockstep::run
