// A transformer that learns to write text, byte by byte, and shows in the end what it can write.
//
//   gpt                                              alone
//   lockstep run gpt                                 one rank on every core of this machine
//   lockstep run gpt --corpus ~/texts --max-steps 2000 --width 256 --layers 6
//
// Without --corpus it reads the C++ headers of the libtorch that it was built with.

#include <lockstep/lockstep.h>
#include <torch/torch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace nn = torch::nn;
namespace train = lockstep::train;

constexpr std::int64_t kBytes = 256;

struct Shape {
  std::int64_t context = 128;
  std::int64_t width = 128;
  std::int64_t heads = 4;
  std::int64_t layers = 4;
};

struct BlockImpl : nn::Module {
  explicit BlockImpl(const Shape& shape)
      : heads(shape.heads),
        before_attention(
            register_module("before_attention", nn::LayerNorm(nn::LayerNormOptions({shape.width})))),
        attention(register_module("attention", nn::Linear(shape.width, 3 * shape.width))),
        after_attention(register_module("after_attention", nn::Linear(shape.width, shape.width))),
        before_hidden(register_module("before_hidden", nn::LayerNorm(nn::LayerNormOptions({shape.width})))),
        hidden(register_module("hidden", nn::Linear(shape.width, 4 * shape.width))),
        output(register_module("output", nn::Linear(4 * shape.width, shape.width))) {}

  torch::Tensor attend(const torch::Tensor& x) {
    const auto parts = attention(x).view({x.size(0), x.size(1), 3, heads, -1}).permute({2, 0, 3, 1, 4});
    const auto mixed =
        at::scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, 0.0, /*is_causal=*/true);
    return after_attention(mixed.transpose(1, 2).reshape(x.sizes()));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = x + attend(before_attention(x));
    return x + output(torch::gelu(hidden(before_hidden(x))));
  }

  std::int64_t heads;
  nn::LayerNorm before_attention;
  nn::Linear attention, after_attention;
  nn::LayerNorm before_hidden;
  nn::Linear hidden, output;
};
TORCH_MODULE(Block);

struct Gpt : nn::Module {
  explicit Gpt(const Shape& shape)
      : tokens(register_module("tokens", nn::Embedding(kBytes, shape.width))),
        places(register_module("places", nn::Embedding(shape.context, shape.width))),
        norm(register_module("norm", nn::LayerNorm(nn::LayerNormOptions({shape.width})))),
        head(register_module("head", nn::Linear(nn::LinearOptions(shape.width, kBytes).bias(false)))) {
    for (std::int64_t i = 0; i < shape.layers; ++i) {
      blocks->push_back(Block(shape));
    }
    register_module("blocks", blocks);
    for (const torch::Tensor& parameter : parameters()) {
      if (parameter.dim() > 1) {
        nn::init::normal_(parameter, 0, 0.02);
      }
    }
  }

  torch::Tensor forward(const torch::Tensor& text) {
    return head(norm(blocks->forward(tokens(text) + places(torch::arange(text.size(1))))));
  }

  nn::Embedding tokens, places;
  nn::Sequential blocks;
  nn::LayerNorm norm;
  nn::Linear head;
};

// A long text cut into samples: its input, and the same one byte further on.
class TextDataset final : public lockstep::Dataset {
 public:
  TextDataset(std::string text, std::int64_t context) : text_(std::move(text)), context_(context) {}

  std::uint64_t size() const override {
    return text_.empty() ? 0 : (text_.size() - 1) / static_cast<std::uint64_t>(context_);
  }
  lockstep::Tensors get(std::uint64_t index, lockstep::SampleRandom& /*random*/) const override {
    const auto begin = text_.begin() + static_cast<std::ptrdiff_t>(index) * context_;
    const std::vector<std::uint8_t> bytes(begin, begin + context_ + 1);
    const auto sample = torch::tensor(at::ArrayRef<std::uint8_t>(bytes), torch::kLong);
    return {sample.slice(0, 0, context_), sample.slice(0, 1)};
  }

 private:
  std::string text_;
  std::int64_t context_;
};

// The headers and texts of a folder, in the order of their names, or one file.
std::string read_corpus(const std::filesystem::path& place, std::size_t most) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(place)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
      const std::string kind = entry.path().extension();
      if (entry.is_regular_file() && (kind == ".h" || kind == ".hpp" || kind == ".cpp" || kind == ".txt")) {
        files.push_back(entry.path());
      }
    }
    std::sort(files.begin(), files.end());
  } else {
    files.push_back(place);
  }
  std::string text;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      throw lockstep::Error(lockstep::ErrorCode::kNotFound, "cannot read the text " + path.string());
    }
    text.append(std::istreambuf_iterator<char>(file), {});
    if (text.size() >= most) {
      text.resize(most);
      break;
    }
  }
  return text;
}

