#include "cli/bench/worker_group.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include "base/duration_text.h"
#include "base/random_token.h"
#include "comm/rank_list.h"
#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

using std::chrono::seconds;

constexpr seconds kTimeToLeave{2};
// After one worker answered with an error: the worker that caused it may be about to fail visibly.
constexpr seconds kTimeForTheCause{2};

// Waits until one of the descriptors is readable; false at the deadline.
bool wait_readable(std::vector<pollfd>& descriptors, const Deadline& deadline) {
  for (;;) {
    const int ready = poll(descriptors.data(), descriptors.size(), deadline.poll_timeout_ms());
    if (ready > 0) {
      return true;
    }
    if (ready < 0 && errno != EINTR) {
      throw Error::from_errno(errno, "poll");
    }
    if (ready == 0 && deadline.expired()) {
      return false;
    }
  }
}

pollfd readable(int fd) {
  return {.fd = fd, .events = POLLIN, .revents = 0};
}

}  // namespace

WorkerGroup::WorkerGroup(const WorkerTeam& team, std::chrono::nanoseconds patience)
    : name_(team.name),
      ranks_(team.ranks),
      patience_(patience),
      socket_("lockstep.bench." + random_token()),
      links_(static_cast<std::size_t>(team.ranks)) {
  PacketListener listener(socket_);
  start(team);
  connect_all(listener, Deadline::after(patience));
}

WorkerGroup::~WorkerGroup() {
  links_.clear();
  for (const int signal : {0, SIGTERM}) {
    const Deadline deadline = Deadline::after(kTimeToLeave);
    for (Subprocess& process : processes_) {
      if (signal != 0) {
        process.signal(signal);
      }
      process.wait(deadline);
    }
  }
}

void WorkerGroup::start(const WorkerTeam& team) {
  if (team.commands.size() != links_.size()) {
    launcher_ = team.commands.front().front();
  }
  for (std::vector<std::string> command : team.commands) {
    command.insert(command.end(), {"--socket", socket_});
    processes_.push_back(Subprocess::spawn(command, team.process));
  }
}

void WorkerGroup::connect_all(PacketListener& listener, const Deadline& deadline) {
  while (std::any_of(links_.begin(), links_.end(), [](const PacketLink& link) { return !link; })) {
    std::vector<pollfd> descriptors = {readable(listener.fd())};
    for (const Subprocess& process : processes_) {
      descriptors.push_back(readable(process.pidfd()));
    }
    if (!wait_readable(descriptors, deadline)) {
      std::vector<bool> there;
      for (const PacketLink& link : links_) {
        there.push_back(static_cast<bool>(link));
      }
      throw Error(ErrorCode::kTimeout, fmt::format("{} did not connect within {}", missing_ranks(there),
                                                   duration_text(patience_)));
    }
    if (descriptors[0].revents != 0) {
      take_in(listener);
      continue;
    }
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (const auto status = processes_[i].poll()) {
        const std::string who = launcher_.empty() ? title(i) : launcher_;
        throw Error(ErrorCode::kPeerLost, fmt::format("{} {} before it connected", who, status->describe()));
      }
    }
  }
}

void WorkerGroup::take_in(PacketListener& listener) {
  auto link = listener.accept();
  const auto text = link ? link->receive() : std::nullopt;
  if (!text) {
    return;  // not one of the workers, or disconnected again
  }
  Hello hello = parse_hello(*text);
  if (hello.rank < 0 || hello.rank >= ranks_ || links_[static_cast<std::size_t>(hello.rank)]) {
    throw Error(ErrorCode::kMismatch, fmt::format("a worker of {} with {} ranks says that it is rank {}",
                                                  name_, ranks_, hello.rank));
  }
  if (hello.rank == 0) {
    invitation_ = std::move(hello.invitation);
  }
  links_[static_cast<std::size_t>(hello.rank)] = std::move(*link);
}

std::string WorkerGroup::join(std::size_t buffer_bytes) {
  return ask({.kind = OrderKind::kJoin, .bytes = buffer_bytes, .iterations = 0, .invitation = invitation_},
             ranks_)
      .front()
      .text;
}

