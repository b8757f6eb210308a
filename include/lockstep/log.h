#pragma once

// The log: one line per message, with the rank that wrote it.
//
//   12:04:31.207 [rank 3/8] warning: bucket 2 waited 1.20 s for rank 5
//
// Rank 0 logs from `level` up, the other ranks only from `other_ranks` up, so that N ranks do not log everything N
// times. Messages go to standard error (coloured on a terminal) and optionally to a file, which gets every rank's
// messages from `file_level` up.
//
//   LOCKSTEP_LOG(kInfo) << "joined a world of " << size;
//
// formats nothing when the level is off. A process has one logger; a thread that acts as a rank may have its own
// (ScopedLogger). Everything here is safe to call from any thread.

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace lockstep {

enum class LogLevel { kTrace, kDebug, kInfo, kWarning, kError, kOff };

// "trace", "debug", "info", "warning", "error", "off"
std::string_view to_string(LogLevel level);
std::optional<LogLevel> parse_log_level(std::string_view text);

struct LogOptions {
  int rank = 0;
  int world_size = 1;
  LogLevel level = LogLevel::kInfo;           // rank 0
  LogLevel other_ranks = LogLevel::kWarning;  // ranks 1 and up
  bool console = true;                        // standard error
  std::optional<bool> color = {};             // unset: on a terminal, unless NO_COLOR is set
  std::filesystem::path file = {};            // empty: no file; opened for appending
  LogLevel file_level = LogLevel::kInfo;
};

class Logger {
 public:
  // Throws Error{kSystem} when the file cannot be opened.
  explicit Logger(const LogOptions& options);
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  bool enabled(LogLevel level) const noexcept { return level >= lowest_level_; }
  // Writes one message atomically. Lines after the first are indented and carry the rank too.
  void write(LogLevel level, std::string_view message);

 private:
  struct Sinks;

  LogLevel lowest_level_ = LogLevel::kOff;
  std::string continuation_;
  std::unique_ptr<Sinks> sinks_;
};

// This thread's logger: its ScopedLogger if it has one, else the process's.
Logger& logger();

// Replaces the process's logger, initially Logger(LogOptions{}). Call it once or twice per process, not in a loop:
// replaced loggers are kept, since another thread may still be writing to one.
void set_process_logger(const LogOptions& options);

// Makes `logger` the calling thread's logger for the lifetime of this object.
class ScopedLogger {
 public:
  explicit ScopedLogger(std::shared_ptr<Logger> logger);
  ~ScopedLogger();
  ScopedLogger(const ScopedLogger&) = delete;
  ScopedLogger& operator=(const ScopedLogger&) = delete;

 private:
  std::shared_ptr<Logger> previous_;
};

// Collects one message and writes it when the full expression ends. Use it through LOCKSTEP_LOG.
class LogMessage {
 public:
  explicit LogMessage(LogLevel level) : level_(level) {}
  ~LogMessage() { logger().write(level_, stream_.str()); }
  LogMessage(const LogMessage&) = delete;
  LogMessage& operator=(const LogMessage&) = delete;

  std::ostream& stream() { return stream_; }

 private:
  LogLevel level_;
  std::ostringstream stream_;
};

}  // namespace lockstep

// LOCKSTEP_LOG(kInfo) << ...;  The if-else makes it one statement that is safe inside an unbraced if.
#define LOCKSTEP_LOG(level)                                         \
  if (!::lockstep::logger().enabled(::lockstep::LogLevel::level)) { \
  } else                                                            \
    ::lockstep::LogMessage(::lockstep::LogLevel::level).stream()
