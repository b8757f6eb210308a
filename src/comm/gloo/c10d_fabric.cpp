#include "comm/gloo/c10d_fabric.h"

#include <ATen/ATen.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

#ifndef USE_C10D_GLOO  // libtorch was built with it, but not every package of it says so
#define USE_C10D_GLOO
#endif
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "comm/gloo/broken_pipe_guard.h"
#include "lockstep/error.h"

namespace lockstep::gloo {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kNever = std::chrono::hours(24 * 7);  // our deadlines come first
constexpr milliseconds kStoreAnswer = std::chrono::seconds(10);
constexpr milliseconds kUnwind{100};  // for Gloo's threads to get out of a transfer that was called off
constexpr int kMostThreads = 8;
constexpr int kCancelTag = 0x4c4f434b;  // of the message that never comes

// The first line of what libtorch says; the rest is a backtrace.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

milliseconds at_least_a_second(const Deadline& deadline) {
  return std::max<milliseconds>(std::chrono::duration_cast<milliseconds>(deadline.remaining()),
                                std::chrono::seconds(1));
}

at::Tensor bytes_at(const std::byte* data, std::size_t bytes) {
  static std::byte nothing{};
  // Gloo reads what it sends and only writes what it receives; tensors know no const.
  auto* address = bytes == 0 ? &nothing : const_cast<std::byte*>(data);
  return at::from_blob(address, {static_cast<std::int64_t>(bytes)}, at::TensorOptions().dtype(at::kByte));
}

class C10dStore final : public mesh::KeyStore {
 public:
  explicit C10dStore(c10::intrusive_ptr<c10d::Store> store) : store_(std::move(store)) {}

  void set(const std::string& key, const std::string& value) override {
    ask([&] { store_->set(key, value); });
  }

  std::optional<std::string> get(const std::string& key) override {
    std::optional<std::string> value;
    ask([&] {
      if (store_->check({key})) {
        value = store_->get_to_str(key);
      }
    });
    return value;
  }

  std::int64_t add(const std::string& key, std::int64_t number) override {
    std::int64_t sum = 0;
    ask([&] { sum = store_->add(key, number); });
    return sum;
  }

 private:
  template <class Question>
  static void ask(Question question) {
    try {
      question();
    } catch (const std::exception& error) {
      throw Error(ErrorCode::kPeerLost, "the store does not answer: " + first_line(error.what()))
          .with_peer(0);
    }
  }

  c10::intrusive_ptr<c10d::Store> store_;
};

// Wakes whoever polls it when a flight ends. Shared with callbacks that run on Gloo's threads.
class Event {
 public:
  Event() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!fd_) {
      throw Error::from_errno(errno, "eventfd");
    }
  }

  int fd() const { return fd_.get(); }
  void signal() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written =
        write(fd_.get(), &one, sizeof one);  // full means signalled already
  }
  void clear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t bytes = read(fd_.get(), &count, sizeof count);
  }

 private:
  UniqueFd fd_;
};

class GlooFlight final : public mesh::Flight {
 public:
  GlooFlight(c10::intrusive_ptr<c10d::Work> work, const std::shared_ptr<Event>& event)
      : work_(std::move(work)), future_(work_->getFuture()) {
    future_->addCallback([event](c10::ivalue::Future&) { event->signal(); });
  }

  bool done() const override { return future_->completed(); }
  std::optional<std::string> failure() const override {
    return future_->hasError() ? std::optional(first_line(future_->tryRetrieveErrorMessage())) : std::nullopt;
  }
  const c10::intrusive_ptr<c10::ivalue::Future>& future() const { return future_; }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

class GlooCarrier final : public mesh::Carrier {
 public:
  explicit GlooCarrier(c10::intrusive_ptr<c10d::ProcessGroupGloo> group)
      : group_(std::move(group)), event_(std::make_shared<Event>()) {}

  // Gloo forgets to wake a thread that found the connection closed while it wrote to it; that thread would sleep
  // until Gloo's own timeout, and the destructor of its group waits for it. The connections are closed, so it
  // touches no memory of ours any more: such a group is left to itself.
  ~GlooCarrier() override {
    if (!all_ended()) {
      group_.release();
    }
  }
  GlooCarrier(const GlooCarrier&) = delete;
  GlooCarrier& operator=(const GlooCarrier&) = delete;

  std::unique_ptr<mesh::Flight> exchange(const mesh::Exchange& exchange) override {
    std::vector<std::int64_t> sent(exchange.sent.begin(), exchange.sent.end());
    std::vector<std::int64_t> received(exchange.received.begin(), exchange.received.end());
    at::Tensor from = bytes_at(exchange.from, sum_of(exchange.sent));
    at::Tensor to = bytes_at(exchange.to, sum_of(exchange.received));
    return follow([&] { return group_->alltoall_base(to, from, received, sent); });
  }

