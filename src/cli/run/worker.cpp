#include "cli/run/worker.h"

#include <csignal>
#include <filesystem>
#include <utility>

namespace lockstep::run {
namespace {

namespace fs = std::filesystem;

SubprocessOptions start_options(const WorkerPlan& worker, const AttemptContext& attempt, const Board& board,
                                const ErrorBox& error_box) {
  SubprocessOptions options{.standard_output = StreamTarget::kPipe,
                            .standard_error = StreamTarget::kPipe,
                            .inherit_standard_input = worker.rank == 0,
                            .inherited_fds = {board.fd()},
                            .cores = worker.cores};
  for (const auto& [name, value] : worker.environment) {
    options.environment[name] = value;
  }
  options.environment["TORCHELASTIC_RESTART_COUNT"] = std::to_string(attempt.number);
  options.environment[std::string(kErrorFileVariable)] = error_box.path();
  options.environment[std::string(kBoardVariable)] = std::to_string(board.fd());
  // The worker belongs to this job, whatever started the launcher.
  options.environment["LOCKSTEP_ENV"] = std::nullopt;
  return options;
}

fs::path file_in(const AttemptContext& attempt, const WorkerPlan& worker, const char* name) {
  return attempt.folder != nullptr ? attempt.folder->of_rank(attempt.number, worker.rank) / name : fs::path();
}

UniqueFd log_file(bool wanted, const fs::path& path) {
  return wanted ? open_log(path) : UniqueFd();
}

}  // namespace

Worker::Worker(const Plan& plan, std::size_t index, const AttemptContext& attempt, Console& console)
    : Worker(plan, index, attempt, console, Board::create(attempt.token),
             ErrorBox(file_in(attempt, plan.workers[index], "error.json"))) {}

Worker::Worker(const Plan& plan, std::size_t index, const AttemptContext& attempt, Console& console,
               Board board, ErrorBox error_box)
    : plan_(plan.workers[index]),
      world_size_(plan.world_size),
      board_(std::move(board)),
      error_box_(std::move(error_box)),
      process_(Subprocess::spawn(plan.command, start_options(plan_, attempt, board_, error_box_))),
      out_(std::move(process_.standard_output()),
           log_file(plan_.to_file.out, file_in(attempt, plan_, kOutLog)), console, Console::Stream::kOut,
           index, plan_.to_console.out),
      err_(std::move(process_.standard_error()),
           log_file(plan_.to_file.err, file_in(attempt, plan_, kErrLog)), console, Console::Stream::kErr,
           index, plan_.to_console.err) {}

void Worker::hand_on(int signal_number) {
  process_.signal_alone(signal_number);
}

// The worker stops the processes it started itself: a data loader that exits before its trainer has saved does not
// help.
void Worker::stop(int signal_number) {
  stop_signal_ = signal_number;
  process_.signal_alone(signal_number);
  process_.signal_alone(SIGCONT);
}

void Worker::kill() {
  stop_signal_ = SIGKILL;
  process_.signal(SIGKILL);
  process_.signal_alone(SIGKILL);  // it may have moved to another process group
}

WorkerEnding Worker::end() {
  process_.signal(SIGKILL);  // processes it left running; the worker itself has exited
  const auto status = process_.poll();
  out_.finish();
  err_.finish();
  ended_ = true;
  WorkerEnding ending{.rank = plan_.rank,
                      .local_rank = plan_.local_rank,
                      .pid = process_.pid(),
                      .status = status.value_or(ExitStatus()),
                      .time = std::chrono::system_clock::now().time_since_epoch(),
                      .stop_signal = stop_signal_,
                      .is_ours = board_.is_ours(),
                      .stage = stage(),
                      .steps = board_.steps()};
  ending.error = error_box_.read();
  ending.error_file = ending.error && error_box_.is_file() ? error_box_.path() : "";
  ending.last_output = err_.tail();
  return ending;
}

}  // namespace lockstep::run
