#include "cli/run/error_box.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <variant>

#include "config/file_text.h"
#include "lockstep/error.h"

namespace lockstep::run {
namespace {

constexpr std::size_t kLargestRecord = 4 << 20;

// Foreign workers record whole seconds, too coarse to tell which was first; the file's time stamp is finer.
void refine_time(const std::string& path, ErrorRecord& record) {
  using std::chrono::nanoseconds;
  using std::chrono::seconds;
  struct stat status {};
  if (record.time % seconds(1) == nanoseconds(0) && stat(path.c_str(), &status) == 0) {
    record.time = seconds(status.st_mtim.tv_sec) + nanoseconds(status.st_mtim.tv_nsec);
  }
}

}  // namespace

ErrorBox::ErrorBox(const std::filesystem::path& file) : path_(file.string()) {
  if (!path_.empty()) {
    return;
  }
  memory_.reset(memfd_create("lockstep-error", MFD_CLOEXEC));
  if (!memory_) {
    throw Error::from_errno(errno, "memfd_create");
  }
  // Through our own folder in /proc, so that the worker need not keep a descriptor open.
  path_ = fmt::format("/proc/{}/fd/{}", getpid(), memory_.get());
}

bool ErrorBox::is_empty() const {
  struct stat status {};
  return stat(path_.c_str(), &status) != 0 || status.st_size == 0;
}

std::optional<ErrorRecord> ErrorBox::read() const {
  const auto text = config::read_text_file(path_, kLargestRecord);
  const auto* found = std::get_if<std::string>(&text);
  auto record = found != nullptr && !found->empty() ? parse_error_record(*found) : std::nullopt;
  if (record) {
    refine_time(path_, *record);
  }
  return record;
}

}  // namespace lockstep::run
