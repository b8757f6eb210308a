#include <utility>

#include "lockstep/datasets.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

class MappedDataset final : public Dataset {
 public:
  MappedDataset(std::shared_ptr<const Dataset> data, Transform transform)
      : data_(std::move(data)), transform_(std::move(transform)) {}

  std::uint64_t size() const override { return data_->size(); }

  Tensors get(std::uint64_t index, SampleRandom& random) const override {
    return transform_(data_->get(index, random), random);
  }

 private:
  std::shared_ptr<const Dataset> data_;
  Transform transform_;
};

}  // namespace

std::shared_ptr<const Dataset> map(std::shared_ptr<const Dataset> data, Transform transform) {
  if (!transform) {
    throw Error(ErrorCode::kInvalidArgument, "a data set cannot be mapped with no transform");
  }
  return std::make_shared<MappedDataset>(std::move(data), std::move(transform));
}

}  // namespace lockstep
