#include "support/rank_report.h"

#include <cstdint>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace lockstep::testing {
namespace {

using Json = nlohmann::json;

// The length of what follows, and that as CBOR, which carries any byte.
std::string frame(const Json& message) {
  const std::vector<std::uint8_t> body = Json::to_cbor(message);
  const std::uint64_t length = body.size();
  std::string bytes(sizeof length + body.size(), '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  std::memcpy(bytes.data() + sizeof length, body.data(), body.size());
  return bytes;
}

// Takes the first message off; nothing when it is not there in full.
std::optional<Json> take_frame(std::string_view& bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) {
    return std::nullopt;
  }
  std::memcpy(&length, bytes.data(), sizeof length);
  if (bytes.size() - sizeof length < length) {
    return std::nullopt;
  }
  const std::string_view body = bytes.substr(sizeof length, length);
  bytes.remove_prefix(sizeof length + length);
  return Json::from_cbor(body.begin(), body.end());
}

template <class T>
void put(Json& json, const char* name, const std::optional<T>& value) {
  if (value) {
    json[name] = *value;
  }
}

template <class T>
std::optional<T> get(const Json& json, const char* name) {
  return json.contains(name) ? std::optional<T>(json.at(name).get<T>()) : std::nullopt;
}

Json to_json(const Error& error) {
  Json json = {{"code", static_cast<int>(error.code())},
               {"message", error.message()},
               {"operation", error.operation()},
               {"label", error.label()}};
  put(json, "rank", error.rank());
  put(json, "peer", error.peer());
  put(json, "sequence", error.sequence());
  if (error.elapsed()) {
    json["elapsed_ns"] = error.elapsed()->count();
  }
  if (error.cause()) {
    json["cause"] = describe_exception(error.cause());
  }
  return json;
}

// Its cause, an exception of any type, comes back as its text.
Error to_error(const Json& json) {
  Error error(static_cast<ErrorCode>(json.at("code").get<int>()), json.at("message").get<std::string>());
  error = std::move(error)
              .with_operation(json.at("operation").get<std::string>())
              .with_label(json.at("label").get<std::string>());
  if (const auto rank = get<int>(json, "rank")) {
    error = std::move(error).with_rank(*rank);
  }
  if (const auto peer = get<int>(json, "peer")) {
    error = std::move(error).with_peer(*peer);
  }
  if (const auto sequence = get<std::uint64_t>(json, "sequence")) {
    error = std::move(error).with_sequence(*sequence);
  }
  if (const auto elapsed_ns = get<std::int64_t>(json, "elapsed_ns")) {
    error = std::move(error).with_elapsed(std::chrono::nanoseconds(*elapsed_ns));
  }
  if (const auto cause = get<std::string>(json, "cause")) {
    error = std::move(error).with_cause(std::make_exception_ptr(std::runtime_error(*cause)));
  }
  return error;
}

RankConclusion to_conclusion(const Json& json) {
  RankConclusion conclusion;
  conclusion.value = get<std::string>(json, "value");
  conclusion.exception_text = json.at("exception_text").get<std::string>();
  if (json.contains("error")) {
    conclusion.error = to_error(json.at("error"));
  }
  conclusion.elapsed = std::chrono::nanoseconds(json.at("elapsed_ns").get<std::int64_t>());
  return conclusion;
}

}  // namespace

std::string encode(const AssertionFailure& failure) {
  return frame(
      {{"assertion", {{"file", failure.file}, {"line", failure.line}, {"message", failure.message}}}});
}

std::string encode(const RankConclusion& conclusion) {
  Json json = {{"exception_text", conclusion.exception_text}, {"elapsed_ns", conclusion.elapsed.count()}};
  put(json, "value", conclusion.value);
  if (conclusion.error) {
    json["error"] = to_json(*conclusion.error);
  }
  return frame({{"conclusion", std::move(json)}});
}

RankReport decode_report(std::string_view messages) {
  RankReport report;
  while (const auto message = take_frame(messages)) {
    if (message->contains("assertion")) {
      const Json& assertion = message->at("assertion");
      report.failures.push_back({assertion.at("file").get<std::string>(), assertion.at("line").get<int>(),
                                 assertion.at("message").get<std::string>()});
    } else {
      report.conclusion = to_conclusion(message->at("conclusion"));
    }
  }
  return report;
}

}  // namespace lockstep::testing
