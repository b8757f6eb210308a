#pragma once

// Data sets: of tensors and files, made up, and made of others.
//
//   const auto images = image_dataset("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", {.classes = 10});
//   const auto [train, valid] = split(images, 0.9);
//   const auto augmented = map(train, random_crop(2));
//
// All of them can be read by any number of threads. Files are read when the set is made, but for token shards, which
// are mapped; what a reader refuses is its error (lockstep/array_file.h). Asked for a sample that is not there, get()
// and get_batch() throw Error{kInvalidArgument}.

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

// Tensors in memory; sample i is entry i of each one's first dimension.
class TensorDataset final : public Dataset {
 public:
  // Throws Error{kInvalidArgument} when there is no tensor, or they are not equally long.
  explicit TensorDataset(Tensors tensors);

  const Tensors& tensors() const { return tensors_; }

  std::uint64_t size() const override;
  Tensors get(std::uint64_t index, SampleRandom& random) const override;
  Tensors get_batch(std::span<const std::uint64_t> indices, const BatchKey& key) const override;

 private:
  Tensors tensors_;
};

struct ImageDatasetOptions {
  double scale = 1.0 / 255;                  // of the pixels
  std::optional<std::int64_t> classes = {};  // labels have to be below; not checked when not set
};

// Images and labels in idx files, the form of MNIST, packed with gzip or not: u8 images of [height, width] or
// [channels, height, width], one label for each. Input: float32 [channels, height, width]; target: int64. They stay u8
// in memory. Throws Error{kInvalidArgument} when the files hold something else or do not belong together,
// Error{kCorrupt} for a label that is no class.
std::shared_ptr<const Dataset> image_dataset(const std::filesystem::path& images,
                                             const std::filesystem::path& labels,
                                             const ImageDatasetOptions& options = {});

struct CsvDatasetOptions {
  std::variant<std::int64_t, std::string> target =
      -1;                                    // its column: a name, or a number from 0, -1 being the last
  std::optional<std::int64_t> classes = {};  // of the target, if it is one
  std::vector<std::string> features = {};    // the columns of the input; empty: all others
  char delimiter = ',';
  bool header = true;
};

// A line of numbers for each sample. Input: float32 [features]; target: an int64 with `classes`, else float32 [1].
// Throws Error{kInvalidArgument} when the options contradict each other or the file, Error{kNotFound} when there is no
// such column, Error{kCorrupt} for a target that is no class.
std::shared_ptr<const Dataset> csv_dataset(const std::filesystem::path& path,
                                           const CsvDatasetOptions& options = {});

// One npy file for each tensor of a sample, samples along its first dimension, as TensorDataset has them. Throws
// Error{kInvalidArgument} when they are not equally long.
std::shared_ptr<const Dataset> npy_dataset(const std::vector<std::filesystem::path>& paths);

// Text for a model that tells the next token. Input: int64 [context]; target: the same, one token further on. The
// samples lie side by side; the last target of one is the first input of the next.
class TokenDataset final : public Dataset {
 public:
  // Throws what TokenData throws, and Error{kInvalidArgument} when the context is not above 0.
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

// Something to learn without a file. Sample i is of class i mod classes: float32 of that shape, the pattern of its
// class plus noise of the same size, both of [-1, 1); and the class as int64. It depends on seed and index alone.
class SyntheticDataset final : public Dataset {
 public:
  // Throws Error{kInvalidArgument} when a length is below 0, or there is no class.
  explicit SyntheticDataset(SyntheticOptions options);

  std::uint64_t size() const override { return options_.size; }
  Tensors get(std::uint64_t index, SampleRandom& random) const override;

 private:
  SyntheticOptions options_;
};

// Samples [begin, end) of `data`. Throws Error{kInvalidArgument} when they are not in it.
std::shared_ptr<const Dataset> subset(std::shared_ptr<const Dataset> data, std::uint64_t begin,
                                      std::uint64_t end);

struct DatasetSplit {
  std::shared_ptr<const Dataset> first;   // `fraction` of the samples, rounded
  std::shared_ptr<const Dataset> second;  // all others
};

// Deals the samples into two sets at random, since many files are sorted. The same seed gives the same sets, always.
// Throws Error{kInvalidArgument} when the fraction is not within 0 and 1.
DatasetSplit split(const std::shared_ptr<const Dataset>& data, double fraction, std::uint64_t seed = 0);

// Each sample of `data` after the transform, which draws from the stream that get() was given, behind what `data`
// itself has drawn.
std::shared_ptr<const Dataset> map(std::shared_ptr<const Dataset> data, Transform transform);

// Whether every label is one of 0 to classes - 1: in a loss, one that is not would be an error without a place, or
// none. The first dimension counts samples. Throws Error{kCorrupt} with the first sample that has another,
// Error{kInvalidArgument} when there can be no such labels.
void check_labels(const torch::Tensor& labels, std::int64_t classes);

}  // namespace lockstep
