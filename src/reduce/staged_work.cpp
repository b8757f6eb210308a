// A bucket's work as a chain of collectives. A stage that fails stops the chain: later stages are neither started nor
// computed, however often the work is polled.

#include <optional>
#include <utility>

#include "lockstep/bucket_reduction.h"

namespace lockstep {
namespace {

class StagedWork final : public BucketWork {
 public:
  StagedWork(std::vector<std::function<Work()>> stages, std::function<void()> last)
      : stages_(std::move(stages)), last_(std::move(last)) {
    start_next();
  }

  bool poll() override {
    while (running_ && running_->poll()) {
      end_running();
    }
    return !running_;
  }

  void wait() override {
    while (running_) {
      end_running();
    }
  }

  bool all_started() const override { return next_ == stages_.size(); }

 private:
  void end_running() {
    try {
      running_->wait();
    } catch (...) {
      running_.reset();
      throw;
    }
    running_.reset();
    start_next();
  }

  void start_next() {
    if (next_ < stages_.size()) {
      running_.emplace(stages_[next_++]());
    } else if (last_) {
      last_();
    }
  }

  std::vector<std::function<Work()>> stages_;
  std::function<void()> last_;
  std::size_t next_ = 0;
  std::optional<Work> running_;  // empty when all stages are done or one has failed
};

}  // namespace

std::unique_ptr<BucketWork> reduce_in_stages(std::vector<std::function<Work()>> stages,
                                             std::function<void()> last) {
  return std::make_unique<StagedWork>(std::move(stages), std::move(last));
}

}  // namespace lockstep
