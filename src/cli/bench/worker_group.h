#pragma once

// The ranks of one thing that is measured, as worker processes: started, connected and joined. They live until this
// object does, and sleep unless they were asked for something.
//
// Every way in which a worker can fail ends in an Error that names the group and the rank: it died, it answered
// with an error, or it did not answer in time.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/subprocess.h"
#include "bench_worker/messages.h"
#include "bench_worker/packet_link.h"
#include "lockstep/error.h"

namespace lockstep::bench {

// What to start.
struct WorkerTeam {
  std::string name;  // for errors: "gloo"
  int ranks = 1;
  // One for each rank, or one of a launcher that starts them all. "--socket NAME" is appended.
  std::vector<std::vector<std::string>> commands = {};
  SubprocessOptions process = {};
};

class WorkerGroup {
 public:
  // Starts the workers and waits until all are connected; `patience` is for this and for each order.
  WorkerGroup(const WorkerTeam& team, std::chrono::nanoseconds patience);
  WorkerGroup(WorkerGroup&&) noexcept = default;
  WorkerGroup& operator=(WorkerGroup&&) = delete;
  WorkerGroup(const WorkerGroup&) = delete;
  WorkerGroup& operator=(const WorkerGroup&) = delete;
  ~WorkerGroup();  // lets the workers leave by themselves before it ends them

  // The workers meet and get buffers of this size. Returns what rank 0 says about its version.
  std::string join(std::size_t buffer_bytes);

  // Gives an order to all workers, or to the first `ranks` of them, and returns their answers, by rank. Each has as
  // many times as the order has iterations.
  std::vector<Answer> ask(const Order& order);
  std::vector<Answer> ask(const Order& order, int ranks);
  // The same; returns their times.
  std::vector<std::vector<std::int64_t>> measure(const Order& order);
  std::vector<std::vector<std::int64_t>> measure(const Order& order, int ranks);

  int ranks() const { return ranks_; }
  // Of the processes that were started: the workers, or the launcher.
  std::vector<pid_t> processes() const;

 private:
  void start(const WorkerTeam& team);
  void connect_all(PacketListener& listener, const Deadline& deadline);
  void take_in(PacketListener& listener);
  void hand_out(const std::string& order, int ranks);
  std::vector<Answer> collect(int ranks);
  Answer receive(std::size_t rank);

  std::string title(std::size_t rank) const;  // "rank 1 of 2 of gloo"
  Error lost(std::size_t rank);
  std::string missing_ranks(const std::vector<bool>& there) const;  // "ranks 0 and 1 of 4 of gloo"

  std::string name_;
  int ranks_;
  std::string launcher_;  // empty: each process is a rank
  std::chrono::nanoseconds patience_;
  std::string socket_;
  std::string invitation_;
  std::vector<Subprocess> processes_;
  std::vector<PacketLink> links_;  // by rank
};

}  // namespace lockstep::bench
