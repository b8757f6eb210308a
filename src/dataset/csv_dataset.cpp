#include <torch/types.h>

#include <algorithm>
#include <string>
#include <utility>

#include "config/near_miss.h"
#include "config/printable.h"
#include "dataset/file_labels.h"
#include "lockstep/array_file.h"
#include "lockstep/array_tensor.h"
#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

CsvOptions table_options(const CsvDatasetOptions& options) {
  CsvOptions table{.delimiter = options.delimiter, .header = options.header, .columns = options.features};
  if (options.features.empty()) {
    return table;
  }
  const auto* target = std::get_if<std::string>(&options.target);
  if (target == nullptr) {
    throw Error(ErrorCode::kInvalidArgument,
                "the columns of the input are chosen by name: choose that of the target by name, too");
  }
  if (std::find(table.columns.begin(), table.columns.end(), *target) != table.columns.end()) {
    throw Error(ErrorCode::kInvalidArgument,
                c10::str("column ", config::in_quotes(*target), " cannot be both input and target"));
  }
  table.columns.push_back(*target);
  return table;
}

std::int64_t column_at(std::int64_t wanted, std::int64_t columns, const std::string& name) {
  const std::int64_t column = wanted < 0 ? wanted + columns : wanted;
  if (column < 0 || column >= columns) {
    throw Error(ErrorCode::kNotFound,
                c10::str(name, ": there is no column ", wanted, ", only ", columns, " columns"));
  }
  return column;
}

std::int64_t column_named(const std::string& wanted, const std::vector<std::string>& names,
                          const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end()) {
    throw Error(ErrorCode::kNotFound, c10::str(name, ": there is no column ", config::in_quotes(wanted),
                                               config::suggestion(config::nearest_name(wanted, names))));
  }
  return found - names.begin();
}

std::int64_t target_column(const CsvTable& table, const CsvDatasetOptions& options, const std::string& name) {
  if (const auto* number = std::get_if<std::int64_t>(&options.target)) {
    return column_at(*number, static_cast<std::int64_t>(table.values.shape[1]), name);
  }
  if (!options.header) {
    throw Error(ErrorCode::kInvalidArgument,
                "the target is chosen by name, and a CSV file without header has no names");
  }
  return column_named(std::get<std::string>(options.target), table.names, name);
}

}  // namespace

std::shared_ptr<const Dataset> csv_dataset(const std::filesystem::path& path,
                                           const CsvDatasetOptions& options) {
  const std::string name = config::printable(path.string());
  CsvTable table = read_csv(path, table_options(options));
  const std::int64_t column = target_column(table, options, name);
  const torch::Tensor values = to_tensor(std::move(table.values));
  if (values.size(1) == 1) {
    throw Error(ErrorCode::kInvalidArgument, name + ": there is no column beside the target");
  }
  const torch::Tensor inputs = torch::cat({values.slice(1, 0, column), values.slice(1, column + 1)}, 1);
  torch::Tensor targets = values.slice(1, column, column + 1);
  if (options.classes) {
    targets = targets.squeeze(1);
    check_file_labels(name, targets, *options.classes);
  }
  return std::make_shared<TensorDataset>(
      Tensors{inputs.to(torch::kFloat32), targets.to(options.classes ? torch::kInt64 : torch::kFloat32)});
}

}  // namespace lockstep
