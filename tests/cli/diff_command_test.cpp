#include "cli/diff_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_dir.h"
#include "checkpoint/checkpoint_writer.h"
#include "checkpoint/file_image.h"
#include "checkpoint/file_parts.h"
#include "checkpoint/new_file.h"
#include "checkpoint/safetensors.h"
#include "cli/program_run.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using checkpoint::ByteSink;
using checkpoint::TensorType;
using checkpoint::TensorView;
using testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// What one side consists of. Tensors are of F32 and have one dimension.
struct Content {
  std::map<std::string, std::vector<float>> tensors = {{"bias", {1, 2, 3}}, {"weight", {0.5, 0.25}}};
  std::map<std::string, std::string> texts = {
      {"config.json", R"({"format": 1, "values": {"lr": 0.1}, "sources": {"lr": "default"}})"},
      {"state.json", R"({"epoch": 3, "sampler": {"seed": 7}})"},
      {"rng-0.safetensors", "any bytes"}};
  checkpoint::Metadata metadata = {{"format", "pt"}};
};

void write_tensors(ByteSink& sink, const Content& content) {
  std::vector<TensorView> views;
  for (const auto& [name, values] : content.tensors) {
    views.push_back({.name = name,
                     .type = TensorType::kF32,
                     .shape = {values.size()},
                     .bytes = std::as_bytes(std::span(values))});
  }
  checkpoint::write_safetensors(sink, views, content.metadata);
}

class DiffCommand : public testing::Test {
 protected:
  // A checkpoint in a folder of that name.
  std::string save(const std::string& name, std::int64_t step, const Content& content, int ranks = 1) {
    fs::create_directory(in(name));
    auto writer = checkpoint::CheckpointWriter::begin(in(name), step);
    writer.add("model.safetensors", [&](ByteSink& sink) { write_tensors(sink, content); });
    for (const auto& [file, text] : content.texts) {
      writer.add(file, bytes_of(text));
    }
    return writer.commit({.step = step, .world_size = ranks, .files = writer.files()}).string();
  }

  std::string save_file(const std::string& name, const Content& content) {
    checkpoint::FileImage file;
    write_tensors(file, content);
    checkpoint::write_new_file(checkpoint::DiskCalls::real(), in(name), file.bytes());
    return in(name);
  }

  std::string in(const std::string& name) const { return (folder_.path() / name).string(); }

  static CompletedSubprocess run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "diff");
    return run_lockstep(arguments);
  }

  TempDir folder_;
};

TEST_F(DiffCommand, FindsNoDifference) {
  const std::string a = save("a", 42, {});
  Content other;
  // Where a value came from, and in which order members stand, makes no difference.
  other.texts["config.json"] = R"({"format": 1, "values": {"lr": 0.1}, "sources": {"lr": "flag --lr"}})";
  other.texts["state.json"] = R"({"sampler": {"seed": 7}, "epoch": 3})";
  const std::string b = save("b", 42, other);
  const auto done = run({a, b});
  EXPECT_EQ(done.standard_output,
            "a  " + a + ": step 42, 1 rank\nb  " + b + ": step 42, 1 rank\nno difference\n");
  EXPECT_EQ(done.standard_error, "");
  EXPECT_EQ(done.status.exit_code, 0);
}

// Two ranks write a part each of what one rank writes as a whole.
TEST_F(DiffCommand, TakesPartsForTheFileTheyMakeUp) {
  const auto save_parts = [&](const std::string& name, const std::vector<Content>& parts) {
    fs::create_directory(in(name));
    auto writer = checkpoint::CheckpointWriter::begin(in(name), 7);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      writer.add(
          checkpoint::part_name("state.safetensors", static_cast<int>(i) + 1, static_cast<int>(parts.size())),
          [&](ByteSink& sink) { write_tensors(sink, parts[i]); });
    }
    return writer.commit({.step = 7, .world_size = 1, .files = writer.files()}).string();
  };
  const std::string whole = save_parts("whole", {{.tensors = {{"bias", {1, 2}}, {"weight", {3}}}}});
  const std::string parts =
      save_parts("parts", {{.tensors = {{"weight", {3}}}}, {.tensors = {{"bias", {1, 2}}}}});
  EXPECT_THAT(run({whole, parts}).standard_output, HasSubstr("no difference\n"));
  const std::string other =
      save_parts("other", {{.tensors = {{"weight", {3}}}}, {.tensors = {{"bias", {1, 4}}}}});
  EXPECT_THAT(run({whole, other}).standard_output,
              HasSubstr("state.safetensors: 1 of 2 tensors differ, in 1 of 3 elements\n"));
}

