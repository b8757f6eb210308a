#include "cli/inspect_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/safetensors.h"
#include "cli/command.h"
#include "cli/doctor/size_text.h"
#include "config/printable.h"
#include "config/usage.h"

namespace lockstep::cli {
namespace {

using checkpoint::Checkpoint;
using checkpoint::FileEntry;
using checkpoint::Manifest;
using checkpoint::Safetensors;
using checkpoint::TensorView;

void show_manifest(const Manifest& manifest) {
  std::cout << fmt::format("step    {}\nranks   {}\n", manifest.step, manifest.world_size);
  if (manifest.metric) {
    std::cout << fmt::format("metric  {}\n", *manifest.metric);
  }
  std::size_t width = 0;
  for (const FileEntry& file : manifest.files) {
    width = std::max(width, file.name.size());
  }
  std::cout << "\nfiles\n";
  for (const FileEntry& file : manifest.files) {
    std::cout << fmt::format("  {:{}}  {}\n", file.name, width, doctor::size_text(file.bytes));
  }
}

void show_tensors(std::string_view name, const Safetensors& file) {
  std::cout << fmt::format("\ntensors in {}: {}\n", name, file.tensors.size());
  std::vector<std::string> names;
  std::size_t width = 0;
  for (const TensorView& tensor : file.tensors) {
    width = std::max(width, names.emplace_back(config::printable(tensor.name)).size());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const TensorView& tensor = file.tensors[i];
    std::cout << fmt::format("  {:{}}  {:4}  [{}]\n", names[i], width, checkpoint::to_string(tensor.type),
                             fmt::join(tensor.shape, ", "));
  }
  for (const auto& [key, text] : file.metadata) {
    std::cout << fmt::format("  metadata {} = {}\n", config::in_quotes(key), config::in_quotes(text));
  }
}

// Escapes unprintable characters, such as terminal escape sequences.
void show_text(std::string_view name, std::string_view text) {
  std::cout << fmt::format("\n{}\n", name);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::cout << fmt::format("  {}\n", config::printable(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void show(const Checkpoint& checkpoint) {
  show_manifest(checkpoint.manifest());
  for (const FileEntry& entry : checkpoint.manifest().files) {
    if (entry.name.ends_with(".safetensors")) {
      const checkpoint::FileBytes content = checkpoint.read(entry.name);
      show_tensors(entry.name, checkpoint::parse_safetensors(entry.name, content.bytes()));
    } else if (entry.name.ends_with(".json")) {
      show_text(entry.name, checkpoint.read(entry.name).text());
    }
  }
}

}  // namespace

int run_inspect(int argc, const char* const* argv) {
  const config::Usage usage{
      .name = "lockstep inspect",
      .about =
          "Shows what is in a checkpoint: its step, its files and their sizes, the tensors in them with type "
          "and shape, and texts such as the configuration. All of it is verified first.",
      .arguments = "FOLDER",
      .expected = "the folder of one checkpoint",
      .most = 1};
  config::NoOptions options;
  std::vector<std::string> folders;
  if (const auto exit_code = config::parse_usage(options, argc, argv, usage, folders)) {
    return *exit_code;
  }
  show(Checkpoint::open(folders.front()));
  return kExitOk;
}

}  // namespace lockstep::cli
