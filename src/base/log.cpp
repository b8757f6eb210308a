#include "lockstep/log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "base/color.h"
#include "base/mutex.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr std::array<std::pair<LogLevel, std::string_view>, 6> kLevelNames = {{
    {LogLevel::kTrace, "trace"},
    {LogLevel::kDebug, "debug"},
    {LogLevel::kInfo, "info"},
    {LogLevel::kWarning, "warning"},
    {LogLevel::kError, "error"},
    {LogLevel::kOff, "off"},
}};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kTrace:
      return spdlog::level::trace;
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

// In a world of one there are no ranks to tell apart.
std::string rank_prefix(const LogOptions& options) {
  return options.world_size > 1 ? fmt::format("[rank {}/{}] ", options.rank, options.world_size) : "";
}

bool wants_color(const LogOptions& options) {
  return options.color.value_or(takes_color(STDERR_FILENO));
}

std::shared_ptr<spdlog::sinks::sink> make_console_sink(const LogOptions& options) {
  using spdlog::color_mode;
  auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(
      wants_color(options) ? color_mode::always : color_mode::never);
  sink->set_pattern("%H:%M:%S.%e " + rank_prefix(options) + "%^%l%$: %v");
  return sink;
}

std::shared_ptr<spdlog::sinks::sink> make_file_sink(const LogOptions& options) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.file.string());
    sink->set_pattern("%Y-%m-%d %H:%M:%S.%e " + rank_prefix(options) + "%l: %v");
    return sink;
  } catch (const spdlog::spdlog_ex&) {
    throw Error(ErrorCode::kSystem,
                fmt::format("the log file {} cannot be opened for writing", options.file.string()))
        .with_cause(std::current_exception());
  }
}

// The process's logger, and the ones it replaced. Never destroyed: threads may still log while the process exits.
class ProcessLogger {
 public:
  ProcessLogger() { replace(LogOptions{}); }

  Logger& get() const { return *current_.load(std::memory_order_acquire); }  // pairs with replace()

  void replace(const LogOptions& options) {
    auto next = std::make_unique<Logger>(options);
    const MutexLock lock(mutex_);
    current_.store(next.get(), std::memory_order_release);  // pairs with get()
    all_.push_back(std::move(next));
  }

 private:
  std::atomic<Logger*> current_{nullptr};
  Mutex mutex_;
  std::vector<std::unique_ptr<Logger>> all_ LOCKSTEP_GUARDED_BY(mutex_);
};

ProcessLogger& process_logger() {
  static auto* instance = new ProcessLogger;
  return *instance;
}

std::shared_ptr<Logger>& thread_logger() {
  thread_local std::shared_ptr<Logger> logger;
  return logger;
}

}  // namespace

std::string_view to_string(LogLevel level) {
  const auto* found = std::find_if(kLevelNames.begin(), kLevelNames.end(),
                                   [level](const auto& entry) { return entry.first == level; });
  return found != kLevelNames.end() ? found->second : "unknown";
}

std::optional<LogLevel> parse_log_level(std::string_view text) {
  const auto* found = std::find_if(kLevelNames.begin(), kLevelNames.end(),
                                   [text](const auto& entry) { return entry.second == text; });
  return found != kLevelNames.end() ? std::optional(found->first) : std::nullopt;
}

struct Logger::Sinks {
  spdlog::logger logger{"lockstep"};
};

Logger::Logger(const LogOptions& options)
    : continuation_("\n" + rank_prefix(options) + "    "), sinks_(std::make_unique<Sinks>()) {
  auto attach = [this](std::shared_ptr<spdlog::sinks::sink> sink, LogLevel level) {
    sink->set_level(spdlog_level(level));
    sinks_->logger.sinks().push_back(std::move(sink));
    lowest_level_ = std::min(lowest_level_, level);
  };
  if (options.console) {
    attach(make_console_sink(options), options.rank == 0 ? options.level : options.other_ranks);
  }
  if (!options.file.empty()) {
    attach(make_file_sink(options), options.file_level);
  }
  sinks_->logger.set_level(spdlog_level(lowest_level_));
  // A logged line must be in the file even if the process dies at the next instruction.
  sinks_->logger.flush_on(spdlog::level::trace);
}

Logger::~Logger() = default;

void Logger::write(LogLevel level, std::string_view message) {
  std::string text;
  text.reserve(message.size());
  for (const char c : message) {
    if (c == '\n') {
      text += continuation_;
    } else {
      text += c;
    }
  }
  sinks_->logger.log(spdlog_level(level), text);
}

Logger& logger() {
  const auto& own = thread_logger();
  return own ? *own : process_logger().get();
}

void set_process_logger(const LogOptions& options) {
  process_logger().replace(options);
}

ScopedLogger::ScopedLogger(std::shared_ptr<Logger> logger)
    : previous_(std::exchange(thread_logger(), std::move(logger))) {}

ScopedLogger::~ScopedLogger() {
  thread_logger() = std::move(previous_);
}

}  // namespace lockstep
