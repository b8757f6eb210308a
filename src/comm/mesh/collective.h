#pragma once

// One collective in flight on one rank: announce it, wait for the announcements of the others, compare them, and
// then either use the data that came along or go through the steps of a large one. A state machine that can stop
// at any point: advance() goes as far as it can without waiting for anybody.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/mesh/carrier.h"
#include "comm/mesh/group.h"
#include "comm/mesh/staging.h"
#include "comm/mesh/steps.h"
#include "comm/request.h"
#include "comm/schedule.h"
#include "comm/task.h"

namespace lockstep::mesh {

// What the collectives of one group share. They run one after the other.
struct Equipment {
  Group& group;
  Carrier& carrier;
  Staging& staging;
};

class Collective {
 public:
  // Starts over with a new call, and announces it.
  void begin(const Equipment& equipment, const Task& task, const Request& request);

  // Goes on; true when anything happened. Throws Error{kMismatch} when ranks disagree.
  bool advance();
  bool done() const { return state_ == State::kDone; }

  // The ranks whose announcement has not come.
  void list_missing(std::vector<int>& ranks) const;
  // Whether the carrier is moving data, so that every other rank is needed.
  bool in_flight() const { return landed_ < flights_.size(); }
  // What the carrier said when it gave up; it does not say because of whom.
  const std::optional<std::string>& carrier_failure() const { return carrier_failure_; }

 private:
  enum class State { kGathering, kSteps, kDone };

  void announce();
  bool gather_announcements();
  void compare_with(int peer, const Call& call) const;
  bool is_small() const;
  void use_inline_data();
  void run(const Action& action);
  const std::byte* inline_data(int rank) const;
  Undertaking make_undertaking();
  void read_matrix();
  std::size_t announced_count(std::size_t rank, std::size_t index) const;
  void drop_calls();
  bool run_step();
  void start(const Step& step);
  void count_landed_flights();
  std::byte* address(const Spot& spot) const;
  void reduce(const std::byte* const* sources, std::byte* destination, std::size_t bytes) const;

  const Equipment* equipment_ = nullptr;
  const Task* task_ = nullptr;
  ConstBuffer in_;
  Buffer out_;
  std::vector<std::size_t>
      counts_;  // all_to_all_v: what this rank sends to each, then what it gets from each
  State state_ = State::kDone;
  std::vector<bool> arrived_;
  std::vector<std::size_t> matrix_;
  std::vector<Action> actions_;
  std::vector<const std::byte*> sources_;
  std::vector<Step> steps_;
  std::size_t step_ = 0;
  std::vector<std::unique_ptr<Flight>> flights_;
  std::size_t landed_ = 0;  // of the flights, counted from the first
  std::optional<std::string> carrier_failure_;
};

}  // namespace lockstep::mesh
