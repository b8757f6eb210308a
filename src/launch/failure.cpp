#include "lockstep/failure.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/exception_text.h"
#include "base/unique_fd.h"
#include "job/error_record.h"
#include "launch/backtrace.h"
#include "launch/failure_report.h"
#include "launch/last_words.h"
#include "lockstep/error.h"
#include "lockstep/log.h"

namespace lockstep {
namespace {

std::atomic<bool> was_reported = false;
std::atomic<int> process_rank = -1;
std::terminate_handler previous_handler = nullptr;

// The exception as an Error, if it is one.
std::optional<Error> error_in(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    return error;
  } catch (...) {
    return std::nullopt;
  }
}

ErrorRecord describe(const std::exception_ptr& exception, const std::string& stack) {
  ErrorRecord record{.message = exception ? describe_exception(exception)
                                          : "std::terminate() was called, and no exception was there",
                     .details = {},
                     .time = std::chrono::system_clock::now().time_since_epoch()};
  record.details = exception ? describe_exception_in_full(exception) : record.message;
  if (!stack.empty()) {
    record.details += "\n\nwhere it was thrown:\n" + stack;
  }
  if (const int rank = process_rank; rank >= 0) {
    record.rank = rank;
  }
  if (const auto error = exception ? error_in(exception) : std::nullopt) {
    record.code = to_string(error->code());
    record.peer = error->peer();
  }
  return record;
}

// In one write, so that a launcher never reads half of it. A full disk is no reason to fail in yet another way: the
// launcher still has the exit status.
void write_record(const char* path, const ErrorRecord& record) {
  const std::string text = to_json(record);
  const UniqueFd file(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  [[maybe_unused]] const auto written = file ? write(file.get(), text.data(), text.size()) : 0;
}

void report(const std::exception_ptr& exception, const std::string& stack) {
  const char* path = std::getenv(std::string(kErrorFileVariable).c_str());
  if (path != nullptr && *path != '\0' && !was_reported.exchange(true)) {
    write_record(path, describe(exception, stack));
  }
}

void log_uncaught(const std::exception_ptr& exception) {
  LOCKSTEP_LOG(kError) << (exception ? "uncaught exception: " + describe_exception(exception)
                                     : "std::terminate() was called, and no exception was there");
}

// Nothing is unwound when an exception finds no handler, so the stack still shows where it was thrown. The default
// handler is not called: it would print what() with all of libtorch's frames.
[[noreturn]] void on_terminate() {
  const bool has_own_words = previous_handler != nullptr && previous_handler != std::abort &&
                             previous_handler != __gnu_cxx::__verbose_terminate_handler;
  try {
    report(std::current_exception(), backtrace_text(1));
    if (!has_own_words) {
      log_uncaught(std::current_exception());
    }
  } catch (...) {  // out of memory, most likely: only exiting is left
  }
  if (has_own_words) {
    previous_handler();
  }
  std::abort();
}

bool is_join_timeout(const Error& error) {
  return error.code() == ErrorCode::kTimeout && error.operation() == "join";
}

}  // namespace

void report_escaping_exceptions(int rank) {
  process_rank = rank;
  static const bool installed = [] {
    previous_handler = std::set_terminate(on_terminate);
    return true;
  }();
  report_forbidden_writes(rank, [] { return !was_reported.exchange(true); });
  static_cast<void>(installed);
}

void report_failure(const std::exception_ptr& exception) noexcept {
  try {
    report(exception, "");
  } catch (...) {  // as in write_record()
  }
}

int exit_code_for(const std::exception_ptr& exception) noexcept {
  const auto error = error_in(exception);
  if (error && error->code() == ErrorCode::kInvalidConfig) {
    return 2;
  }
  return error && is_join_timeout(*error) ? kExitTryAgain : 1;
}

int guard_main(const std::function<int()>& program) noexcept {
  try {
    return program();
  } catch (...) {
    const std::exception_ptr exception = std::current_exception();
    report_failure(exception);
    LOCKSTEP_LOG(kError) << describe_exception(exception);
    return exit_code_for(exception);
  }
}

}  // namespace lockstep
