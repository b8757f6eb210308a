#include "train/run_state.h"

#include <c10/util/StringUtil.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "lockstep/error.h"
#include "observe/json_number.h"

namespace lockstep::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

Json metrics_to_json(const std::vector<MetricValue>& metrics) {
  Json list = Json::array();
  for (const MetricValue& metric : metrics) {
    list.push_back({{"name", metric.name}, {"value", number_to_json(metric.value)}});
  }
  return list;
}

Json progress_to_json(const Progress& progress) {
  return {{"step", progress.step},
          {"skipped", progress.skipped},
          {"skipped_in_row", progress.skipped_in_row},
          {"samples", progress.samples},
          {"epoch", number_to_json(progress.epoch)},
          {"evaluation", metrics_to_json(progress.evaluation)},
          {"evaluated_at", progress.evaluated_at},
          {"owes_evaluation", progress.owes_evaluation},
          {"stopped", progress.stopped},
          {"unwritten",
           {{"steps", progress.unwritten.steps},
            {"samples", number_to_json(progress.unwritten.samples)},
            {"sums", metrics_to_json(progress.unwritten.sums)}}}};
}

// Reads members of an object, and reports which one is wrong.
class Reader {
 public:
  Reader(std::string place, const Json& json) : place_(std::move(place)), json_(json) {
    if (!json.is_object()) {
      throw Error(ErrorCode::kCorrupt, place_ + " is not an object");
    }
  }

  Reader object(const char* name) const { return {place_of(name), member(name)}; }

  std::int64_t integer(const char* name) const {
    const Json& value = member(name);
    const bool fits =
        !value.is_number_unsigned() || value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
    return is_valid(value.is_number_integer() && fits, name, "an integer").get<std::int64_t>();
  }
  int small_integer(const char* name) const {
    const std::int64_t value = integer(name);
    is_valid(value >= 0 && value <= std::numeric_limits<int>::max(), name, "a count");
    return static_cast<int>(value);
  }
  std::uint64_t count(const char* name) const {
    return is_valid(member(name).is_number_unsigned(), name, "a count").get<std::uint64_t>();
  }
  bool flag(const char* name) const {
    return is_valid(member(name).is_boolean(), name, "true or false").get<bool>();
  }
  std::string text(const char* name) const {
    return is_valid(member(name).is_string(), name, "a text").get<std::string>();
  }
  double number(const char* name) const {
    const std::optional<double> value = number_from_json(member(name));
    is_valid(value.has_value(), name, "a number");
    return *value;
  }
  std::optional<double> number_or_null(const char* name) const {
    return member(name).is_null() ? std::nullopt : std::optional(number(name));
  }
  std::vector<MetricValue> metrics(const char* name) const {
    std::vector<MetricValue> metrics;
    for (const Json& item : is_valid(member(name).is_array(), name, "a list")) {
      const Reader metric(place_of(name), item);
      metrics.push_back({metric.text("name"), metric.number("value")});
    }
    return metrics;
  }

 private:
  std::string place_of(const char* name) const { return c10::str(place_, ".", name); }

  const Json& member(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) {
      throw Error(ErrorCode::kCorrupt, c10::str(place_of(name), " is missing"));
    }
    return *found;
  }
  const Json& is_valid(bool valid, const char* name, const char* wanted) const {
    if (!valid) {
      throw Error(ErrorCode::kCorrupt, c10::str(place_of(name), " is not ", wanted));
    }
    return member(name);
  }

  std::string place_;
  const Json& json_;
};

StepSums sums_from(const Reader& reader) {
  return {
      .steps = reader.integer("steps"), .samples = reader.number("samples"), .sums = reader.metrics("sums")};
}

Progress progress_from(const Reader& reader) {
  return {.step = reader.integer("step"),
          .skipped = reader.integer("skipped"),
          .skipped_in_row = reader.integer("skipped_in_row"),
          .samples = reader.count("samples"),
          .epoch = reader.number("epoch"),
          .evaluation = reader.metrics("evaluation"),
          .evaluated_at = reader.integer("evaluated_at"),
          .owes_evaluation = reader.flag("owes_evaluation"),
          .stopped = reader.text("stopped"),
          .unwritten = sums_from(reader.object("unwritten"))};
}

SamplerState sampler_from(const Reader& reader) {
  return {.seed = reader.count("seed"),
          .position = {.epoch = reader.count("epoch"), .consumed = reader.count("consumed")},
          .size = reader.count("size")};
}

PlateauState plateau_from(const Reader& reader) {
  return {.best = reader.number_or_null("best"),
          .bad = reader.small_integer("bad"),
          .cooldown = reader.small_integer("cooldown"),
          .scale = reader.number("scale")};
}

BestMetricState best_from(const Reader& reader) {
  return {.metrics = reader.metrics("metrics"),
          .value = reader.number("value"),
          .step = reader.integer("step"),
          .bad = reader.small_integer("bad")};
}

}  // namespace

std::string to_json(const RunState& state) {
  const Json json = {
      {"version", kVersion},
      {"progress", progress_to_json(state.progress)},
      {"sampler",
       {{"seed", state.sampler.seed},
        {"epoch", state.sampler.position.epoch},
        {"consumed", state.sampler.position.consumed},
        {"size", state.sampler.size}}},
      {"scaler", {{"scale", number_to_json(state.scaler.scale)}, {"good_steps", state.scaler.good_steps}}},
      {"plateau",
       {{"best", state.plateau.best ? number_to_json(*state.plateau.best) : Json()},
        {"bad", state.plateau.bad},
        {"cooldown", state.plateau.cooldown},
        {"scale", number_to_json(state.plateau.scale)}}},
      {"best",
       {{"metrics", metrics_to_json(state.best.metrics)},
        {"value", number_to_json(state.best.value)},
        {"step", state.best.step},
        {"bad", state.best.bad}}}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

RunState parse_run_state(std::string_view file, std::string_view json) {
  const Json parsed = Json::parse(json, nullptr, false);
  const Reader reader{std::string(file), parsed};
  if (const std::int64_t version = reader.integer("version"); version != kVersion) {
    throw Error(ErrorCode::kUnsupported,
                c10::str(file, " has version ", version, ", and this program knows ", kVersion));
  }
  const Reader scaler = reader.object("scaler");
  return {.progress = progress_from(reader.object("progress")),
          .sampler = sampler_from(reader.object("sampler")),
          .scaler = {.scale = scaler.number("scale"), .good_steps = scaler.small_integer("good_steps")},
          .plateau = plateau_from(reader.object("plateau")),
          .best = best_from(reader.object("best"))};
}

}  // namespace lockstep::train
