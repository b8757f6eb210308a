#pragma once

// Options. A struct describes its fields once; flags, environment variables, a file, --help, checks and dumps follow
// from that.
//
//   struct OptimOptions {
//     double lr = 0.1;
//     Schedule schedule = Schedule::kCosine;
//
//     void describe(lockstep::config::Description& d) {
//       d.option("lr", lr, "learning rate").range(0.0, 10.0);
//       d.option("schedule", schedule, "how the learning rate changes")
//           .choices({{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}});
//     }
//   };
//
//   struct RunOptions {
//     int batch_size = 32;
//     std::chrono::milliseconds timeout{5000};
//     OptimOptions optim;
//
//     void describe(lockstep::config::Description& d) {
//       d.option("batch-size", batch_size, "samples per step over all ranks").unit("samples").range(1, 4096);
//       d.option("timeout", timeout, "how long a collective may take").range(1ms, 24h);
//       d.group("optim", "Optimizer", optim);
//     }
//   };
//
//   int main(int argc, char** argv) {
//     RunOptions options;
//     if (auto exit_code = lockstep::config::parse_command_line(options, argc, argv, {.name = "train"})) {
//       return *exit_code;
//     }
//     ...
//   }
//
// Sources of a value. Each source overrides the ones before it:
//
//   default       the field's own value
//   file          --config run.toml, or LOCKSTEP_CONFIG=run.toml when there is no --config; of several files
//                 the later one wins. TOML; a group is a table.
//   environment   LOCKSTEP_BATCH_SIZE=64, LOCKSTEP_OPTIM_LR=0.2
//   flag          --batch-size 64, --batch-size=64, --optim.lr 0.2; of repeated flags the last one wins.
//                 A bool is --amp, --no-amp or --amp=false; --optim.no-nesterov and --no-optim.nesterov are
//                 the same.
//
// In flags and files an underscore is equivalent to a dash. Every program also has three more flags: --help or -h,
// --print-config (the values as a file for --config) and --print-config=json.
//
// Field types and the text they accept:
//
//   bool                               true false yes no on off 1 0
//   integers of 32 and 64 bits         42 1_000_000 0xff
//   float, double                      0.1 1e-3; inf where the range has it
//   std::string, std::filesystem::path
//   enum                               the names given by .choices()
//   std::chrono durations, ns to h     200us 5s 1.5s 2min 1h; a bare number is refused: its unit is unknown
//   ByteSize                           25MiB 64KiB 1GiB 4096 4096B 25MB
//   std::optional<T>                   a T, or none
//   std::vector<T>                     1,2,3 and in a file [1, 2, 3]
//
// Bad input. Every value of every source is checked, even one that another source overrides, and all problems are
// reported at once:
//
//   train: 3 problems, nothing was run:
//     --batch-size: 0 is out of range [1, 4096] samples
//     --optim.lr: 'fast' is not a number
//     run.toml:7: unknown key 'optim.momentun'; did you mean 'optim.momentum'?
//   run 'train --help' for the list of options
//
// The struct then stays unchanged. A mistake in describe() itself is a bug and throws Error{kInternal}.
//
// Nothing here keeps state between calls. Calls on different structs may run in different threads as long as nothing
// changes the process's environment meanwhile.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/config_description.h"
#include "lockstep/config_settings.h"

namespace lockstep::config {

// How to treat arguments that belong to no flag.
enum class Positionals {
  kNone,         // any is a problem
  kCollect,      // allowed anywhere among the flags; everything after "--" is positional
  kPassThrough,  // the first one ends the flags; it and the rest are passed on untouched
};

struct ProgramInfo {
  std::string name = {};                // "train", "lockstep run"; empty: the file name in argv[0]
  std::string about = {};               // one sentence for --help
  std::string env_prefix = "LOCKSTEP";  // empty: the environment is not read
  Positionals positionals = Positionals::kNone;
  std::string positional_usage = {};  // how the usage line names them: "PROGRAM [ARGUMENT]..."
};

using Environment = std::map<std::string, std::string>;
Environment process_environment();

// The result of reading all sources.
struct LoadResult {
  std::vector<std::string> problems;     // one line each
  std::vector<std::string> warnings;     // one line each
  std::string output;                    // what --help or --print-config wants printed; else empty
  std::vector<std::string> positionals;  // empty with Positionals::kNone
  Settings settings;                     // all of them, defaults included; valid when there are no problems

  // The fields were assigned and the program may run.
  bool ready() const { return problems.empty() && output.empty(); }
};

// Reads all sources and, when the result is ready(), assigns the fields; otherwise leaves them alone. `arguments`
// exclude the program's name. Prints nothing, and throws for no input; Error{kInternal} reports a mistake in the
// description.
LoadResult load(Description& description, const std::vector<std::string>& arguments,
                const ProgramInfo& program, const Environment& environment = process_environment());

template <Described T>
LoadResult load(T& options, const std::vector<std::string>& arguments, const ProgramInfo& program,
                const Environment& environment = process_environment()) {
  Description description;
  options.describe(description);
  return load(description, arguments, program, environment);
}

// The exit code for wrong usage, the same as for shell builtins.
inline constexpr int kUsageExitCode = 2;

// Prints the output or the problems and returns the exit code, or nothing when the program should run.
std::optional<int> present(const LoadResult& result, std::string_view program);

// load() and present() for a main(). `positionals` receives the positional arguments; it is required when the program
// takes any.
std::optional<int> parse_command_line(Description& description, int argc, const char* const* argv,
                                      ProgramInfo program, std::vector<std::string>* positionals = nullptr);

template <Described T>
std::optional<int> parse_command_line(T& options, int argc, const char* const* argv,
                                      const ProgramInfo& program,
                                      std::vector<std::string>* positionals = nullptr) {
  Description description;
  options.describe(description);
  return parse_command_line(description, argc, argv, program, positionals);
}

}  // namespace lockstep::config
