#pragma once

// Small checkpoints for tests: which files they have follows from their step, so that a test can tell which one it got.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_store.h"
#include "checkpoint/safetensors.h"

namespace lockstep::checkpoint {

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void replace_content(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

inline std::string state_of(std::int64_t step) {
  return "state of step " + std::to_string(step);
}

// Throws what the store throws.
inline void save(const CheckpointStore& store, std::int64_t step, std::optional<double> metric = {}) {
  CheckpointWriter writer = store.begin(step);
  const std::string state = state_of(step);
  writer.add("state.bin", as_bytes(state));
  writer.add("model.safetensors", [&state](ByteSink& file) {
    write_safetensors(file, {{.name = "w", .shape = {state.size()}, .bytes = as_bytes(state)}});
  });
  writer.commit({.step = step, .world_size = 1, .metric = metric, .files = writer.files()});
}

// Both files are those of the checkpoint's step.
inline void expect_sound(const Checkpoint& checkpoint) {
  const std::string expected = state_of(checkpoint.manifest().step);
  EXPECT_EQ(checkpoint.read("state.bin").text(), expected);
  const FileBytes model = checkpoint.read("model.safetensors");
  const Safetensors tensors = parse_safetensors("model", model.bytes());
  ASSERT_NE(tensors.find("w"), nullptr);
  const auto bytes = tensors.find("w")->bytes;
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), expected);
}

// The step that newest_good() gives, or -1; it has to be sound.
inline std::int64_t newest_step(const CheckpointStore& store) {
  const NewestGood found = store.newest_good();
  if (!found.checkpoint) {
    return -1;
  }
  expect_sound(*found.checkpoint);
  return found.checkpoint->manifest().step;
}

}  // namespace lockstep::checkpoint
