#include "lockstep/error.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/duration_text.h"
#include "base/exception_text.h"

namespace lockstep {

struct Error::State {
  ErrorCode code;
  std::string message;
  std::optional<int> rank;
  std::optional<int> peer;
  std::string operation;
  std::optional<std::uint64_t> sequence;
  std::string label;
  std::optional<std::chrono::nanoseconds> elapsed;
  std::exception_ptr cause;
  std::string text;  // what(): kept up to date by the callers of change()

  // "all_reduce #42 'bucket 3' on rank 0 with peer 3 failed after 1.20 s: ", or empty if no field is set.
  std::string where() const {
    std::string place = operation;
    auto append = [&place](const std::string& part) { place += (place.empty() ? "" : " ") + part; };
    if (sequence) {
      append(fmt::format("#{}", *sequence));
    }
    if (!label.empty()) {
      append(fmt::format("'{}'", label));
    }
    if (rank) {
      append(fmt::format("on rank {}", *rank));
    }
    if (peer) {
      append(fmt::format("with peer {}", *peer));
    }
    if (elapsed) {
      append(fmt::format("failed after {}", duration_text(*elapsed)));
    } else if (!operation.empty()) {
      append("failed");
    }
    return place.empty() ? place : place + ": ";
  }

  void format() {
    text = fmt::format("{}{}: {}", where(), to_string(code), message);
    if (cause) {
      text += "\n  caused by: " + describe_exception(cause);
    }
  }
};

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kInvalidConfig:
      return "invalid configuration";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kSystem:
      return "system error";
    case ErrorCode::kResourceExhausted:
      return "resource exhausted";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kPeerLost:
      return "peer lost";
    case ErrorCode::kMismatch:
      return "mismatch";
    case ErrorCode::kAborted:
      return "aborted";
    case ErrorCode::kCorrupt:
      return "corrupt data";
    case ErrorCode::kInternal:
      return "internal error";
  }
  return "unknown error";
}

Error::Error(ErrorCode code, std::string message) : state_(std::make_shared<State>()) {
  state_->code = code;
  state_->message = std::move(message);
  state_->format();
}

Error Error::from_errno(int error_number, std::string_view call, std::string_view detail) {
  const std::string reason = std::generic_category().message(error_number);
  return {ErrorCode::kSystem, detail.empty() ? fmt::format("{}: {}", call, reason)
                                             : fmt::format("{} {}: {}", call, detail, reason)};
}

// Copies share one state, so a shared state is cloned before it changes.
Error::State& Error::change() {
  if (state_.use_count() > 1) {
    state_ = std::make_shared<State>(*state_);
  }
  return *state_;
}

Error&& Error::with_message(std::string message) && {
  change().message = std::move(message);
  state_->format();
  return std::move(*this);
}

Error&& Error::with_rank(int rank) && {
  change().rank = rank;
  state_->format();
  return std::move(*this);
}

Error&& Error::with_peer(int peer) && {
  change().peer = peer;
  state_->format();
  return std::move(*this);
}

Error&& Error::with_operation(std::string operation) && {
  change().operation = std::move(operation);
  state_->format();
  return std::move(*this);
}

Error&& Error::with_sequence(std::uint64_t sequence) && {
  change().sequence = sequence;
  state_->format();
  return std::move(*this);
}

Error&& Error::with_label(std::string label) && {
  change().label = std::move(label);
  state_->format();
  return std::move(*this);
}

Error&& Error::with_elapsed(std::chrono::nanoseconds elapsed) && {
  change().elapsed = elapsed;
  state_->format();
  return std::move(*this);
}

Error&& Error::with_cause(std::exception_ptr cause) && {
  change().cause = std::move(cause);
  state_->format();
  return std::move(*this);
}

ErrorCode Error::code() const noexcept {
  return state_->code;
}
const std::string& Error::message() const noexcept {
  return state_->message;
}
std::optional<int> Error::rank() const noexcept {
  return state_->rank;
}
std::optional<int> Error::peer() const noexcept {
  return state_->peer;
}
const std::string& Error::operation() const noexcept {
  return state_->operation;
}
std::optional<std::uint64_t> Error::sequence() const noexcept {
  return state_->sequence;
}
const std::string& Error::label() const noexcept {
  return state_->label;
}
std::optional<std::chrono::nanoseconds> Error::elapsed() const noexcept {
  return state_->elapsed;
}
std::exception_ptr Error::cause() const noexcept {
  return state_->cause;
}
const char* Error::what() const noexcept {
  return state_->text.c_str();
}

std::string describe_exception(std::exception_ptr exception) {
  if (!exception) {
    return "no exception";
  }
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const std::exception& error) {
    std::string text = without_frames(error.what());
    if (const auto* nested = dynamic_cast<const std::nested_exception*>(&error);
        nested && nested->nested_ptr()) {
      text += "\n  caused by: " + describe_exception(nested->nested_ptr());
    }
    return text;
  } catch (...) {
    return "unknown exception";
  }
}

}  // namespace lockstep
