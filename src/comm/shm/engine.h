#pragma once

// Drives everything that is in flight on one rank of a group: collectives one after the other in the order they
// were called, messages beside them. Nothing here runs by itself; poll() and wait() of any task drive the engine
// and the other engines of the same job (Engines), so that a rank that waits in one group still does its part in
// the others.

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "comm/request.h"
#include "comm/shm/collective.h"
#include "comm/shm/group.h"
#include "comm/shm/mailroom.h"
#include "comm/task.h"
#include "comm/task_pool.h"

namespace lockstep {

class Engine;

// The engines of one rank's groups.
class Engines {
 public:
  void add(Engine& engine) { all_.push_back(&engine); }
  void remove(Engine& engine) { std::erase(all_, &engine); }

  // True when anything moved anywhere.
  bool advance();
  bool only(const Engine& engine) const { return all_.size() == 1 && all_.front() == &engine; }

 private:
  std::vector<Engine*> all_;
};

class Engine {
 public:
  Engine(Group& group, std::shared_ptr<Engines> engines);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Task& start(const Request& request);
  // Goes on with what is in flight; never blocks and never throws: an error is kept for the tasks.
  bool advance() noexcept;

 private:
  struct EngineTask;

  void wait_for_announcement_slot(const Task& task);
  template <class Done>
  void wait_until(const Task& task, Done done);
  void check(const Task& task, bool deadline_too);
  std::vector<int> awaited_ranks() const;  // sorted
  void fail(const Error& error) noexcept;
  [[noreturn]] void throw_failure(const Task& task) const;
  Error timeout_error(const Task& task) const;

  Group& group_;
  std::shared_ptr<Engines> engines_;
  Mailroom mailroom_;
  std::deque<EngineTask*> collectives_;  // in the order of their calls
  std::uint64_t next_round_ = 0;
  std::optional<Error> failure_;
  Clock::Time last_check_{};
  std::unique_ptr<TaskPool<EngineTask>> tasks_;
};

}  // namespace lockstep
