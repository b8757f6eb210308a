// Learns to read handwriting: a whole training program, with flags, progress, metrics and a page to look at.
//
//   digits                              alone
//   lockstep run digits                 one rank on every core of this machine
//   lockstep run digits --precision bf16 --batch-size 128 --lr.peak 0.1
//
// See the README beside it for the data.

#include <lockstep/lockstep.h>
#include <torch/torch.h>

#include <filesystem>
#include <memory>
#include <string>

namespace nn = torch::nn;
namespace train = lockstep::train;

// Two stages of two convolutions on 8x8 pixels. Everything in it is smooth, and without batch norm it computes the same
// however a batch is divided.
struct Net : nn::Module {
  explicit Net(bool batch_norm) {
    add_stage(1, 32, batch_norm);
    add_stage(32, 64, batch_norm);
    layers->push_back(nn::Flatten());
    layers->push_back(nn::Linear(64 * 2 * 2, 10));
    register_module("layers", layers);
  }

  void add_stage(int from, int to, bool batch_norm) {
    for (const int channels : {from, to}) {
      nn::Conv2d convolution(nn::Conv2dOptions(channels, to, 3).padding(1).bias(!batch_norm));
      nn::init::kaiming_normal_(convolution->weight, 0, torch::kFanOut, torch::kReLU);
      layers->push_back(convolution);
      if (batch_norm) {
        layers->push_back(nn::BatchNorm2d(to));
      }
      layers->push_back(nn::GELU());
    }
    layers->push_back(nn::AvgPool2d(2));
  }

  torch::Tensor forward(const torch::Tensor& images) { return layers->forward(images); }

  nn::Sequential layers;
};

class DigitsTask : public train::Task {
 public:
  std::string name() const override { return "digits"; }
  std::string about() const override { return "Learns to read handwriting."; }

  void set_defaults(train::Options& options) override {
    options.epochs = 20;
    options.lr = {.peak = 0.05, .shape = lockstep::LrShape::kCosine, .warmup_steps = 20};
    options.optimizer.weight_decay = 5e-4;
    options.best = {.metric = "accuracy", .higher_is_better = true};
  }

  void describe(lockstep::config::Description& d) override {
    d.option("data", data_, "the folder with the four files of images and labels");
    d.option("batch-norm", batch_norm_, "batch norm after every convolution");
    d.option("shift", shift_, "move training images at random by up to so many pixels").range(0, 4);
  }

  train::TaskData data() override {
    auto images = load("train");
    if (shift_ > 0) {
      images = lockstep::map(images, lockstep::random_crop(shift_));
    }
    return {.train = images, .eval = load("test")};
  }

  std::shared_ptr<nn::Module> model() override { return net_ = std::make_shared<Net>(batch_norm_); }

  train::Output step(const lockstep::Batch& batch) override {
    const torch::Tensor scores = net_->forward(batch.input());
    return {.loss = nn::functional::cross_entropy(scores, batch.target()),
            .metrics = {train::accuracy(scores, batch.target())}};
  }

 private:
  // Pixels have 17 shades of grey.
  std::shared_ptr<const lockstep::Dataset> load(const std::string& part) const {
    return lockstep::image_dataset(data_ / (part + "-images-idx3-ubyte.gz"),
                                   data_ / (part + "-labels-idx1-ubyte.gz"),
                                   {.scale = 1.0 / 16, .classes = 10});
  }

  std::filesystem::path data_ = DIGITS_DATA;
  bool batch_norm_ = true;
  int shift_ = 1;
  std::shared_ptr<Net> net_;
};

int main(int argc, char** argv) {
  return train::main<DigitsTask>(argc, argv);
}
