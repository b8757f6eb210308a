#pragma once

// A fabric for ranks that are threads of one process: a dictionary, and a carrier that copies. It stands in for
// libtorch, so that the mesh can be tested where libtorch is not, with the sanitizers.

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/unique_fd.h"
#include "comm/mesh/carrier.h"
#include "lockstep/error.h"

namespace lockstep::testing {

class MemoryFabric final : public mesh::Fabric {
 public:
  std::unique_ptr<mesh::KeyStore> open_store(const std::string& group) override {
    return std::make_unique<Store>(*this, group + "/");
  }

  std::unique_ptr<mesh::Carrier> connect(const std::string& group, int rank, int size,
                                         const Deadline&) override {
    const MutexLock lock(mutex_);
    auto& meeting = meetings_[group];
    if (!meeting) {
      meeting = std::make_shared<Meeting>(size);
    }
    return std::make_unique<Carrier>(meeting, rank);
  }

 private:
  class Store final : public mesh::KeyStore {
   public:
    Store(MemoryFabric& fabric, std::string prefix) : fabric_(fabric), prefix_(std::move(prefix)) {}

    void set(const std::string& key, const std::string& value) override {
      const MutexLock lock(fabric_.mutex_);
      fabric_.values_[prefix_ + key] = value;
    }
    std::optional<std::string> get(const std::string& key) override {
      const MutexLock lock(fabric_.mutex_);
      const auto found = fabric_.values_.find(prefix_ + key);
      return found == fabric_.values_.end() ? std::nullopt : std::optional(found->second);
    }
    std::int64_t add(const std::string& key, std::int64_t number) override {
      const MutexLock lock(fabric_.mutex_);
      return fabric_.sums_[prefix_ + key] += number;
    }

   private:
    MemoryFabric& fabric_;
    std::string prefix_;
  };

  // One transfer of all ranks: the last to come does the work for everybody.
  struct Transfer {
    std::vector<mesh::Exchange> exchanges;
    std::vector<std::vector<std::size_t>> counts;  // what the exchanges' spans point to
    std::vector<std::byte*> places;                // broadcast
    std::size_t bytes = 0;
    int root = -1;
    int arrived = 0;
    std::atomic<bool> done{false};
    std::atomic<bool> failed{false};
  };

  class Meeting {
   public:
    explicit Meeting(int size) : size_(static_cast<std::size_t>(size)), events_(size_), started_(size_) {
      for (auto& event : events_) {
        event = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
      }
    }

    int event_fd(int rank) const { return events_[static_cast<std::size_t>(rank)].get(); }

    // `enter` writes this rank's part into the transfer that is its next one.
    template <class Enter>
    std::shared_ptr<Transfer> join(int rank, Enter enter) {
      const MutexLock lock(mutex_);
      const std::size_t number = started_[static_cast<std::size_t>(rank)]++;
      while (transfers_.size() <= number) {
        transfers_.push_back(std::make_shared<Transfer>());
        transfers_.back()->exchanges.resize(size_);
        transfers_.back()->counts.resize(2 * size_);
        transfers_.back()->places.resize(size_);
      }
      const auto transfer = transfers_[number];
      enter(*transfer);
      transfer->failed = transfer->failed || cancelled_;
      if (++transfer->arrived == static_cast<int>(size_) && !transfer->failed) {
        carry_out(*transfer);
      }
      if (transfer->arrived == static_cast<int>(size_) || transfer->failed) {
        finish(*transfer);
      }
      return transfer;
    }

    void cancel() {
      const MutexLock lock(mutex_);
      cancelled_ = true;
      for (const auto& transfer : transfers_) {
        if (!transfer->done) {
          transfer->failed = true;
          finish(*transfer);
        }
      }
    }

   private:
    void carry_out(Transfer& transfer) const {
      for (std::size_t to = 0; to < size_; ++to) {
        if (transfer.root >= 0 && static_cast<int>(to) != transfer.root) {
          std::memcpy(transfer.places[to], transfer.places[static_cast<std::size_t>(transfer.root)],
                      transfer.bytes);
        }
        std::size_t received = 0;
        for (std::size_t from = 0; from < size_ && transfer.root < 0; ++from) {
          std::size_t before = 0;
          for (std::size_t other = 0; other < to; ++other) {
            before += transfer.counts[from][other];
          }
          const std::size_t bytes = transfer.counts[from][to];
          if (bytes > 0) {
            std::memcpy(transfer.exchanges[to].to + received, transfer.exchanges[from].from + before, bytes);
          }
          received += bytes;
        }
      }
    }

    void finish(Transfer& transfer) const {
      transfer.done = true;
      for (const auto& event : events_) {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = write(event.get(), &one, sizeof one);
      }
    }

    std::size_t size_;
    std::vector<UniqueFd> events_;
    Mutex mutex_;
    bool cancelled_ LOCKSTEP_GUARDED_BY(mutex_) = false;
    std::vector<std::size_t> started_ LOCKSTEP_GUARDED_BY(mutex_);
    std::vector<std::shared_ptr<Transfer>> transfers_ LOCKSTEP_GUARDED_BY(mutex_);
  };

  class Flight final : public mesh::Flight {
   public:
    explicit Flight(std::shared_ptr<Transfer> transfer) : transfer_(std::move(transfer)) {}
    bool done() const override { return transfer_->done; }
    std::optional<std::string> failure() const override {
      return transfer_->failed ? std::optional<std::string>("cancelled") : std::nullopt;
    }

   private:
    std::shared_ptr<Transfer> transfer_;
  };

  class Carrier final : public mesh::Carrier {
   public:
    Carrier(std::shared_ptr<Meeting> meeting, int rank) : meeting_(std::move(meeting)), rank_(rank) {}

    std::unique_ptr<mesh::Flight> exchange(const mesh::Exchange& exchange) override {
      return std::make_unique<Flight>(meeting_->join(rank_, [&](Transfer& transfer) {
        const auto own = static_cast<std::size_t>(rank_);
        transfer.exchanges[own] = exchange;
        transfer.counts[own].assign(exchange.sent.begin(), exchange.sent.end());
      }));
    }
    std::unique_ptr<mesh::Flight> broadcast(std::byte* data, std::size_t bytes, int root) override {
      return std::make_unique<Flight>(meeting_->join(rank_, [&](Transfer& transfer) {
        transfer.places[static_cast<std::size_t>(rank_)] = data;
        transfer.bytes = bytes;
        transfer.root = root;
      }));
    }
    int event_fd() const override { return meeting_->event_fd(rank_); }
    void clear_event() override {
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t bytes = read(event_fd(), &count, sizeof count);
    }
    void cancel() noexcept override { meeting_->cancel(); }

   private:
    std::shared_ptr<Meeting> meeting_;
    int rank_;
  };

  Mutex mutex_;
  std::map<std::string, std::string> values_ LOCKSTEP_GUARDED_BY(mutex_);
  std::map<std::string, std::int64_t> sums_ LOCKSTEP_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<Meeting>> meetings_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::testing
