// A worker that does what its first argument says: the program that the tests of `lockstep run` start.
//
//   scenario_worker fail exit3 1      rank 1 exits with code 3, the others wait

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_status.h"
#include "base/unique_fd.h"
#include "base/write_guard.h"
#include "job/board.h"
#include "lockstep/config.h"
#include "lockstep/error.h"
#include "lockstep/failure.h"
#include "lockstep/world.h"
#include "topology/topology.h"

namespace lockstep::run {
namespace {

using Arguments = std::vector<std::string>;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "(unset)";
}

int my_rank() {
  return std::stoi(variable("RANK"));
}

void say(const std::string& line) {
  std::cout << line + "\n" << std::flush;  // in one write: ranks may share the pipe
}

void say_ready() {
  say(fmt::format("ready {} {}", my_rank(), getpid()));
}

[[noreturn]] void wait_for_ever() {
  for (;;) {
    pause();
  }
}

void ignore_polite_signals() {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    ::signal(number, SIG_IGN);
  }
}

// The worker's own failures, as opposed to what it does with its peers.
int fail(const std::string& how) {
  if (how == "exit3") {
    return 3;
  }
  if (how == "exit0") {
    std::exit(0);  // through no destructor of main()'s
  }
  if (how == "abort") {
    std::abort();
  }
  if (how == "segv") {
    ::signal(SIGSEGV, SIG_DFL);  // without a sanitizer's opinion
    ::raise(SIGSEGV);
  }
  if (how == "sigkill") {
    ::raise(SIGKILL);
  }
  if (how == "forbidden-write") {
    ::signal(SIGSEGV, SIG_DFL);  // likewise
    void* page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const WriteGuard guard(
        {{static_cast<std::byte*>(page), 4096,
          fmt::format("rank {} wrote to shared parameter 'fc.\"1\"'", my_rank()), "don't"}});
    *static_cast<volatile char*>(page) = 1;
  }
  if (how == "exception") {
    try {
      throw std::runtime_error("part 7 is not there");
    } catch (...) {
      std::throw_with_nested(std::runtime_error("cannot read the data"));
    }
  }
  if (how == "error") {
    throw Error(ErrorCode::kCorrupt, "part 7 has the wrong length")
        .with_operation("read")
        .with_cause(std::make_exception_ptr(std::runtime_error("4 bytes instead of 8")));
  }
  throw std::invalid_argument("no way to fail: " + how);
}

int do_fail(const Arguments& arguments) {
  if (my_rank() == std::stoi(arguments.at(1))) {
    return fail(arguments.at(0));
  }
  wait_for_ever();
}

void take_step(World& world) {
  std::vector<float> values(1000, 1.0F);
  world.communicator().all_reduce(values, ReduceOp::kSum);
  note_process_step();
}

// Trains for ever, but for one rank, which fails in its third step in the way it is told.
int do_train(const Arguments& arguments) {
  World world = World::join();
  for (int step = 0;; ++step) {
    if (step == 2 && arguments.size() == 2 && my_rank() == std::stoi(arguments[1])) {
      return fail(arguments[0]);
    }
    take_step(world);
    if (step == 0) {
      say_ready();
    }
  }
}

// The same with a world that std::exit() destroys.
int do_train_statically(const Arguments& arguments) {
  static World world = World::join();
  for (int step = 0;; ++step) {
    if (step == 2 && my_rank() == std::stoi(arguments.at(1))) {
      return fail(arguments[0]);
    }
    take_step(world);
  }
}

// All but one rank join; that one has nothing to do with it.
int do_join_without(const Arguments& arguments) {
  if (my_rank() != std::stoi(arguments.at(0))) {
    World::join();
  }
  return 0;
}

// Rank 0 waits for the others in shared memory, they for it on the network.
int do_join_differently(const Arguments&) {
  World::join({.backend = my_rank() == 0 ? BackendChoice::kShm : BackendChoice::kGloo});
  return 0;
}

// A step of training from the first to the last rank, all of which leave in order.
int do_train_once(const Arguments&) {
  World world = World::join();
  take_step(world);
  return 0;
}

// The same, with what goes wrong caught where a program ends.
int do_train_guarded(const Arguments& arguments) {
  return guard_main([&] { return do_train(arguments); });
}
int do_train_statically_guarded(const Arguments& arguments) {
  return guard_main([&] { return do_train_statically(arguments); });
}