TEST_F(DiffCommand, ShowsTheFirstAndLargestDifferencesOfAllFiles) {
  const std::string a = save("a", 42, {});
  Content other;
  other.tensors = {{"bias", {1, 2.5, 3.25}}, {"weight", {0.5, 0.0625}}, {"new", {1}}};
  other.texts = {{"config.json", R"({"format": 1, "values": {"lr": 0.2}})"},
                 {"state.json", R"({"epoch": 4, "sampler": {"seed": 7}, "best": null})"},
                 {"rng-0.safetensors", "other bytes"},
                 {"rng-1.safetensors", "any bytes"}};
  const std::string b = save("b", 43, other, 2);
  const auto done = run({a, b});
  EXPECT_EQ(done.standard_output, "a  " + a + ": step 42, 1 rank\nb  " + b +
                                      ": step 43, 2 ranks\n"
                                      "step: 42 -> 43\n"
                                      "ranks: 1 -> 2\n"
                                      "only in b: rng-1.safetensors\n"
                                      "model.safetensors: 2 of 2 tensors differ, in 3 of 5 elements\n"
                                      "  only in b: new\n"
                                      "  first     bias [1]: 2 -> 2.5\n"
                                      "  largest   bias [1]: 2 -> 2.5, by 0.5\n"
                                      "  relative  weight [1]: 0.25 -> 0.0625, by 75 %\n"
                                      "  ulps      weight: up to 16777216\n"
                                      "config.json: 1 value differs\n"
                                      "  lr: 0.1 -> 0.2\n"
                                      "state.json: 2 values differ\n"
                                      "  epoch: 3 -> 4\n"
                                      "  best: (absent) -> null\n"
                                      "other bytes: rng-0.safetensors\n");
  EXPECT_EQ(done.standard_error, "");
  EXPECT_EQ(done.status.exit_code, 1);
}

TEST_F(DiffCommand, ListsEveryTensorWhenAsked) {
  Content content;
  content.metadata = {};
  content.tensors = {{"bias", {1, 2.5, 3.25}}, {"weight", {0.5, NAN}}};
  const auto done = run({"--all", save_file("a.safetensors", {}), save_file("b.safetensors", content)});
  EXPECT_EQ(done.standard_output,
            "a  " + in("a.safetensors") + "\nb  " + in("b.safetensors") +
                "\n"
                "tensors: 2 of 2 tensors differ, in 3 of 5 elements\n"
                "  metadata format: pt -> (absent)\n"
                "  first     bias [1]: 2 -> 2.5\n"
                "  largest   bias [1]: 2 -> 2.5, by 0.5\n"
                "  relative  bias [1]: 2 -> 2.5, by 20 %\n"
                "  ulps      bias: up to 2097152\n"
                "  nan       on one side, in 1 tensor\n"
                "  bias  F32 [3]: 2 of 3 elements, first [1]: 2 -> 2.5; by up to 0.5 at [1], 20 % at [1], "
                "2097152 ulps\n"
                "  weight  F32 [2]: 1 of 2 elements, first [1]: 0.25 -> nan; nan on one side of 1 element\n");
  EXPECT_EQ(done.status.exit_code, 1);
}

