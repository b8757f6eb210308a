#include "job/error_record.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "lockstep/error.h"

namespace lockstep {
namespace {

using Json = nlohmann::json;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// Seconds as a string, as torchelastic writes them, or as a number.
nanoseconds time_in(const Json& holder) {
  constexpr std::int64_t kMost = std::chrono::duration_cast<seconds>(nanoseconds::max()).count();
  const auto found = holder.find("timestamp");
  std::int64_t count = 0;
  if (found != holder.end() && found->is_string()) {
    const auto& text = found->get_ref<const std::string&>();
    std::from_chars(text.data(), text.data() + text.size(), count);
  } else if (found != holder.end() && found->is_number()) {
    const double number = found->get<double>();
    count = number >= 0 && number <= static_cast<double>(kMost) ? static_cast<std::int64_t>(number) : 0;
  }
  return seconds(count >= 0 && count <= kMost ? count : 0);
}

std::string text_in(const Json& holder, const char* name) {
  const auto found = holder.find(name);
  return found != holder.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<int> number_in(const Json& holder, const char* name) {
  const auto found = holder.find(name);
  return found != holder.end() && found->is_number_integer() ? std::optional(found->get<int>())
                                                             : std::nullopt;
}

// Fields that only Lockstep workers write.
void read_own_fields(const Json& own, ErrorRecord& record) {
  record.code = text_in(own, "code");
  record.rank = number_in(own, "rank");
  record.peer = number_in(own, "peer");
  const auto time = own.find("timestamp_ns");
  if (time != own.end() && time->is_number_integer()) {
    record.time = nanoseconds(time->get<std::int64_t>());
  }
}

void read_extra_info(const Json& extra, ErrorRecord& record) {
  record.details = text_in(extra, "py_callstack");
  record.time = time_in(extra);
  if (const auto own = extra.find("lockstep"); own != extra.end() && own->is_object()) {
    read_own_fields(*own, record);
  }
}

}  // namespace

bool ErrorRecord::is_consequence() const {
  return code == to_string(ErrorCode::kPeerLost) || code == to_string(ErrorCode::kAborted);
}

std::string to_json(const ErrorRecord& record) {
  Json own = {{"timestamp_ns", record.time.count()}};
  if (!record.code.empty()) {
    own["code"] = record.code;
  }
  if (record.rank) {
    own["rank"] = *record.rank;
  }
  if (record.peer) {
    own["peer"] = *record.peer;
  }
  const auto whole_seconds = std::chrono::duration_cast<seconds>(record.time).count();
  const Json file = {{"message",
                      {{"message", record.message},
                       {"extraInfo",
                        {{"py_callstack", record.details},
                         {"timestamp", std::to_string(whole_seconds)},
                         {"lockstep", own}}}}}};
  return file.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::optional<ErrorRecord> parse_error_record(std::string_view text) {
  const Json file = Json::parse(text, nullptr, false);
  if (!file.is_object() || !file.contains("message")) {
    return std::nullopt;
  }
  const Json& message = file["message"];
  ErrorRecord record;
  if (message.is_string()) {
    record.message = message.get<std::string>();
    record.time = time_in(file);
    return record;
  }
  if (!message.is_object()) {
    return std::nullopt;
  }
  record.message = text_in(message, "message");
  if (const auto extra = message.find("extraInfo"); extra != message.end() && extra->is_object()) {
    read_extra_info(*extra, record);
  }
  return record;
}

}  // namespace lockstep