  std::unique_ptr<mesh::Flight> broadcast(std::byte* data, std::size_t bytes, int root) override {
    std::vector<at::Tensor> tensors = {bytes_at(data, bytes)};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    return follow([&] { return group_->broadcast(tensors, options); });
  }

  int event_fd() const override { return event_->fd(); }
  void clear_event() override { event_->clear(); }

  // c10d has no call for this. But a receive that times out makes Gloo give up all connections of the group, and
  // with them what is in flight: wait a millisecond for a message that nobody sends. Every peer is tried, since
  // nothing can be received from one whose connection is broken already.
  void cancel() noexcept override {
    const BrokenPipeGuard guard;
    for (int peer = 0; peer < group_->getSize(); ++peer) {
      if (peer != group_->getRank()) {
        give_up_on(peer);
      }
    }
    const Deadline deadline = Deadline::after(kUnwind);
    while (!all_ended() && !deadline.expired()) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

 private:
  static std::size_t sum_of(std::span<const std::size_t> parts) {
    std::size_t sum = 0;
    for (const std::size_t part : parts) {
      sum += part;
    }
    return sum;
  }

  template <class Start>
  std::unique_ptr<mesh::Flight> follow(Start start) {
    try {
      auto flight = std::make_unique<GlooFlight>(start(), event_);
      std::erase_if(in_flight_, [](const auto& future) { return future->completed(); });
      in_flight_.push_back(flight->future());
      return flight;
    } catch (const std::exception& error) {
      throw Error(ErrorCode::kInternal, "Gloo does not start a transfer: " + first_line(error.what()));
    }
  }

  void give_up_on(int peer) noexcept {
    try {
      std::vector<at::Tensor> tensors = {at::empty({1}, at::kByte)};
      group_->recv(tensors, peer, kCancelTag)->wait(milliseconds(1));
    } catch (const std::exception&) {  // what this is for
    }
  }

  bool all_ended() const {
    return std::all_of(in_flight_.begin(), in_flight_.end(),
                       [](const auto& future) { return future->completed(); });
  }

  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
  std::shared_ptr<Event> event_;
  std::vector<c10::intrusive_ptr<c10::ivalue::Future>> in_flight_;
};

class C10dFabric final : public mesh::Fabric {
 public:
  C10dFabric(C10dOptions options, const Deadline& deadline) : job_(std::move(options.job)) {
    c10d::TCPStoreOptions store;
    store.port = static_cast<std::uint16_t>(options.store_port);
    store.isServer = static_cast<bool>(options.store_listener);
    store.waitWorkers = false;
    store.timeout = at_least_a_second(deadline);
    if (store.isServer) {
      store.masterListenFd = options.store_listener.release();  // the store closes it
    }
    store_ = c10::make_intrusive<c10d::TCPStore>(options.store_address, store);
    store_->setTimeout(kStoreAnswer);
    device_ = c10d::ProcessGroupGloo::createDeviceForHostname(options.bind_address);
  }

  std::unique_ptr<mesh::KeyStore> open_store(const std::string& group) override {
    return std::make_unique<C10dStore>(prefixed(group));
  }

  std::unique_ptr<mesh::Carrier> connect(const std::string& group, int rank, int size,
                                         const Deadline& deadline) override {
    const BrokenPipeGuard guard;
    try {
      auto options = c10d::ProcessGroupGloo::Options::create(at_least_a_second(deadline));
      options->devices = {device_};
      options->threads = std::clamp(size, 2, kMostThreads);
      auto process_group = c10::make_intrusive<c10d::ProcessGroupGloo>(prefixed(group + "/gloo"), rank, size,
                                                                       std::move(options));
      process_group->setTimeout(kNever);
      return std::make_unique<GlooCarrier>(std::move(process_group));
    } catch (const std::exception& error) {
      throw Error(deadline.expired() ? ErrorCode::kTimeout : ErrorCode::kPeerLost,
                  "Gloo could not connect all ranks: " + first_line(error.what()))
          .with_rank(rank)
          .with_elapsed(deadline.elapsed());
    }
  }

 private:
  c10::intrusive_ptr<c10d::Store> prefixed(const std::string& group) {
    return c10::make_intrusive<c10d::PrefixStore>("lockstep/" + job_ + "/" + group, store_);
  }

  std::string job_;
  c10::intrusive_ptr<c10d::Store> store_;
  std::shared_ptr<::gloo::transport::Device> device_;
};

}  // namespace

std::shared_ptr<mesh::Fabric> open_c10d_fabric(C10dOptions options, const Deadline& deadline) {
  const BrokenPipeGuard guard;
  try {
    return std::make_shared<C10dFabric>(std::move(options), deadline);
  } catch (const std::exception& error) {
    throw Error(ErrorCode::kSystem, "cannot open libtorch's store and Gloo: " + first_line(error.what()));
  }
}

}  // namespace lockstep::gloo
