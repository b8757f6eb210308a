#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "data/data_bytes.h"
#include "data/numpy_files.h"
#include "dataset/tensor_matchers.h"
#include "lockstep/array_tensor.h"
#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

template <class T>
Array array_of(const std::vector<T>& values, std::vector<std::uint64_t> shape) {
  Array array{.type = element_type_of<T>(), .shape = std::move(shape)};
  array.bytes.resize(values.size() * sizeof(T));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

TEST(ToTensor, TakesTheMemoryOfAnArray) {
  Array array = array_of<float>({0, 0.5, 1, 1.5, 2, 2.5}, {2, 3});
  const void* memory = array.bytes.data();
  const torch::Tensor tensor = to_tensor(std::move(array));
  EXPECT_EQ(tensor.data_ptr(), memory);
  expect_same(tensor, torch::tensor({{0.0F, 0.5F, 1.0F}, {1.5F, 2.0F, 2.5F}}));
}

TEST(ToTensor, KnowsEveryType) {
  expect_same(to_tensor(array_of<std::int8_t>({-1, 2}, {2})), torch::tensor({-1, 2}, torch::kInt8));
  expect_same(to_tensor(array_of<std::int16_t>({-1, 2}, {2})), torch::tensor({-1, 2}, torch::kInt16));
  expect_same(to_tensor(array_of<std::int32_t>({-1, 2}, {2})), torch::tensor({-1, 2}, torch::kInt32));
  expect_same(to_tensor(array_of<std::int64_t>({-1, 2}, {2})), torch::tensor({-1, 2}, torch::kInt64));
  expect_same(to_tensor(array_of<std::uint8_t>({1, 255}, {2})), torch::tensor({1, 255}, torch::kUInt8));
  expect_same(to_tensor(array_of<std::uint16_t>({1, 65535}, {2})), torch::tensor({1, 65535}, torch::kInt32));
  expect_same(to_tensor(array_of<std::uint32_t>({1, 4294967295}, {2})),
              torch::tensor({std::int64_t{1}, std::int64_t{4294967295}}));
  expect_same(to_tensor(array_of<std::uint64_t>({1, 7}, {2})), torch::tensor({1, 7}, torch::kInt64));
  expect_same(to_tensor(array_of<double>({1.5}, {1})), torch::tensor({1.5}, torch::kFloat64));
  expect_same(to_tensor({.type = ElementType::kBool, .shape = {2}, .bytes = {std::byte{1}, std::byte{0}}}),
              torch::tensor({true, false}));
  expect_same(
      to_tensor({.type = ElementType::kF16, .shape = {1}, .bytes = {std::byte{0x00}, std::byte{0x3C}}}),
      torch::tensor({1.0}, torch::kFloat16));
}

TEST(ToTensor, KeepsShapesWithoutElementsAndWithoutDimensions) {
  EXPECT_EQ(to_tensor(array_of<float>({}, {3, 0, 2})).sizes(), (torch::IntArrayRef{3, 0, 2}));
  expect_same(to_tensor(array_of<std::int64_t>({7}, {})), torch::tensor(7, torch::kInt64));
}

TEST(ToTensor, RefusesWhatLibtorchCannotHold) {
  expect_error(
      [] {
        to_tensor(array_of<std::uint64_t>({1, 1UL << 63}, {2}));
      },
      ErrorCode::kUnsupported, "libtorch has no number as large as 9223372036854775808");
  expect_error(
      [] {
        to_tensor(array_of<float>({}, {1UL << 63, 0}));
      },
      ErrorCode::kUnsupported, "libtorch has no length as large as 9223372036854775808");
}

TEST(CheckLabels, FindsTheFirstSampleWithAnotherLabel) {
  const auto code = ErrorCode::kCorrupt;
  check_labels(torch::tensor({0, 9, 3}), 10);
  check_labels(torch::tensor({0.0, 9.0}), 10);
  check_labels(torch::tensor({true, false}), 2);
  check_labels(torch::empty({0}, torch::kInt64), 10);
  expect_error(
      [] {
        check_labels(torch::tensor({0, 1, 10, 11}), 10);
      },
      code, "sample 2 has the label 10, and the classes are 0 to 9");
  expect_error([] { check_labels(torch::tensor({-1}), 10); }, code,
               "sample 0 has the label -1, and the classes are 0 to 9");
  expect_error(
      [] {
        check_labels(torch::tensor({1.0, 0.5}), 10);
      },
      code, "sample 1 has the label 0.5, and the classes are 0 to 9");
  expect_error([] { check_labels(torch::full({1}, std::numeric_limits<double>::quiet_NaN()), 10); }, code,
               "sample 0 has the label nan, and the classes are 0 to 9");
  expect_error(
      [] {
        check_labels(torch::tensor({{0, 1}, {0, 1}, {1, 2}}), 2);
      },
      code, "sample 2 has the label 2, and the classes are 0 to 1");
  expect_error([] { check_labels(torch::tensor({0}), 0); }, ErrorCode::kInvalidArgument,
               "there cannot be 0 classes");
  expect_error([] { check_labels(torch::tensor(0), 3); }, ErrorCode::kInvalidArgument,
               "a single label has no dimension that counts samples");
}

class FileDatasets : public testing::Test {
 protected:
  fs::path write(const std::string& name, std::string_view hex) { return folder_.write(name, from_hex(hex)); }
  std::string name_of(const std::string& file) const { return (folder_.path() / file).string(); }

  TempDir folder_;
};

// Two images of 2 by 3, pixels 0 to 11; kIdxU8Gz is the same, packed.
constexpr std::string_view kImages = "00000803 00000002 00000002 00000003 000102030405060708090a0b";
constexpr std::string_view kLabels = "00000801 00000002 0703";

TEST_F(FileDatasets, ImagesAreScaledAndHaveAChannel) {
  const fs::path labels = write("labels", kLabels);
  for (const fs::path& images : {write("images", kImages), write("images.gz", kIdxU8Gz)}) {
    const auto data = image_dataset(images, labels, {.classes = 10});
    EXPECT_EQ(data->size(), 2);
    const torch::Tensor pixels = torch::arange(12, torch::kFloat32).view({2, 1, 2, 3}) * (1.0 / 255);
    expect_same(sample_of(*data, 1), {pixels[1], torch::tensor(3, torch::kInt64)});
    expect_honours_contract(*data, {1, 0, 1});
  }
}

TEST_F(FileDatasets, ImagesMayHaveChannelsAndAnotherScale) {
  const auto data = image_dataset(write("images", "00000804 00000001 00000002 00000001 00000002 01020304"),
                                  write("labels", "00000b01 00000001 0100"), {.scale = 1.0 / 16});
  expect_same(sample_of(*data, 0),
              {torch::tensor({{{1.0F, 2.0F}}, {{3.0F, 4.0F}}}) / 16, torch::tensor(256, torch::kInt64)});
}

TEST_F(FileDatasets, ImagesAndLabelsHaveToBelongTogether) {
  const auto code = ErrorCode::kInvalidArgument;
  const fs::path images = write("images", kImages);
  const fs::path labels = write("labels", kLabels);
  const fs::path three = write("three", "00000801 00000003 000102");
  expect_error([&] { image_dataset(images, three); }, code,
               name_of("images") + " has 2 images, " + name_of("three") + " has 3 labels");
  expect_error([&] { image_dataset(labels, labels); }, code,
               name_of("labels") + ": expected images, u8 of 3 or 4 dimensions, found u8 [2]");
  expect_error([&] { image_dataset(images, images); }, code,
               name_of("images") + ": expected labels, whole numbers of 1 dimension, found u8 [2, 2, 3]");
  expect_error([&] { image_dataset(images, labels, {.classes = 7}); }, ErrorCode::kCorrupt,
               name_of("labels") + ": sample 0 has the label 7, and the classes are 0 to 6");
}

TEST_F(FileDatasets, ImagesThatAreCutShortAreRefused) {
  const fs::path labels = write("labels", kLabels);
  const fs::path cut = write("cut", kImages.substr(0, kImages.size() - 2));
  try {
    image_dataset(cut, labels);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    EXPECT_THAT(error.message(), testing::StartsWith(name_of("cut") + ": byte 16: "));
  }
  expect_error([&] { image_dataset(folder_.path() / "none", labels); }, ErrorCode::kNotFound,
               name_of("none") + ": no such file");
}

TEST_F(FileDatasets, ImagesMayBeNone) {
  const auto data = image_dataset(write("images", "00000803 00000000 00000002 00000003"),
                                  write("labels", "00000801 00000000"), {.classes = 10});
  EXPECT_EQ(data->size(), 0);
}

TEST_F(FileDatasets, CsvHasATargetAndInputs) {
  const fs::path path = folder_.write("t.csv", "a,class,b\n1,2,3\n4,0,6.5\n");
  const Tensors first = {torch::tensor({1.0F, 3.0F}), torch::tensor({2.0F})};
  expect_same(sample_of(*csv_dataset(path, {.target = "class"}), 0), first);
  expect_same(sample_of(*csv_dataset(path, {.target = 1}), 0), first);
  expect_same(sample_of(*csv_dataset(path, {.target = -2}), 0), first);
  expect_same(sample_of(*csv_dataset(path), 0), {torch::tensor({1.0F, 2.0F}), torch::tensor({3.0F})});
  const auto classes = csv_dataset(path, {.target = "class", .classes = 3});
  expect_same(sample_of(*classes, 1), {torch::tensor({4.0F, 6.5F}), torch::tensor(0, torch::kInt64)});
  expect_same(sample_of(*csv_dataset(path, {.target = "class", .features = {"b"}}), 1),
              {torch::tensor({6.5F}), torch::tensor({0.0F})});
  EXPECT_EQ(classes->size(), 2);
  expect_honours_contract(*classes, {1, 0, 0});
  EXPECT_EQ(csv_dataset(folder_.write("empty.csv", "a,b\n"))->size(), 0);
}

TEST_F(FileDatasets, CsvMayDoWithoutAHeader) {
  const fs::path path = folder_.write("t.csv", "1;2\n3;4\n");
  expect_same(sample_of(*csv_dataset(path, {.target = 0, .delimiter = ';', .header = false}), 1),
              {torch::tensor({4.0F}), torch::tensor({3.0F})});
}

TEST_F(FileDatasets, CsvHasToFitItsOptions) {
  const auto misuse = ErrorCode::kInvalidArgument;
  const fs::path path = folder_.write("t.csv", "width,class\n1,0\n3,1.5\n");
  const std::string name = name_of("t.csv");
  expect_error([&] { csv_dataset(path, {.target = "clas"}); }, ErrorCode::kNotFound,
               name + ": there is no column 'clas'; did you mean 'class'?");
  expect_error([&] { csv_dataset(path, {.target = 2}); }, ErrorCode::kNotFound,
               name + ": there is no column 2, only 2 columns");
  expect_error([&] { csv_dataset(path, {.target = -3}); }, ErrorCode::kNotFound,
               name + ": there is no column -3, only 2 columns");
  expect_error([&] { csv_dataset(path, {.target = "class", .classes = 2}); }, ErrorCode::kCorrupt,
               name + ": sample 1 has the label 1.5, and the classes are 0 to 1");
  expect_error([&] { csv_dataset(path, {.features = {"width"}}); }, misuse,
               "the columns of the input are chosen by name: choose that of the target by name, too");
  expect_error([&] { csv_dataset(path, {.target = "class", .features = {"class"}}); }, misuse,
               "column 'class' cannot be both input and target");
  const fs::path plain = folder_.write("plain.csv", "1\n2\n");
  expect_error([&] { csv_dataset(plain, {.target = "class", .header = false}); }, misuse,
               "the target is chosen by name, and a CSV file without header has no names");
  expect_error([&] { csv_dataset(plain, {.header = false}); }, misuse,
               name_of("plain.csv") + ": there is no column beside the target");
}

TEST_F(FileDatasets, NpyHasOneFileForEachTensor) {
  const auto data = npy_dataset({write("x.npy", kNpyF4), write("y.npy", kNpyI8Version3)});
  EXPECT_EQ(data->size(), 2);
  expect_same(sample_of(*data, 0), {torch::tensor({0.0F, 0.5F, 1.0F}), torch::tensor(-1, torch::kInt64)});
  expect_honours_contract(*data, {1, 1, 0});
}

TEST_F(FileDatasets, NpyFilesHaveToBeEquallyLong) {
  const auto code = ErrorCode::kInvalidArgument;
  const fs::path two = write("two.npy", kNpyF4);
  expect_error(
      [&] {
        npy_dataset({two, write("three.npy", kNpyBool)});
      },
      code, name_of("two.npy") + " has 2 samples, " + name_of("three.npy") + " has 3");
  expect_error(
      [&] {
        npy_dataset({two, write("one.npy", kNpyScalar)});
      },
      code, name_of("one.npy") + ": expected samples along the first dimension, found a single number");
  expect_error([] { npy_dataset({}); }, code, "a data set needs at least one tensor");
}

TEST_F(FileDatasets, TokensAreTheirOwnTargets) {
  const fs::path path = folder_.path() / "a.tokens";
  TokenShardWriter writer(path, {.vocabulary = 100});
  writer.append(std::vector<std::uint32_t>{10, 11, 12, 13, 14, 15, 16, 17});
  writer.commit();
  const TokenDataset data({path}, 3);
  EXPECT_EQ(data.size(), 2);
  EXPECT_EQ(data.vocabulary(), 100);
  expect_same(sample_of(data, 0),
              {torch::tensor({10, 11, 12}, torch::kInt64), torch::tensor({11, 12, 13}, torch::kInt64)});
  expect_same(sample_of(data, 1),
              {torch::tensor({13, 14, 15}, torch::kInt64), torch::tensor({14, 15, 16}, torch::kInt64)});
  expect_honours_contract(data, {1});
  expect_honours_contract(data, {1, 0, 1});
  expect_error([&] { sample_of(data, 2); }, ErrorCode::kInvalidArgument, "there is no sample 2 of 2");
  expect_error([&] { TokenDataset({path}, 0); }, ErrorCode::kInvalidArgument,
               "a context of 0 tokens holds no text");
  EXPECT_EQ(TokenDataset({path}, 8).size(), 0);
}

}  // namespace
}  // namespace lockstep
