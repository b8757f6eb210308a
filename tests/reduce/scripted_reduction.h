#pragma once

// A reduction that does what a test tells it to, and writes down what it was asked.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/bucket_reduction.h"

namespace lockstep::testing {

// What one bucket does: done after so many polls, with everything started after so many.
struct BucketScript {
  int polls_until_done = 0;
  int polls_until_all_started = 0;
  std::function<void()> on_start = {};
  std::function<void()> on_poll = {};
  std::function<void()> on_wait = {};
};

class ScriptedReduction final : public BucketReduction {
 public:
  explicit ScriptedReduction(std::vector<BucketScript> scripts) : scripts_(std::move(scripts)) {}

  std::string_view name() const override { return "scripted"; }

  std::unique_ptr<BucketWork> start(const GradientBucket& bucket, Communicator&) override {
    journal.push_back("start " + std::to_string(bucket.index));
    run(scripts_[bucket.index].on_start);
    return std::make_unique<ScriptedWork>(*this, bucket.index);
  }

  std::vector<std::string> journal;  // "start 0", "done 0", "wait 1", "gone 1"

 private:
  class ScriptedWork final : public BucketWork {
   public:
    ScriptedWork(ScriptedReduction& owner, std::size_t bucket) : owner_(owner), bucket_(bucket) {}
    ~ScriptedWork() override { note("gone"); }
    ScriptedWork(const ScriptedWork&) = delete;
    ScriptedWork& operator=(const ScriptedWork&) = delete;

    bool poll() override {
      run(script().on_poll);
      if (polls_++ < script().polls_until_done) {
        return false;
      }
      note("done");
      return true;
    }
    void wait() override {
      note("wait");
      run(script().on_wait);
      polls_ = script().polls_until_done;
    }
    bool all_started() const override { return polls_ >= script().polls_until_all_started; }

   private:
    const BucketScript& script() const { return owner_.scripts_[bucket_]; }
    void note(const char* what) const {
      owner_.journal.push_back(std::string(what) + " " + std::to_string(bucket_));
    }

    ScriptedReduction& owner_;
    std::size_t bucket_;
    int polls_ = 0;
  };

  static void run(const std::function<void()>& action) {
    if (action) {
      action();
    }
  }

  std::vector<BucketScript> scripts_;
};

// Buckets without memory, each with one gradient.
inline std::vector<GradientBucket> scripted_buckets(std::size_t count) {
  static const std::vector<BucketGradient> kOne(1);
  std::vector<GradientBucket> buckets(count);
  for (std::size_t i = 0; i < count; ++i) {
    buckets[i].index = i;
    buckets[i].gradients = kOne;
  }
  return buckets;
}

}  // namespace lockstep::testing
