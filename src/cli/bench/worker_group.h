#pragma once

// The ranks of one measured implementation, as worker processes: started, connected and joined. They live as long as
// this object, and sleep between orders.
//
// Every failure of a worker becomes an Error with the group and the rank: it crashed, it answered with an error, or it
// did not answer in time.

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
  // One per rank, or a single one of a launcher that starts all ranks. "--socket NAME" is appended.
  std::vector<std::vector<std::string>> commands = {};
  SubprocessOptions process = {};
};

class WorkerGroup {
 public:
  // Starts the workers and waits until all are connected; `patience` is the limit for this and for each order.
  WorkerGroup(const WorkerTeam& team, std::chrono::nanoseconds patience);
  WorkerGroup(WorkerGroup&&) noexcept = default;
  WorkerGroup& operator=(WorkerGroup&&) = delete;
  WorkerGroup(const WorkerGroup&) = delete;
  WorkerGroup& operator=(const WorkerGroup&) = delete;
  ~WorkerGroup();  // lets the workers exit before it kills them

  // The workers join and get buffers of this size. Returns the version that rank 0 reports.
  std::string join(std::size_t buffer_bytes);

  // Gives an order to all workers, or to the first `ranks` of them, and returns their answers by rank. Each has one
  // time per iteration of the order.
  std::vector<Answer> ask(const Order& order);
  std::vector<Answer> ask(const Order& order, int ranks);
  // The same; returns the times.
  std::vector<std::vector<std::int64_t>> measure(const Order& order);
  std::vector<std::vector<std::int64_t>> measure(const Order& order, int ranks);

  int ranks() const { return ranks_; }
  // The processes that were started: the workers, or the launcher.
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
