#include "bench_worker/gloo/gloo_contestant.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

#ifndef USE_C10D_GLOO  // libtorch was built with it, but not all of its packages say so
#define USE_C10D_GLOO
#endif
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <string>
#include <vector>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

// Calls libtorch, and strips the backtrace from its exceptions.
template <class Call>
auto call_torch(Call call) {
  try {
    return call();
  } catch (const c10::Error& error) {
    throw Error(ErrorCode::kSystem, error.what_without_backtrace());
  }
}

class GlooContestant final : public Contestant {
 public:
  GlooContestant(int rank, int size) : rank_(rank), size_(size) { at::set_num_threads(1); }

  std::string invite() override {
    return call_torch([&] { return hold_store(); });
  }

  std::string join(const std::string& invitation, std::size_t buffer_bytes) override {
    return call_torch([&] { return meet(invitation, buffer_bytes); });
  }

  std::span<float> buffer() override {
    return {bucket_.data_ptr<float>(), static_cast<std::size_t>(bucket_.numel())};
  }

  void barrier() override {
    call_torch([&] { return group_->barrier()->wait(); });
  }

  void all_reduce(std::span<float> part) override {
    std::vector<at::Tensor> tensors = {bucket_.narrow(0, 0, static_cast<std::int64_t>(part.size()))};
    call_torch([&] { return group_->allreduce(tensors)->wait(); });
  }

 private:
  std::string hold_store() {
    c10d::TCPStoreOptions options;
    options.port = 0;  // any free port
    options.isServer = true;
    options.waitWorkers = false;
    store_ = c10::make_intrusive<c10d::TCPStore>(kLoopback, options);
    return std::to_string(store_->getPort());
  }

  std::string meet(const std::string& invitation, std::size_t buffer_bytes) {
    if (!store_) {
      c10d::TCPStoreOptions options;
      options.port = static_cast<std::uint16_t>(std::stoi(invitation));
      options.waitWorkers = false;
      store_ = c10::make_intrusive<c10d::TCPStore>(kLoopback, options);
    }
    const auto options = c10d::ProcessGroupGloo::Options::create();
    options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(kLoopback));
    group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(store_, rank_, size_, options);
    bucket_ = at::zeros({static_cast<std::int64_t>(buffer_bytes / sizeof(float))}, at::kFloat);
    return std::string("libtorch ") + TORCH_VERSION;
  }

  int rank_;
  int size_;
  c10::intrusive_ptr<c10d::TCPStore> store_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
  at::Tensor bucket_;
};

}  // namespace

std::unique_ptr<Contestant> make_gloo_contestant(int rank, int size) {
  return std::make_unique<GlooContestant>(rank, size);
}

}  // namespace lockstep::bench
