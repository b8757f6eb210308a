#pragma once

// Drives everything that is in flight on one rank of a group: collectives one after the other in the order they
// were called, so that all ranks use the carrier in the same order, messages beside them. Nothing here runs by
// itself; poll() and wait() of any task drive the engine and the other engines of the same job (Engines), so that
// a rank that waits in one group still does its part in the others.

#include <poll.h>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "comm/mesh/carrier.h"
#include "comm/mesh/collective.h"
#include "comm/mesh/group.h"
#include "comm/mesh/mailroom.h"
#include "comm/request.h"
#include "comm/task.h"
#include "comm/task_pool.h"

namespace lockstep::mesh {

class Engine;

// The engines of one rank's groups.
class Engines {
 public:
  void add(Engine& engine) { all_.push_back(&engine); }
  void remove(Engine& engine) { std::erase(all_, &engine); }

  // True when anything moved anywhere.
  bool advance();
  // Until there is something to advance, or so long.
  void sleep(std::chrono::nanoseconds longest);

 private:
  std::vector<Engine*> all_;
  std::vector<pollfd> descriptors_;
};

class Engine {
 public:
  Engine(Group& group, Carrier& carrier, std::shared_ptr<Engines> engines);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Task& start(const Request& request);
  // Goes on with what is in flight; never blocks and never throws: an error is kept for the tasks.
  bool advance() noexcept;
  // Makes `error` the error of the group, unless it has one already.
  void fail(const Error& error) noexcept;
  // What to poll for something to happen.
  void list_descriptors(std::vector<pollfd>& descriptors) const;

 private:
  struct EngineTask;

  bool advance_collectives();
  void look_for_lost_peers() noexcept;
  void look_for_culprit(const std::string& carrier_failure) noexcept;
  void stop_if_failed() noexcept;
  void wait_for(const EngineTask& task);
  void check(const Task& task, bool deadline_too);
  [[noreturn]] void throw_failure(const Task& task) const;
  std::vector<int> awaited() const;
  Error timeout_error(const Task& task) const;

  Group& group_;
  Carrier& carrier_;
  std::shared_ptr<Engines> engines_;
  Staging staging_;
  Equipment equipment_;
  Mailroom mailroom_;
  std::deque<EngineTask*> collectives_;  // in the order of their calls
  std::optional<Clock::Time> carrier_failed_at_;
  bool stopped_ = false;
  std::unique_ptr<TaskPool<EngineTask>> tasks_;
};

}  // namespace lockstep::mesh
