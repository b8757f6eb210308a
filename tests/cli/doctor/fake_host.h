#pragma once

// A root folder with made-up /proc and /sys files in it.

#include <filesystem>
#include <string_view>

#include "base/temp_dir.h"
#include "cli/doctor/host_files.h"

namespace lockstep::doctor {

class FakeHost {
 public:
  // `path` is absolute, as the machine names it.
  FakeHost& add(std::string_view path, std::string_view content) {
    const auto relative = std::filesystem::path(path).relative_path();
    std::filesystem::create_directories(root_.path() / relative.parent_path());
    root_.write(relative.string(), content);
    return *this;
  }

  HostFiles files() const { return HostFiles(root_.path()); }
  const std::filesystem::path& root() const { return root_.path(); }

 private:
  TempDir root_;
};

}  // namespace lockstep::doctor