TEST_F(DiffCommand, ShowsTensorsThatChangedTheirFormAndShortensLongLists) {
  Content content;
  content.tensors = {{"bias", {1, 2}}, {"weight", {0.5, 0.25}}};
  for (const char* name : {"c", "d", "e", "f", "g", "h\x1b"}) {
    content.tensors[name] = {1};
  }
  const auto done = run({save_file("a.safetensors", {}), save_file("b.safetensors", content)});
  EXPECT_THAT(done.standard_output, HasSubstr("\ntensors: 0 of 1 tensor differ, in 0 of 2 elements\n"
                                              "  only in b: c, d, e, f, g and 1 more\n"
                                              "  bias: F32 [3] -> F32 [2]\n"));
  const auto all = run({"--all", in("b.safetensors"), in("a.safetensors")});
  EXPECT_THAT(all.standard_output, HasSubstr("\n  only in a: c, d, e, f, g, h\\x1b\n"));
}

TEST_F(DiffCommand, TellsProgramsAllOfIt) {
  const std::string a = save("a", 42, {});
  Content other;
  other.tensors["bias"] = {1, INFINITY, 3};
  other.texts["state.json"] = R"({"epoch": 4, "sampler": {"seed": 7}})";
  const std::string b = save("b", 42, other);
  const auto done = run({"--json", a, b});
  EXPECT_EQ(done.status.exit_code, 1);
  const auto json = nlohmann::json::parse(done.standard_output);
  EXPECT_EQ(json["format"], 1);
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["a"]["step"], 42);
  EXPECT_EQ(json["equal_files"], nlohmann::json({"config.json", "rng-0.safetensors"}));
  EXPECT_EQ(json["json_files"][0]["values"][0], nlohmann::json({{"name", "epoch"}, {"a", "3"}, {"b", "4"}}));
  const auto& tensor = json["tensor_files"][0]["tensors"][0];
  EXPECT_EQ(tensor["name"], "bias");
  EXPECT_EQ(tensor["first"], nlohmann::json({{"index", 1}, {"a", "2"}, {"b", "inf"}}));
  EXPECT_EQ(tensor["largest"]["difference"], "inf");
  EXPECT_EQ(nlohmann::json::parse(run({"--json", a, a}).standard_output)["equal"], true);
}

TEST_F(DiffCommand, RefusesADamagedCheckpoint) {
  const std::string a = save("a", 42, {});
  const std::string b = save("b", 42, {});
  folder_.write("b/step-00000042/state.json", "{}");
  const auto done = run({a, b});
  EXPECT_EQ(done.standard_output, "");
  EXPECT_EQ(done.standard_error, "lockstep diff: corrupt data: the checkpoint " + b +
                                     " cannot be used: " + b + "/state.json: expected 36 bytes, found 2\n");
  EXPECT_EQ(done.status.exit_code, 2);
}

TEST_F(DiffCommand, RefusesFilesThatAreNotWhatTheirNamesSay) {
  Content broken;
  broken.texts["state.json"] = "{";
  const auto json = run({save("a", 1, {}), save("b", 1, broken)});
  EXPECT_THAT(json.standard_error,
              HasSubstr("corrupt data: state.json of the second checkpoint is not valid JSON"));
  EXPECT_EQ(json.status.exit_code, 2);
  const std::string file = folder_.write("c.safetensors", "no").string();
  const auto tensors = run({save_file("a.safetensors", {}), file});
  EXPECT_THAT(tensors.standard_error, HasSubstr(file + ": byte 0: expected the length of the header"));
  EXPECT_EQ(tensors.status.exit_code, 2);
}

TEST_F(DiffCommand, WantsTwoOfAKind) {
  const auto one = run({"a"});
  EXPECT_EQ(one.standard_error,
            "lockstep diff: expected two checkpoints or two .safetensors files, got 1\n"
            "run 'lockstep diff --help' for how to use it\n");
  EXPECT_EQ(one.status.exit_code, 2);
  const auto mixed = run({save("a", 1, {}), save_file("b.safetensors", {})});
  EXPECT_THAT(mixed.standard_error, HasSubstr(in("b.safetensors") + ": no such checkpoint"));
  EXPECT_EQ(mixed.status.exit_code, 2);
}

}  // namespace
}  // namespace lockstep::cli
