#pragma once

// Data sets: from tensors and files, synthetic, and derived from others.
//
//   const auto images = image_dataset("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", {.classes = 10});
//   const auto [train, valid] = split(images, 0.9);
//   const auto augmented = map(train, random_crop(2));
//
// Any number of threads may read them. Files are read when the data set is constructed, except token shards, which are
// mapped; see lockstep/array_file.h for the errors of the readers. get() and get_batch() throw Error{kInvalidArgument}
// for a sample that does not exist.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "lockstep/dataset.h"
#include "lockstep/token_data.h"
#include "lockstep/transforms.h"

namespace lockstep {

// Tensors in memory; sample i is entry i along each tensor's first dimension.
class TensorDataset final : public Dataset {
 public:
  // Throws Error{kInvalidArgument} when there is no tensor, or their first dimensions differ.
  explicit TensorDataset(Tensors tensors);

  const Tensors& tensors() const { return tensors_; }

  std::uint64_t size() const override;
  Tensors get(std::uint64_t index, SampleRandom& random) const override;
  Tensors get_batch(std::span<const std::uint64_t> indices, const BatchKey& key) const override;

 private:
  Tensors tensors_;
};

struct ImageDatasetOptions {
  double scale = 1.0 / 255;                  // factor for the pixels
  std::optional<std::int64_t> classes = {};  // labels must be below it; unset: not checked
};

// Images and labels in idx files, the MNIST format, gzip-compressed or not: u8 images of [height, width] or [channels,
// height, width], one label each. Input: float32 [channels, height, width]; target: int64. Images stay u8 in memory.
// Throws Error{kInvalidArgument} when the files hold something else or do not belong together, Error{kCorrupt} for a
// label that is not a class.
std::shared_ptr<const Dataset> image_dataset(const std::filesystem::path& images,
                                             const std::filesystem::path& labels,
                                             const ImageDatasetOptions& options = {});

struct CsvDatasetOptions {
  std::variant<std::int64_t, std::string> target =
      -1;                                    // its column: a name, or a number from 0; -1 is the last
  std::optional<std::int64_t> classes = {};  // number of classes, if the target is one
  std::vector<std::string> features = {};    // the input columns; empty: all others
  char delimiter = ',';
  bool header = true;
};

// One line of numbers per sample. Input: float32 [features]; target: int64 when `classes` is set, else float32 [1].
// Throws Error{kInvalidArgument} when the options contradict each other or the file, Error{kNotFound} for an unknown
// column, Error{kCorrupt} for a target that is not a class.
std::shared_ptr<const Dataset> csv_dataset(const std::filesystem::path& path,
                                           const CsvDatasetOptions& options = {});

// One npy file per tensor of a sample, with samples along the first dimension, as in TensorDataset. Throws
// Error{kInvalidArgument} when the first dimensions differ.
std::shared_ptr<const Dataset> npy_dataset(const std::vector<std::filesystem::path>& paths);

// Text for a model that predicts the next token. Input: int64 [context]; target: the same, shifted by one token.
// Samples are adjacent; the last target of one is the first input of the next.
class TokenDataset final : public Dataset {
 public:
  // Throws what TokenData throws, and Error{kInvalidArgument} when the context is not positive.
  TokenDataset(const std::vector<std::filesystem::path>& shards, std::int64_t context);

  std::uint64_t vocabulary() const { return data_.vocabulary(); }

  std::uint64_t size() const override { return data_.size(); }
  Tensors get(std::uint64_t index, SampleRandom& random) const override;
  Tensors get_batch(std::span<const std::uint64_t> indices, const BatchKey& key) const override;

 private:
  std::int64_t context_;
  TokenData data_;
};

struct SyntheticOptions {
  std::uint64_t size = 1000;
  std::vector<std::int64_t> shape = {1, 28, 28};
  std::int64_t classes = 10;
  std::uint64_t seed = 0;
};

// Data to learn from without a file. Sample i is of class i mod classes: float32 of the given shape, the pattern of its
// class plus noise of the same magnitude, both from [-1, 1); and the class as int64. It depends on seed and index only.
class SyntheticDataset final : public Dataset {
 public:
  // Throws Error{kInvalidArgument} when a dimension is negative or there is no class.
  explicit SyntheticDataset(SyntheticOptions options);

  std::uint64_t size() const override { return options_.size; }
  Tensors get(std::uint64_t index, SampleRandom& random) const override;

 private:
  SyntheticOptions options_;
};

// Samples [begin, end) of `data`. Throws Error{kInvalidArgument} when the range exceeds it.
std::shared_ptr<const Dataset> subset(std::shared_ptr<const Dataset> data, std::uint64_t begin,
                                      std::uint64_t end);

struct DatasetSplit {
  std::shared_ptr<const Dataset> first;   // `fraction` of the samples, rounded
  std::shared_ptr<const Dataset> second;  // all others
};

// Splits the samples into two sets at random, since many files are sorted. The same seed always gives the same sets.
// Throws Error{kInvalidArgument} when the fraction is not between 0 and 1.
DatasetSplit split(const std::shared_ptr<const Dataset>& data, double fraction, std::uint64_t seed = 0);

// Applies the transform to each sample of `data`. It draws from the stream passed to get(), after whatever `data`
// itself has drawn.
std::shared_ptr<const Dataset> map(std::shared_ptr<const Dataset> data, Transform transform);

// Checks that every label is in [0, classes); inside a loss, a bad label would give an error without a location, or
// none. The first dimension counts samples. Throws Error{kCorrupt} with the first bad sample, Error{kInvalidArgument}
// when there is no class or `labels` is a scalar.
void check_labels(const torch::Tensor& labels, std::int64_t classes);

}  // namespace lockstep
