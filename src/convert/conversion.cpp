#include "convert/conversion.h"

#include <fmt/format.h>

#include <numeric>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/new_file.h"
#include "checkpoint/byte_sink.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/file_bytes.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/whole_file.h"
#include "config/printable.h"
#include "convert/state_dict.h"
#include "convert/state_dict_writer.h"
#include "lockstep/error.h"

namespace lockstep::convert {
namespace {

namespace fs = std::filesystem;
using checkpoint::ByteSink;
using checkpoint::Checkpoint;
using checkpoint::FileBytes;
using checkpoint::TensorView;
using checkpoint::WholeFile;

enum class Form { kSafetensors, kStateDict };

Error invalid(const fs::path& path, std::string_view what) {
  return {ErrorCode::kInvalidArgument, fmt::format("{}: {}", config::printable(path.string()), what)};
}

Form form_of(const fs::path& path) {
  if (path.extension() == ".safetensors") {
    return Form::kSafetensors;
  }
  if (path.extension() == ".pt" || path.extension() == ".pth") {
    return Form::kStateDict;
  }
  throw invalid(path, "expected a name that ends in .safetensors, .pt or .pth");
}

// Checks without reading any file.
void require_possible(const Conversion& conversion, bool is_checkpoint, Form from, Form to) {
  if (from == to) {
    throw invalid(conversion.output,
                  fmt::format("expected a name that ends in {}, another form than that of {}",
                              from == Form::kSafetensors ? ".pt or .pth" : ".safetensors",
                              config::printable(conversion.input.string())));
  }
  if (conversion.key && from == Form::kSafetensors) {
    throw invalid(conversion.input,
                  "a file of tensors has no keys to choose from; --key is for .pt and .pth");
  }
  if (conversion.part && !is_checkpoint) {
    throw invalid(conversion.input, "a file has no parts to choose from; --part is for checkpoints");
  }
  std::error_code ignored;
  if (!conversion.overwrite && fs::exists(fs::symlink_status(conversion.output, ignored))) {
    throw invalid(conversion.output, "already exists; --force overwrites it");
  }
}

std::string file_of_part(const Conversion& conversion) {
  return conversion.part.value_or("model") + ".safetensors";
}

// Appends to a file that does not exist under its name yet.
class FileSink final : public ByteSink {
 public:
  explicit FileSink(NewFile& file) : file_(file) {}

  void write(std::span<const std::byte> bytes) override {
    file_.write_at(offset_, bytes);
    offset_ += bytes.size();
  }

 private:
  NewFile& file_;
  std::uint64_t offset_ = 0;
};

Converted write_output(const fs::path& path, Form form, const std::vector<TensorView>& tensors) {
  NewFile file(path);
  FileSink sink(file);
  if (form == Form::kSafetensors) {
    // Python's libraries want to know the framework of the tensors.
    checkpoint::write_safetensors(sink, tensors, {{"format", "pt"}});
  } else {
    write_state_dict(sink, tensors);
  }
  file.commit();
  return {.tensors = tensors.size(),
          .bytes = std::accumulate(
              tensors.begin(), tensors.end(), std::uint64_t{0},
              [](std::uint64_t sum, const TensorView& tensor) { return sum + tensor.bytes.size(); })};
}

}  // namespace

Converted convert(const Conversion& conversion) {
  std::error_code ignored;
  const bool is_checkpoint = fs::is_directory(conversion.input, ignored);
  const Form from = is_checkpoint ? Form::kSafetensors : form_of(conversion.input);
  const Form to = form_of(conversion.output);
  require_possible(conversion, is_checkpoint, from, to);
  if (is_checkpoint) {
    const WholeFile input(Checkpoint::open(conversion.input), file_of_part(conversion));
    return write_output(conversion.output, to, input.all().tensors);
  }
  const FileBytes input = checkpoint::read_file(conversion.input);
  const std::string name = config::printable(conversion.input.string());
  if (from == Form::kSafetensors) {
    return write_output(conversion.output, to, checkpoint::parse_safetensors(name, input.bytes()).tensors);
  }
  return write_output(conversion.output, to, StateDict::read(name, input.bytes(), conversion.key).tensors());
}

}  // namespace lockstep::convert
