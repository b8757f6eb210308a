#pragma once

// The exception type of Lockstep.
//
// The code gives the kind of failure, the message what was observed and what to do about it, and the optional fields
// where it happened. what() combines them:
//
//   all_reduce #42 'bucket 3' on rank 0 with peer 3 failed after 1.20 s: peer lost: process 4711 was killed
//   by SIGKILL
//     caused by: recvmsg: Connection reset by peer
//
// Build and throw it in one expression:
//
//   throw Error(ErrorCode::kPeerLost, "process 4711 was killed by SIGKILL")
//       .with_operation("all_reduce").with_rank(0).with_peer(3);
//
// Copies share their state and never throw. An Error is a value: reading it from several threads is safe, modifying one
// object from two threads is not.

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

enum class ErrorCode {
  kInvalidArgument,    // the caller passed something that can never work
  kInvalidConfig,      // an option, file or environment variable is wrong
  kNotFound,           // a requested file, program or library does not exist
  kUnsupported,        // this build, backend or machine cannot do it
  kSystem,             // the operating system refused
  kResourceExhausted,  // out of memory, descriptors or disk space, or over one of our limits
  kTimeout,            // the deadline passed
  kPeerLost,           // another rank died or left
  kMismatch,           // ranks disagree about what they are doing
  kAborted,            // a rank aborted the group
  kCorrupt,            // data is malformed or failed its checksum
  kInternal,           // a bug in Lockstep
};

// "peer lost", "timeout", ...
std::string_view to_string(ErrorCode code);

class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message);

  // kSystem from errno, as "call: its text"; `detail` names the object, such as a path.
  static Error from_errno(int error_number, std::string_view call, std::string_view detail = {});

  Error&& with_message(std::string message) &&;
  Error&& with_rank(int rank) &&;
  Error&& with_peer(int peer) &&;
  Error&& with_operation(std::string operation) &&;
  Error&& with_sequence(std::uint64_t sequence) &&;
  Error&& with_label(std::string label) &&;
  Error&& with_elapsed(std::chrono::nanoseconds elapsed) &&;
  // Keeps the causing exception; its text, and that of its own causes, become "caused by" lines.
  Error&& with_cause(std::exception_ptr cause) &&;

  ErrorCode code() const noexcept;
  const std::string& message() const noexcept;
  std::optional<int> rank() const noexcept;
  std::optional<int> peer() const noexcept;
  const std::string& operation() const noexcept;  // empty when not set
  std::optional<std::uint64_t> sequence() const noexcept;
  const std::string& label() const noexcept;  // empty when not set
  std::optional<std::chrono::nanoseconds> elapsed() const noexcept;
  std::exception_ptr cause() const noexcept;  // null when not set

  const char* what() const noexcept override;

 private:
  struct State;

  State& change();

  std::shared_ptr<State> state_;
};

// The text of any exception and its causes, one per line: Error's causes, std::nested_exception's, and "unknown
// exception" for anything that is not a std::exception. The stack trace in libtorch's exceptions is left out.
std::string describe_exception(std::exception_ptr exception);

}  // namespace lockstep
