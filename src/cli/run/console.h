#pragma once

// The launcher's own standard output and standard error, shared by the workers and the launcher itself.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run/line_sink.h"
#include "cli/run/plan.h"

namespace lockstep::run {

class Console {
 public:
  enum class Stream { kOut, kErr };

  // One queue for each of the plan's workers in each stream.
  explicit Console(const Plan& plan);

  bool has_room(Stream stream, std::size_t worker) const { return sink(stream).has_room(worker); }
  // `line` comes with its end, and out with the worker's prefix before it.
  void put_line(Stream stream, std::size_t worker, std::string_view line);

  // A message of the launcher, each of its lines marked as such, on standard error.
  void say(std::string_view message);

  LineSink& sink(Stream stream) { return stream == Stream::kOut ? *out_ : *err_; }
  const LineSink& sink(Stream stream) const { return stream == Stream::kOut ? *out_ : *err_; }

  // Whether all is written, as of a sink.
  bool is_idle() const { return out_->is_idle() && err_->is_idle(); }

 private:
  std::size_t launcher_queue_;
  std::vector<std::string> out_prefixes_;
  std::vector<std::string> err_prefixes_;
  std::unique_ptr<LineSink> out_;
  std::unique_ptr<LineSink> err_;
};

}  // namespace lockstep::run