// What the model writes after `prompt`.
std::string write_text(Gpt& model, std::string prompt, std::int64_t bytes, const Shape& shape) {
  const torch::NoGradGuard no_gradients;
  model.eval();
  for (std::int64_t i = 0; i < bytes; ++i) {
    const std::string tail =
        prompt.substr(prompt.size() - std::min(prompt.size(), static_cast<std::size_t>(shape.context)));
    const std::vector<std::uint8_t> seen(tail.begin(), tail.end());
    const auto input = torch::tensor(at::ArrayRef<std::uint8_t>(seen), torch::kLong).unsqueeze(0);
    const auto chances = torch::softmax(model.forward(input).select(1, -1).squeeze(0) / 0.8, 0);
    prompt.push_back(static_cast<char>(torch::multinomial(chances, 1).item<std::int64_t>()));
  }
  return prompt;
}

class Writer final : public train::Callback {
 public:
  Writer(std::shared_ptr<Gpt> model, Shape shape, std::int64_t bytes)
      : model_(std::move(model)), shape_(shape), bytes_(bytes) {}

  void on_end(const train::Summary& /*summary*/) override {
    if (bytes_ > 0 && lockstep::logger().enabled(lockstep::LogLevel::kInfo)) {  // on rank 0
      LOCKSTEP_LOG(kInfo) << "what it writes:\n" << write_text(*model_, "#include <", bytes_, shape_);
    }
  }

 private:
  std::shared_ptr<Gpt> model_;
  Shape shape_;
  std::int64_t bytes_;
};

class WriteText : public train::Task {
 public:
  std::string name() const override { return "gpt"; }
  std::string about() const override { return "Learns to write text, byte by byte."; }

  void set_defaults(train::Options& options) override {
    options.batch_size = 32;
    options.max_steps = 300;
    options.clip_norm = 1;
    options.lr = {.peak = 2e-3, .shape = lockstep::LrShape::kCosine, .warmup_steps = 30, .final_ratio = 0.1};
    options.optimizer = {
        .kind = lockstep::OptimizerKind::kAdamW, .weight_decay = 0.1, .decay_vectors = false, .beta2 = 0.95};
  }

  void describe(lockstep::config::Description& d) override {
    d.option("corpus", corpus_, "a text, or a folder of texts and sources");
    d.option("corpus-bytes", corpus_bytes_, "how much of it to read");
    d.option("context", shape_.context, "how far back it looks").unit("bytes").range(1, 65536);
    d.option("width", shape_.width, "of the model").range(1, 65536);
    d.option("heads", shape_.heads, "of attention").range(1, 1024);
    d.option("layers", shape_.layers, "one above the other").range(1, 1024);
    d.option("sample-bytes", sample_bytes_, "how much to write in the end").unit("bytes").range(0, 1'000'000);
  }

  train::TaskData data() override {
    auto [text, held_back] = lockstep::split(
        std::make_shared<TextDataset>(read_corpus(corpus_, corpus_bytes_.bytes()), shape_.context), 0.95);
    return {.train = text, .eval = held_back};
  }

  std::shared_ptr<nn::Module> model() override {
    if (shape_.width % shape_.heads != 0) {
      throw lockstep::Error(lockstep::ErrorCode::kInvalidConfig,
                            "a width of " + std::to_string(shape_.width) + " cannot be divided among " +
                                std::to_string(shape_.heads) + " heads");
    }
    return model_ = std::make_shared<Gpt>(shape_);
  }

  train::Output step(const lockstep::Batch& batch) override {
    const auto scores = model_->forward(batch.input());
    return {.loss = nn::functional::cross_entropy(scores.view({-1, kBytes}), batch.target().reshape({-1})),
            .metrics = {train::accuracy(scores, batch.target())}};
  }

  std::vector<std::shared_ptr<train::Callback>> callbacks() override {
    return {std::make_shared<Writer>(model_, shape_, sample_bytes_)};
  }

 private:
  Shape shape_;
  std::filesystem::path corpus_ = GPT_CORPUS;
  lockstep::config::ByteSize corpus_bytes_ = lockstep::config::ByteSize::mib(4);
  std::int64_t sample_bytes_ = 400;
  std::shared_ptr<Gpt> model_;
};

int main(int argc, char** argv) {
  return train::main<WriteText>(argc, argv);
}