std::vector<std::vector<std::int64_t>> WorkerGroup::measure(const Order& order) {
  return measure(order, ranks_);
}

std::vector<std::vector<std::int64_t>> WorkerGroup::measure(const Order& order, int ranks) {
  std::vector<std::vector<std::int64_t>> times;
  for (Answer& answer : ask(order, ranks)) {
    times.push_back(std::move(answer.times_ns));
  }
  return times;
}

std::vector<pid_t> WorkerGroup::processes() const {
  std::vector<pid_t> pids;
  for (const Subprocess& process : processes_) {
    pids.push_back(process.pid());
  }
  return pids;
}

std::vector<Answer> WorkerGroup::ask(const Order& order) {
  return ask(order, ranks_);
}

std::vector<Answer> WorkerGroup::ask(const Order& order, int ranks) {
  hand_out(to_text(order), ranks);
  std::vector<Answer> answers = collect(ranks);
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    if (answers[rank].times_ns.size() != static_cast<std::size_t>(order.iterations)) {
      throw Error(ErrorCode::kMismatch, fmt::format("{} measured {} times, not {}", title(rank),
                                                    answers[rank].times_ns.size(), order.iterations));
    }
  }
  return answers;
}

void WorkerGroup::hand_out(const std::string& order, int ranks) {
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    try {
      links_[rank].send(order);
    } catch (const Error&) {
      throw lost(rank);
    }
  }
}

std::vector<Answer> WorkerGroup::collect(int ranks) {
  std::vector<Answer> answers(static_cast<std::size_t>(ranks));
  std::vector<bool> there(answers.size());
  std::optional<Error> failure;
  Deadline deadline = Deadline::after(patience_);
  for (std::size_t left = answers.size(); left > 0;) {
    std::vector<pollfd> descriptors;
    for (std::size_t rank = 0; rank < answers.size(); ++rank) {
      descriptors.push_back(readable(there[rank] ? -1 : links_[rank].fd()));
    }
    if (!wait_readable(descriptors, deadline)) {
      break;
    }
    for (std::size_t rank = 0; rank < answers.size(); ++rank) {
      if (descriptors[rank].revents == 0) {
        continue;
      }
      answers[rank] = receive(rank);
      there[rank] = true;
      --left;
      if (!answers[rank].error.empty() && !failure) {
        failure = Error(ErrorCode::kPeerLost, fmt::format("{} failed: {}", title(rank), answers[rank].error));
        deadline =
            Deadline::after(std::min<std::chrono::nanoseconds>(deadline.remaining(), kTimeForTheCause));
      }
    }
  }
  if (failure) {
    throw Error(*failure);
  }
  if (std::find(there.begin(), there.end(), false) != there.end()) {
    throw Error(ErrorCode::kTimeout,
                fmt::format("{} did not answer within {}", missing_ranks(there), duration_text(patience_)));
  }
  return answers;
}

Answer WorkerGroup::receive(std::size_t rank) {
  const auto text = links_[rank].receive();
  if (!text) {
    throw lost(rank);
  }
  return parse_answer(*text);
}

std::string WorkerGroup::title(std::size_t rank) const {
  return fmt::format("rank {} of {} of {}", rank, ranks_, name_);
}

// The exit status is known only for direct children.
Error WorkerGroup::lost(std::size_t rank) {
  std::string end = "left";
  if (launcher_.empty()) {
    if (const auto status = processes_[rank].wait(Deadline::after(kTimeToLeave))) {
      end = status->describe();
    }
  }
  return {ErrorCode::kPeerLost, fmt::format("{} {} during the benchmark", title(rank), end)};
}

std::string WorkerGroup::missing_ranks(const std::vector<bool>& there) const {
  std::vector<int> missing;
  for (std::size_t rank = 0; rank < there.size(); ++rank) {
    if (!there[rank]) {
      missing.push_back(static_cast<int>(rank));
    }
  }
  return fmt::format("rank{} {} of {} of {}", missing.size() == 1 ? "" : "s", rank_list(missing), ranks_,
                     name_);
}

}  // namespace lockstep::bench
