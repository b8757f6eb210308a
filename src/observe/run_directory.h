#pragma once

// The folder of a run: what it is called, and where in it everything is.
//
//   config.json   what the run was told to do       report.html   the run as a page
//   metrics.*     see metric_files.h                logs/         one file per rank
//   checkpoints/  a folder per step that was saved
//
// It is made, and tried, before anything is trained. Every rank may call create() with the same path, at once.

#include <chrono>
#include <filesystem>
#include <string_view>
#include <vector>

namespace lockstep {

// In the folder of a run.
inline constexpr std::string_view kCheckpointsFolder = "checkpoints";

class RunDirectory {
 public:
  // Makes it with its parents, or takes one that is there, as a run that is resumed does. Throws
  // Error{kInvalidConfig}, with the path and the reason, when it cannot be made or nothing can be written into it.
  static RunDirectory create(const std::filesystem::path& path);

  // A new one in `parent`: "runs/digits-20261116-093000", by the local time; with "-2" and so on behind it when that
  // is taken. Characters of `name` that do not belong in a file's name become dashes.
  static RunDirectory create_new(const std::filesystem::path& parent, std::string_view name,
                                 std::chrono::system_clock::time_point now);

  // Those that create_new() has made in `parent` for that name, the oldest first; none when there is no `parent`.
  static std::vector<std::filesystem::path> list(const std::filesystem::path& parent, std::string_view name);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config() const { return path_ / "config.json"; }
  std::filesystem::path checkpoints() const { return path_ / kCheckpointsFolder; }
  std::filesystem::path report() const { return path_ / "report.html"; }
  std::filesystem::path log_file(int rank) const;

  // Whole files, put in the place of what was there in one instant. Throw Error{kSystem}.
  void write_config(std::string_view json) const;
  void write_report(std::string_view html) const;

 private:
  explicit RunDirectory(std::filesystem::path path);

  std::filesystem::path path_;
};

}  // namespace lockstep
