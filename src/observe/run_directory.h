#pragma once

// The folder of a run: its name, and the places of its contents.
//
//   config.json   the settings of the run           report.html   the run as a page
//   metrics.*     see metric_files.h                logs/         one file per rank
//   checkpoints/  one folder per saved step
//
// It is created and tested before training starts. All ranks may call create() with the same path at the same time.

#include <chrono>
#include <filesystem>
#include <string_view>
#include <vector>

namespace lockstep {

// In the folder of a run.
inline constexpr std::string_view kCheckpointsFolder = "checkpoints";

class RunDirectory {
 public:
  // Creates it with its parents, or uses an existing one, as a resumed run does. Throws Error{kInvalidConfig}, with the
  // path and the reason, when it cannot be created or written to.
  static RunDirectory create(const std::filesystem::path& path);

  // Creates a new one in `parent`: "runs/digits-20261116-093000", by the local time, followed by "-2" and so on if that
  // is taken. Characters of `name` that do not belong in a file name become dashes.
  static RunDirectory create_new(const std::filesystem::path& parent, std::string_view name,
                                 std::chrono::system_clock::time_point now);

  // The folders that create_new() made in `parent` for that name, oldest first; none if there is no `parent`.
  static std::vector<std::filesystem::path> list(const std::filesystem::path& parent, std::string_view name);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config() const { return path_ / "config.json"; }
  std::filesystem::path checkpoints() const { return path_ / kCheckpointsFolder; }
  std::filesystem::path report() const { return path_ / "report.html"; }
  std::filesystem::path log_file(int rank) const;

  // Replace the whole file atomically. Throw Error{kSystem}.
  void write_config(std::string_view json) const;
  void write_report(std::string_view html) const;

 private:
  explicit RunDirectory(std::filesystem::path path);

  std::filesystem::path path_;
};

}  // namespace lockstep
