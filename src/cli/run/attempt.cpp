#include "cli/run/attempt.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "base/duration_text.h"
#include "base/exit_status.h"
#include "cli/run/descendants.h"

namespace lockstep::run {
namespace {

using namespace std::chrono_literals;

// For a worker that lost its peer to notice, report it and exit, which takes some 20 ms.
constexpr auto kSettling = 1s;
// For a worker that has reported its failure to exit on its own afterwards, which takes Python longer than the peers
// that lost it.
constexpr auto kEnding = 5s;
// For the kernel to remove killed processes, and for a last check for leftovers.
constexpr auto kKilling = 10s;
// How often to check for a worker that waits for one that is gone: joining produces no event here.
constexpr auto kLookForJoins = 200ms;
constexpr auto kForever = 24h;

constexpr auto kStreams = {Console::Stream::kOut, Console::Stream::kErr};

}  // namespace

Attempt::Attempt(const Plan& plan, AttemptContext context, Console& console, SignalInbox& signals,
                 pid_t front)
    : plan_(plan),
      context_(std::move(context)),
      console_(console),
      signals_(signals),
      front_(front),
      phase_end_(Deadline::after(kForever)) {}

AttemptOutcome Attempt::run() {
  const Deadline clock = Deadline::after(kForever);
  outcome_.start_time = std::chrono::system_clock::now().time_since_epoch();
  start_workers();
  while (any_running()) {
    wait_for_events();
    take_output();
    take_endings();  // before the signals: a worker that has exited by now did not exit because of one
    end_hopeless_joins();
    take_signals();
    next_phase();
  }
  if (!kill_descendants(Deadline::after(kKilling))) {
    console_.say("a process that a worker started cannot be killed: it hangs in the kernel");
  }
  std::sort(outcome_.endings.begin(), outcome_.endings.end(),
            [](const WorkerEnding& a, const WorkerEnding& b) { return a.rank < b.rank; });
  outcome_.duration = clock.elapsed();
  return std::move(outcome_);
}

void Attempt::start_workers() {
  try {
    for (std::size_t i = 0; i < plan_.workers.size(); ++i) {
      workers_.push_back(std::make_unique<Worker>(plan_, i, context_, console_));
    }
  } catch (const Error& error) {
    outcome_.start_error = error;
    enter(Phase::kKilling, kKilling);
  }
}

bool Attempt::any_running() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [](const auto& worker) { return !worker->has_ended(); });
}

// Skips streams for which the console has no room; the console signals when it has some.
void Attempt::wait_for_events() {
  std::vector<pollfd> events = {{.fd = signals_.fd(), .events = POLLIN, .revents = 0}};
  const auto add = [&](int fd) { events.push_back({.fd = fd, .events = POLLIN, .revents = 0}); };
  for (const auto stream : kStreams) {
    add(console_.sink(stream).room_fd());
  }
  for (const auto& worker : workers_) {
    if (worker->has_ended()) {
      continue;
    }
    add(worker->pidfd());
    for (WorkerStream* stream : {&worker->out(), &worker->err()}) {
      if (stream->is_open() && stream->has_room()) {
        add(stream->fd());
      }
    }
  }
  const bool looks_again = any_stayed_away() || (phase_ == Phase::kRunning && any_joining());
  const Deadline wake = looks_again ? Deadline::after(kLookForJoins) : phase_end_;
  if (poll(events.data(), events.size(), wake.poll_timeout_ms()) < 0 && errno != EINTR) {
    throw Error::from_errno(errno, "poll");
  }
  for (const auto stream : kStreams) {
    console_.sink(stream).acknowledge_room();
  }
}

void Attempt::take_signals() {
  const std::vector<int> numbers = signals_.take();
  if (getppid() != front_ && phase_ != Phase::kKilling) {
    outcome_.signal = SIGKILL;
    enter(Phase::kKilling, kKilling);
  }
  for (const int number : numbers) {
    take_signal(number);
  }
}

void Attempt::take_signal(int number) {
  if (number == SIGCHLD) {
    reap_adopted(worker_pids());
  } else if (plan_.ending_signals.count(number) == 0) {
    for (const auto& worker : workers_) {
      worker->hand_on(number);
    }
  } else if (outcome_.signal == 0 && phase_ != Phase::kKilling) {
    outcome_.signal = number;
    console_.say(fmt::format("{}: stopping {} {}, at most {}", signal_name(number), workers_.size(),
                             workers_.size() == 1 ? "worker" : "workers", duration_text(plan_.grace)));
    stop_workers(number);
    enter(Phase::kStopping, plan_.grace);
  } else if (number == SIGINT && phase_ != Phase::kKilling) {
    console_.say("SIGINT again: killing the workers");
    enter(Phase::kKilling, kKilling);
  }
}