// Fails in its first attempts, with or without having taken a step, and ends well in the one that is named.
int do_recover(const Arguments& arguments) {
  const int attempt = std::stoi(variable("TORCHELASTIC_RESTART_COUNT"));
  World world = World::join();
  if (my_rank() == 0) {
    say(fmt::format("attempt {} token {}", attempt, Board::find(config::process_environment())->token()));
  }
  if (arguments.at(1) == "step") {
    take_step(world);
  }
  world.communicator().barrier();
  return attempt >= std::stoi(arguments.at(0)) ? 0 : 3;
}

int do_hello(const Arguments&) {
  say(fmt::format("out {}", my_rank()));
  std::cerr << fmt::format("err {}\n", my_rank()) << std::flush;
  return 0;
}

int do_wait(const Arguments&) {
  say_ready();
  wait_for_ever();
}

int do_be_stubborn(const Arguments&) {
  ignore_polite_signals();
  return do_wait({});
}

// Waits for one of its signals and says which it was; exits with the code that is named.
int do_take_signal(const Arguments& arguments) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) {
    sigaddset(&signals, number);
  }
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  say_ready();
  int number = 0;
  sigwait(&signals, &number);
  say(fmt::format("rank {} got {}", my_rank(), signal_name(number)));
  return std::stoi(arguments.at(0));
}

// A process far from home: in a session of its own, its parent gone, deaf to polite signals.
void start_daemon() {
  Pipe ready = Pipe::create();
  const pid_t middle = fork();
  if (middle == 0) {
    setsid();
    if (fork() == 0) {
      ignore_polite_signals();
      ready = {};
      wait_for_ever();
    }
    _exit(0);
  }
  ready.write.reset();
  char byte = 0;
  [[maybe_unused]] const auto end =
      read(ready.read.get(), &byte, 1);  // of the pipe: the daemon is on its way
}

int do_have_a_family(const Arguments&) {
  for (const bool in_own_session : {false, true}) {
    if (fork() == 0) {
      if (in_own_session) {
        setsid();
      }
      ignore_polite_signals();
      wait_for_ever();
    }
  }
  start_daemon();
  return do_wait({});
}

int do_leave_a_daemon(const Arguments&) {
  start_daemon();
  return 0;
}

// Rank 0 prints as many lines of 1000 bytes as it is told, for ever with 0; the others print a thousand short ones.
int do_flood(const Arguments& arguments) {
  const bool floods = my_rank() == 0;
  const long lines = floods ? std::stol(arguments.at(0)) : 1000;
  say_ready();
  const std::string filler(floods ? 980 : 1, 'x');
  for (long i = 0; i < lines || lines == 0; ++i) {
    std::fputs(fmt::format("rank {} line {:07} {}\n", my_rank(), i, filler).c_str(), stdout);
  }
  return 0;
}

int do_print_garbage(const Arguments&) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) {
    bytes += static_cast<char>((i * 131) % 251);
  }
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  std::fwrite(bytes.data(), 1, bytes.size(), stderr);
  return my_rank() == 0 ? 3 : 0;
}

int do_show_environment(const Arguments& arguments) {
  for (const std::string& name : arguments) {
    say(fmt::format("{}={}", name, variable(name.c_str())));
  }
  return 0;
}

int do_show_cores(const Arguments&) {
  std::string text = fmt::format("rank {}:", my_rank());
  for (const int core : read_topology().threads()) {
    text += fmt::format(" {}", core);
  }
  say(text);
  return 0;
}

int do_read(const Arguments&) {
  for (std::string line; std::getline(std::cin, line);) {
    say(fmt::format("rank {} read {}", my_rank(), line));
  }
  say(fmt::format("rank {} is at the end", my_rank()));
  return 0;
}

int act(const std::string& action, const Arguments& arguments) {
  static const std::map<std::string, std::function<int(const Arguments&)>> kActions = {
      {"fail", do_fail},
      {"train", do_train},
      {"train-guarded", do_train_guarded},
      {"train-once", do_train_once},
      {"train-statically", do_train_statically_guarded},
      {"join-without", do_join_without},
      {"join-differently", do_join_differently},
      {"recover", do_recover},
      {"hello", do_hello},
      {"wait", do_wait},
      {"be-stubborn", do_be_stubborn},
      {"take-signal", do_take_signal},
      {"have-a-family", do_have_a_family},
      {"leave-a-daemon", do_leave_a_daemon},
      {"flood", do_flood},
      {"print-garbage", do_print_garbage},
      {"show-environment", do_show_environment},
      {"show-cores", do_show_cores},
      {"read", do_read}};
  return kActions.at(action)(arguments);
}

}  // namespace
}  // namespace lockstep::run

int main(int argc, char** argv) {
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};  // it would lie where the tests look for leftovers
  setrlimit(RLIMIT_CORE, &no_core);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return lockstep::run::act(arguments.at(0), {arguments.begin() + 1, arguments.end()});
}
