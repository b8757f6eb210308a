#include "cli/diff/report_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace lockstep::diff {
namespace {

using Json = nlohmann::ordered_json;

Json side_json(const Side& side) {
  Json json = {{"path", side.path}};
  if (side.manifest) {
    json["step"] = side.manifest->step;
    json["ranks"] = side.manifest->world_size;
  }
  return json;
}

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json values_json(const std::vector<config::Difference>& values) {
  Json list = Json::array();
  for (const auto& [name, a, b] : values) {
    list.push_back({{"name", name}, {"a", optional_json(a)}, {"b", optional_json(b)}});
  }
  return list;
}

Json spot_json(const Spot& spot) {
  return {{"index", spot.index}, {"a", spot.a}, {"b", spot.b}};
}

Json largest_json(const std::optional<Largest>& largest) {
  if (!largest) {
    return {};
  }
  Json json = spot_json(largest->at);
  // JSON has no infinities.
  json["difference"] = std::isfinite(largest->difference) ? Json(largest->difference)
                                                          : Json(fmt::format("{}", largest->difference));
  return json;
}

Json tensor_json(const TensorDifference& tensor) {
  return {{"name", tensor.name},
          {"type", checkpoint::to_string(tensor.type)},
          {"shape", tensor.shape},
          {"elements", tensor.elements},
          {"differing", tensor.differing},
          {"nan_on_one_side", tensor.nan_on_one_side},
          {"first", spot_json(tensor.first)},
          {"largest", largest_json(tensor.absolute)},
          {"largest_relative", largest_json(tensor.relative)},
          {"most_ulps", optional_json(tensor.ulps)}};
}

Json tensor_file_json(const TensorFileDifference& file) {
  Json forms = Json::array();
  for (const auto& [name, a, b] : file.forms) {
    forms.push_back({{"name", name}, {"a", a}, {"b", b}});
  }
  Json tensors = Json::array();
  for (const TensorDifference& tensor : file.tensors) {
    tensors.push_back(tensor_json(tensor));
  }
  return {{"file", file.file},
          {"only_a", file.only_a},
          {"only_b", file.only_b},
          {"type_or_shape", forms},
          {"metadata", values_json(file.metadata)},
          {"compared_tensors", file.compared},
          {"compared_elements", file.elements},
          {"differing_elements", file.differing_elements()},
          {"tensors", tensors}};
}

}  // namespace

std::string to_json_text(const Side& a, const Side& b, const CheckpointDifference& difference) {
  Json tensor_files = Json::array();
  for (const TensorFileDifference& file : difference.tensor_files) {
    tensor_files.push_back(tensor_file_json(file));
  }
  Json json_files = Json::array();
  for (const JsonFileDifference& file : difference.json_files) {
    json_files.push_back({{"file", file.file}, {"values", values_json(file.values)}});
  }
  const Json json = {{"format", 1},
                     {"equal", difference.empty()},
                     {"a", side_json(a)},
                     {"b", side_json(b)},
                     {"manifest", values_json(difference.manifest)},
                     {"only_a", difference.only_a},
                     {"only_b", difference.only_b},
                     {"tensor_files", tensor_files},
                     {"json_files", json_files},
                     {"other_files", difference.other_files},
                     {"equal_files", difference.equal}};
  // Paths may hold any bytes, JSON may not: invalid ones are replaced.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lockstep::diff