void Attempt::take_output() {
  for (const auto& worker : workers_) {
    for (WorkerStream* stream : {&worker->out(), &worker->err()}) {
      if (stream->is_open() && stream->has_room()) {
        stream->read_some();
      }
    }
  }
}

void Attempt::take_endings() {
  for (const auto& worker : workers_) {
    pollfd ended{.fd = worker->pidfd(), .events = POLLIN, .revents = 0};
    if (!worker->has_ended() && poll(&ended, 1, 0) > 0) {
      note_ending(worker->end());
    }
  }
}

void Attempt::note_ending(WorkerEnding ending) {
  const bool failed = !ending.status.ok();
  ending.out_of_memory =
      ending.status.signal == SIGKILL && ending.stop_signal != SIGKILL && memory_kills_.any();
  outcome_.endings.push_back(std::move(ending));
  if (failed && phase_ == Phase::kRunning) {
    const bool can_say_so =
        std::any_of(workers_.begin(), workers_.end(), [](const auto& worker) { return worker->speaks(); });
    enter(Phase::kSettling, can_say_so ? kSettling : 0s);
  }
}

bool Attempt::any_stayed_away() const {
  return phase_ == Phase::kRunning && std::any_of(workers_.begin(), workers_.end(), [](const auto& worker) {
           return worker->has_ended() && worker->stage() == JoinStage::kNone;
         });
}

bool Attempt::any_joining() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const auto& worker) {
    return !worker->has_ended() && worker->stage() == JoinStage::kJoining;
  });
}

// Whether ranks wait for each other on different backends; empty if none do.
std::string Attempt::backend_conflict() const {
  const Worker* first = nullptr;
  for (const auto& worker : workers_) {
    if (worker->has_ended() || worker->stage() != JoinStage::kJoining) {
      continue;
    }
    if (first == nullptr) {
      first = worker.get();
    } else if (worker->backend() != first->backend()) {
      return fmt::format(
          "the ranks differ in WorldOptions::backend and can never meet: rank {} has {}, rank {} has {}",
          first->rank(), first->backend(), worker->rank(), worker->backend());
    }
  }
  return "";
}

// A world is either complete or does not exist, and a worker that has exited will not join.
void Attempt::end_hopeless_joins() {
  if (phase_ != Phase::kRunning) {
    return;
  }
  outcome_.join_conflict = backend_conflict();
  if (!outcome_.join_conflict.empty()) {
    enter(Phase::kSettling, 0s);
    return;
  }
  if (any_joining() && any_stayed_away()) {
    enter(Phase::kSettling, kSettling);
  }
}

bool Attempt::any_ends_by_itself() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [](const auto& worker) { return !worker->has_ended() && worker->has_said_why(); });
}

void Attempt::next_phase() {
  const bool has_ended = phase_ == Phase::kEnding && !any_ends_by_itself();
  if (!phase_end_.expired() && !has_ended) {
    return;
  }
  if (phase_ == Phase::kSettling && any_ends_by_itself()) {
    enter(Phase::kEnding, kEnding);
  } else if (phase_ == Phase::kSettling || phase_ == Phase::kEnding) {
    stop_workers(SIGTERM);
    enter(Phase::kStopping, plan_.grace);
  } else if (phase_ == Phase::kStopping || phase_ == Phase::kKilling) {
    outcome_.grace_passed = outcome_.grace_passed || phase_ == Phase::kStopping;
    enter(Phase::kKilling, kKilling);  // repeatedly: a worker may have started others meanwhile
  }
}

void Attempt::enter(Phase phase, std::chrono::nanoseconds limit) {
  phase_ = phase;
  phase_end_ = Deadline::after(limit);
  if (phase == Phase::kKilling) {
    kill_workers();
  }
}

void Attempt::stop_workers(int signal_number) {
  for (const auto& worker : workers_) {
    if (!worker->has_ended()) {
      worker->stop(signal_number);
    }
  }
}

void Attempt::kill_workers() {
  for (const auto& worker : workers_) {
    if (!worker->has_ended()) {
      worker->kill();
    }
  }
}

std::set<pid_t> Attempt::worker_pids() const {
  std::set<pid_t> pids;
  for (const auto& worker : workers_) {
    pids.insert(worker->pid());
  }
  return pids;
}

}  // namespace lockstep::run
