#pragma once

// Why a worker failed, in its own words: the file that torchrun's workers leave for their launcher, and Lockstep's too.
//
// The format is torchelastic's, so that either launcher reads either worker's file:
//
//   {"message": {"message": "peer lost: ...",
//                "extraInfo": {"py_callstack": "...", "timestamp": "1763270000",
//                              "lockstep": {"code": "peer lost", "rank": 0, "peer": 3, "timestamp_ns": ...}}}}
//
// or {"message": "...", "timestamp": "1763270000"}. Only Lockstep workers add "lockstep".

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

// Names the file in the worker's environment.
inline constexpr std::string_view kErrorFileVariable = "TORCHELASTIC_ERROR_FILE";

// The code of a record about a write to guarded memory. Its message is complete: the rank, what it wrote to, and what
// to do.
inline constexpr std::string_view kForbiddenWrite = "forbidden write";

struct ErrorRecord {
  std::string message;
  std::string details;              // exception chain and backtrace, or a Python traceback; may be empty
  std::chrono::nanoseconds time{};  // since 1970
  std::string code = {};  // of Error, or kForbiddenWrite; empty for other exceptions and foreign programs
  std::optional<int> rank = {};  // the reporting rank
  std::optional<int> peer = {};  // the rank it names

  // Whether it only reports that another rank failed.
  bool is_consequence() const;

  bool operator==(const ErrorRecord&) const = default;
};

std::string to_json(const ErrorRecord& record);

// Nothing if the text has neither form.
std::optional<ErrorRecord> parse_error_record(std::string_view text);

}  // namespace lockstep
