// Tensors out of a model, through a file, and back in.

#include "snapshot/named_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <vector>

#include "lockstep/error.h"
#include "snapshot/random_state.h"
#include "snapshot/tensor_file.h"

namespace lockstep::snapshot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Bytes : public checkpoint::ByteSink {
 public:
  void write(std::span<const std::byte> bytes) override {
    all_.insert(all_.end(), bytes.begin(), bytes.end());
  }
  const std::vector<std::byte>& all() const { return all_; }

 private:
  std::vector<std::byte> all_;
};

TensorsByName through_a_file(const NamedTensors& tensors) {
  Bytes file;
  write_tensors(file, tensors);
  return read_tensors("memory", file.all());
}

TEST(NamedTensors, AreParametersAndBuffersUnderTheModulesNames) {
  torch::nn::Sequential model(torch::nn::Linear(2, 3), torch::nn::BatchNorm1d(3));
  std::vector<std::string> names;
  for (const NamedTensor& item : tensors_of(*model)) {
    names.push_back(item.name);
  }
  EXPECT_THAT(names, ElementsAre("0.weight", "0.bias", "1.weight", "1.bias", "1.running_mean",
                                 "1.running_var", "1.num_batches_tracked"));
}

TEST(NamedTensors, PassThroughAFileWhateverTheirTypeAndStrides) {
  NamedTensors tensors = {{"scalar", torch::tensor(7, torch::kInt64)}, {"empty", torch::empty({0, 3})}};
  const torch::Tensor numbers = torch::arange(-6, 6).reshape({3, 4});
  for (const auto type : {torch::kFloat64, torch::kFloat32, torch::kFloat16, torch::kBFloat16, torch::kInt64,
                          torch::kInt32, torch::kInt16, torch::kInt8, torch::kUInt8, torch::kBool}) {
    tensors.push_back({c10::str("whole-", type), numbers.to(type)});
    tensors.push_back({c10::str("turned-", type), numbers.to(type).t()});
  }
  const TensorsByName found = through_a_file(tensors);
  ASSERT_EQ(found.size(), tensors.size());
  for (const NamedTensor& item : tensors) {
    EXPECT_EQ(found.at(item.name).scalar_type(), item.tensor.scalar_type()) << item.name;
    EXPECT_TRUE(torch::equal(found.at(item.name), item.tensor)) << item.name;
  }
}

TEST(NamedTensors, OfAnUnknownTypeAreRefusedByName) {
  try {
    through_a_file({{"spin", torch::zeros({2}, torch::kComplexFloat)}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("cannot save spin"));
  }
}

TEST(NamedTensors, ThatDoNotFitAreAllNamed) {
  const NamedTensors wanted = {
      {"a", torch::zeros({2, 3})}, {"b", torch::zeros({4})}, {"c", torch::zeros({1})}};
  const TensorsByName found = {
      {"b", torch::zeros({5})}, {"c", torch::zeros({1}, torch::kFloat64)}, {"d", torch::zeros({})}};
  EXPECT_THAT(misfits(wanted, found),
              ElementsAre("a is missing", "b is F32 [5], and F32 [4] is wanted",
                          "c is F64 [1], and F32 [1] is wanted", "d, F32 [], is not wanted"));
}

TEST(RandomState, GoesOnWhereItWasTaken) {
  torch::manual_seed(3);
  torch::randn({5});
  const torch::Tensor state = random_state();
  const torch::Tensor next = torch::randn({7});
  set_random_state(state);
  EXPECT_TRUE(torch::equal(torch::randn({7}), next));
}

TEST(RandomState, RefusesWhatIsNone) {
  try {
    set_random_state(torch::zeros({3}, torch::kUInt8));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
  }
}

}  // namespace
}  // namespace lockstep::snapshot
