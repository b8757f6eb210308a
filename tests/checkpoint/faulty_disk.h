#pragma once

// A disk whose calls are counted and written down, and of which some go wrong: they fail, or end the process.

#include <sys/types.h>

#include <cerrno>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/disk_calls.h"

namespace lockstep::checkpoint {

class FaultyDisk : public DiskCalls {
 public:
  struct Fault {
    int first = -1;  // call, from 0 on; none when negative
    int count = 1;   // calls from there on
    int error_number = EIO;
    std::function<void()> instead = {};  // of failing
  };

  static constexpr int kForEver = 1 << 30;

  FaultyDisk() = default;
  explicit FaultyDisk(Fault fault) : fault_(std::move(fault)) {}

  // "create model.bin", "write 12 bytes", "sync partial", ...: what was asked for, whether or not it was done.
  const std::vector<std::string>& calls() const { return calls_; }

  int create_file(const std::filesystem::path& path) override {
    return fails("create " + name_of(path)) ? -1 : named(path, DiskCalls::create_file(path));
  }
  int open_directory(const std::filesystem::path& path) override {
    return fails("open " + name_of(path)) ? -1 : named(path, DiskCalls::open_directory(path));
  }
  int make_directory(const std::filesystem::path& path) override {
    return fails("make " + name_of(path)) ? -1 : DiskCalls::make_directory(path);
  }
  ssize_t write(int fd, const std::byte* bytes, std::size_t count) override {
    const int before = static_cast<int>(calls_.size());
    if (is_faulty(before)) {
      DiskCalls::write(fd, bytes, count / 2);  // torn
    }
    return fails("write " + std::to_string(count) + " bytes") ? -1 : DiskCalls::write(fd, bytes, count);
  }
  // Not every file system can do it, and what is written is the same.
  int set_direct(int fd, bool direct) override {
    return fails(names_[fd] + (direct ? " past the cache" : " through the cache")) ? -1 : 0;
  }
  // No test loses its power, and syncing is what takes the time.
  int sync(int fd) override { return fails("sync " + names_[fd]) ? -1 : 0; }
  int rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    return fails("rename " + name_of(from) + " to " + name_of(to)) ? -1 : DiskCalls::rename(from, to);
  }
  int exchange(const std::filesystem::path& one, const std::filesystem::path& other) override {
    return fails("exchange " + name_of(one) + " and " + name_of(other)) ? -1
                                                                        : DiskCalls::exchange(one, other);
  }
  std::error_code remove_tree(const std::filesystem::path& path) override {
    return fails("remove " + name_of(path)) ? std::error_code(errno, std::generic_category())
                                            : DiskCalls::remove_tree(path);
  }

 private:
  // Partial folders have another name every time.
  static std::string name_of(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return name.starts_with(".partial-") ? "partial" : name;
  }

  int named(const std::filesystem::path& path, int fd) {
    names_[fd] = name_of(path);
    return fd;
  }

  bool is_faulty(int call) const {
    return fault_.first >= 0 && call >= fault_.first && call - fault_.first < fault_.count;
  }

  bool fails(std::string call) {
    const bool faulty = is_faulty(static_cast<int>(calls_.size()));
    calls_.push_back(std::move(call));
    if (!faulty) {
      return false;
    }
    if (fault_.instead) {
      fault_.instead();
    }
    errno = fault_.error_number;
    return true;
  }

  Fault fault_;
  std::vector<std::string> calls_;
  std::map<int, std::string> names_;
};

}  // namespace lockstep::checkpoint
