#include "bench_worker/messages.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<OrderKind, const char*>, 4> kKinds = {{{OrderKind::kJoin, "join"},
                                                                      {OrderKind::kMeasure, "measure"},
                                                                      {OrderKind::kBound, "bound"},
                                                                      {OrderKind::kPingPong, "ping-pong"}}};

const char* kind_text(OrderKind kind) {
  return std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& entry) { return entry.first == kind; })
      ->second;
}

OrderKind parse_kind(const std::string& text) {
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& entry) { return entry.second == text; });
  if (found == kKinds.end()) {
    throw Error(ErrorCode::kCorrupt, "there is no order '" + text + "'");
  }
  return found->first;
}

template <class Read>
auto parse(const std::string& text, const char* what, Read read) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::kCorrupt, std::string("this is not ") + what + ": " + error.what());
  }
}

}  // namespace

std::string to_text(const Hello& hello) {
  return Json{{"rank", hello.rank}, {"invitation", hello.invitation}}.dump();
}

std::string to_text(const Order& order) {
  return Json{{"kind", kind_text(order.kind)},
              {"bytes", order.bytes},
              {"iterations", order.iterations},
              {"invitation", order.invitation}}
      .dump();
}

// A library's message may be in any encoding; it must not corrupt the answer.
std::string to_text(const Answer& answer) {
  return Json{
      {"error", answer.error}, {"text", answer.text}, {"times_ns", answer.times_ns}, {"loss", answer.loss}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Hello parse_hello(const std::string& text) {
  return parse(text, "the first word of a worker", [](const Json& json) {
    return Hello{.rank = json.at("rank").get<int>(), .invitation = json.at("invitation").get<std::string>()};
  });
}

Order parse_order(const std::string& text) {
  return parse(text, "an order", [](const Json& json) {
    return Order{.kind = parse_kind(json.at("kind").get<std::string>()),
                 .bytes = json.at("bytes").get<std::size_t>(),
                 .iterations = json.at("iterations").get<int>(),
                 .invitation = json.at("invitation").get<std::string>()};
  });
}

Answer parse_answer(const std::string& text) {
  return parse(text, "an answer", [](const Json& json) {
    return Answer{.error = json.at("error").get<std::string>(),
                  .text = json.at("text").get<std::string>(),
                  .times_ns = json.at("times_ns").get<std::vector<std::int64_t>>(),
                  .loss = json.at("loss").get<double>()};
  });
}

}  // namespace lockstep::bench
