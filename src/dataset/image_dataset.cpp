#include <torch/types.h>

#include <string>
#include <utility>

#include "config/printable.h"
#include "dataset/file_labels.h"
#include "dataset/index_tensor.h"
#include "dataset/sample_error.h"
#include "lockstep/array_file.h"
#include "lockstep/array_tensor.h"
#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// Pixels stay bytes until they are requested: a quarter of the memory on every rank.
class ImageDataset final : public Dataset {
 public:
  ImageDataset(torch::Tensor images, torch::Tensor labels, double scale)
      : images_(std::move(images)), labels_(std::move(labels)), scale_(scale) {}

  std::uint64_t size() const override { return static_cast<std::uint64_t>(images_.size(0)); }

  Tensors get(std::uint64_t index, SampleRandom& /*random*/) const override {
    require_sample(index, size());
    const auto row = static_cast<std::int64_t>(index);
    return {scaled(images_[row]), labels_[row].clone()};
  }

  Tensors get_batch(std::span<const std::uint64_t> indices, const BatchKey& /*key*/) const override {
    if (indices.empty()) {
      return {};
    }
    const torch::Tensor rows = index_tensor(indices, size());
    return {scaled(images_.index_select(0, rows)), labels_.index_select(0, rows)};
  }

 private:
  torch::Tensor scaled(const torch::Tensor& pixels) const { return pixels.to(torch::kFloat32).mul_(scale_); }

  torch::Tensor images_;  // u8, [samples, channels, height, width]
  torch::Tensor labels_;  // int64
  double scale_;
};

Error unexpected(const std::string& name, const char* expected, const Array& found) {
  return {ErrorCode::kInvalidArgument, name + ": expected " + expected + ", found " + shape_text(found)};
}

torch::Tensor read_images(const fs::path& path, const std::string& name) {
  Array array = read_idx(path);
  const std::size_t dimensions = array.shape.size();
  if (array.type != ElementType::kU8 || (dimensions != 3 && dimensions != 4)) {
    throw unexpected(name, "images, u8 of 3 or 4 dimensions", array);
  }
  torch::Tensor images = to_tensor(std::move(array));
  return dimensions == 3 ? images.unsqueeze(1) : images;
}

torch::Tensor read_labels(const fs::path& path, const std::string& name) {
  Array array = read_idx(path);
  const bool whole = array.type != ElementType::kF32 && array.type != ElementType::kF64;
  if (!whole || array.shape.size() != 1) {
    throw unexpected(name, "labels, whole numbers of 1 dimension", array);
  }
  return to_tensor(std::move(array)).to(torch::kInt64);
}

}  // namespace

std::shared_ptr<const Dataset> image_dataset(const fs::path& images, const fs::path& labels,
                                             const ImageDatasetOptions& options) {
  const std::string images_name = config::printable(images.string());
  const std::string labels_name = config::printable(labels.string());
  torch::Tensor pixels = read_images(images, images_name);
  torch::Tensor classes = read_labels(labels, labels_name);
  if (pixels.size(0) != classes.size(0)) {
    throw Error(ErrorCode::kInvalidArgument, c10::str(images_name, " has ", pixels.size(0), " images, ",
                                                      labels_name, " has ", classes.size(0), " labels"));
  }
  if (options.classes) {
    check_file_labels(labels_name, classes, *options.classes);
  }
  return std::make_shared<ImageDataset>(std::move(pixels), std::move(classes), options.scale);
}

}  // namespace lockstep
