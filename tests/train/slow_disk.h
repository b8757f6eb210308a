#pragma once

// A disk that takes its time: each of its calls lasts until this rank has finished some operations with the others. Whoever
// waits for the disk inside of one waits in vain. No test depends on how long that is: the bound is only for code that is
// wrong.

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "base/deadline.h"
#include "checkpoint/faulty_disk.h"
#include "lockstep/communicator.h"
#include "lockstep/operation.h"

namespace lockstep::testing {

class Pulse : public OperationObserver {
 public:
  static std::shared_ptr<Pulse> of(Communicator& communicator) {
    auto pulse = std::make_shared<Pulse>();
    communicator.attach(pulse);
    return pulse;
  }

  void on_start(const Operation& /*operation*/) override {}
  void on_finish(const Operation& /*operation*/, std::chrono::nanoseconds /*elapsed*/,
                 const Error* /*error*/) override {
    ++beats_;
  }

  // Waits for some more operations, or, once it has done so in vain, not at all.
  void await() {
    constexpr int kBeats = 3;
    const int until = beats_ + kBeats;
    const Deadline deadline = Deadline::after(std::chrono::seconds(10));
    while (beats_ < until && !has_stopped_) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      has_stopped_ = deadline.expired();
    }
    ++waits_;
  }

  int waits() const { return waits_; }
  bool has_stopped() const { return has_stopped_; }

 private:
  std::atomic<int> beats_ = 0;
  std::atomic<int> waits_ = 0;
  std::atomic<bool> has_stopped_ = false;
};

class SlowDisk : public checkpoint::FaultyDisk {
 public:
  explicit SlowDisk(std::shared_ptr<Pulse> pulse, Fault fault = {})
      : FaultyDisk(std::move(fault)), pulse_(std::move(pulse)) {}

  int create_file(const std::filesystem::path& path) override {
    pulse_->await();
    return FaultyDisk::create_file(path);
  }
  int make_directory(const std::filesystem::path& path) override {
    pulse_->await();
    return FaultyDisk::make_directory(path);
  }
  int sync(int fd) override {
    pulse_->await();
    return FaultyDisk::sync(fd);
  }
  int rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    pulse_->await();
    return FaultyDisk::rename(from, to);
  }
  std::error_code remove_tree(const std::filesystem::path& path) override {
    pulse_->await();
    return FaultyDisk::remove_tree(path);
  }

 private:
  std::shared_ptr<Pulse> pulse_;
};

}  // namespace lockstep::testing
