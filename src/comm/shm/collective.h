#pragma once

// One collective in flight on one rank: announce it, wait for the announcements of the others, compare them,
// choose a path, and go through the rounds of its schedule. A state machine that can stop at any point:
// advance() goes as far as it can without waiting for anybody.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/own_input.h"
#include "comm/request.h"
#include "comm/schedule.h"
#include "comm/shm/group.h"
#include "comm/task.h"

namespace lockstep {

class Collective {
 public:
  // Starts over with a new call; allocates only when a collective needs more memory than any before it.
  void begin(Group& group, const Task& task, const Request& request);

  // Publishes what this rank is calling, and the data itself when it is small.
  void announce();

  // Goes on; true when anything happened. `next_round` numbers the rounds of all collectives of the group one
  // after the other, the same on every rank. Throws Error{kMismatch} when ranks disagree.
  bool advance(std::uint64_t& next_round);
  bool done() const { return state_ == State::kDone; }

  // The ranks whose next move this one waits for.
  void list_awaited(std::vector<int>& ranks) const;

 private:
  enum class State { kGathering, kRounds, kClosing, kDone };

  bool gather_announcements();
  void compare_with(int peer) const;
  [[noreturn]] void throw_mismatch(int peer, const std::string& mine, const std::string& theirs) const;
  void make_plan();
  bool buffers_are_symmetric() const;
  void read_matrix();
  void resolve_buffers();
  bool run_round();
  bool all_finished(std::uint64_t rounds) const;
  void run(const Action& action);
  std::size_t combine(const Action& action, std::size_t first);
  std::byte* address(const Place& place) const;
  Announcement& announcement(int rank) const {
    return group_->control(rank).announcement(operation_->sequence);
  }

  Group* group_ = nullptr;
  const Operation* operation_ = nullptr;
  const Label* label_ = nullptr;
  ConstBuffer in_;
  Buffer out_;
  OwnInput own_;
  std::vector<std::size_t>
      counts_;  // all_to_all_v: what this rank sends to each, then what it gets from each
  State state_ = State::kDone;
  std::vector<bool> arrived_;
  Plan plan_;
  std::vector<std::size_t> matrix_;
  std::vector<std::byte*> inputs_;   // by rank, where this rank can reach them
  std::vector<std::byte*> outputs_;  // by rank, likewise
  std::uint64_t first_round_ = 0;
  std::size_t round_ = 0;
  std::vector<Action> actions_;
  std::vector<const std::byte*> sources_;
  std::vector<std::byte*> destinations_;
};

}  // namespace lockstep
