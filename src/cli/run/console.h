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

  // One queue per worker of the plan in each stream.
  explicit Console(const Plan& plan);

  bool has_room(Stream stream, std::size_t worker) const { return sink(stream).has_room(worker); }
  // `line` includes its line end; it is shown with the worker's prefix.
  void put_line(Stream stream, std::size_t worker, std::string_view line);

  // A message of the launcher on standard error, with each of its lines marked as such.
  void say(std::string_view message);

  LineSink& sink(Stream stream) { return stream == Stream::kOut ? *out_ : *err_; }
  const LineSink& sink(Stream stream) const { return stream == Stream::kOut ? *out_ : *err_; }

  // Whether everything is written; see LineSink.
  bool is_idle() const { return out_->is_idle() && err_->is_idle(); }

 private:
  std::size_t launcher_queue_;
  std::vector<std::string> out_prefixes_;
  std::vector<std::string> err_prefixes_;
  std::unique_ptr<LineSink> out_;
  std::unique_ptr<LineSink> err_;
};

}  // namespace lockstep::run
