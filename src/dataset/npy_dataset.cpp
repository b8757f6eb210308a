#include <torch/types.h>

#include <string>
#include <utility>

#include "config/printable.h"
#include "lockstep/array_file.h"
#include "lockstep/array_tensor.h"
#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {

std::shared_ptr<const Dataset> npy_dataset(const std::vector<std::filesystem::path>& paths) {
  Tensors tensors;
  for (const std::filesystem::path& path : paths) {
    const std::string name = config::printable(path.string());
    tensors.push_back(to_tensor(read_npy(path)));
    const torch::Tensor& tensor = tensors.back();
    if (tensor.dim() == 0) {
      throw Error(ErrorCode::kInvalidArgument,
                  name + ": expected samples along the first dimension, found a single number");
    }
    if (tensor.size(0) != tensors[0].size(0)) {
      throw Error(ErrorCode::kInvalidArgument,
                  c10::str(config::printable(paths[0].string()), " has ", tensors[0].size(0), " samples, ",
                           name, " has ", tensor.size(0)));
    }
  }
  return std::make_shared<TensorDataset>(std::move(tensors));
}

}  // namespace lockstep
