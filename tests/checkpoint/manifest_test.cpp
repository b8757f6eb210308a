#include "checkpoint/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "checkpoint/checkpoint_name.h"
#include "checkpoint/checksum.h"
#include "checkpoint/sample_checkpoint.h"
#include "data/data_bytes.h"

namespace lockstep::checkpoint {
namespace {

const std::string kSum(32, 'a');

Manifest sample() {
  return {
      .step = 7, .world_size = 2, .metric = 0.5, .files = {{.name = "a.bin", .bytes = 3, .checksum = kSum}}};
}

// The text with its checksum put right.
std::string resealed(const std::string& text) {
  const std::string body = text.substr(0, text.rfind("  \"checksum\""));
  return body + "  \"checksum\": \"" + checksum_text(as_bytes(body)) + "\"\n}\n";
}

std::string replaced(std::string text, const std::string& old_part, const std::string& new_part) {
  const std::size_t at = text.find(old_part);
  EXPECT_NE(at, std::string::npos) << old_part;
  return text.replace(at, old_part.size(), new_part);
}

TEST(ManifestText, IsReadBack) {
  for (const double metric : {0.1, -1e-300, 1e300, 0.0, 3.0}) {
    Manifest manifest = sample();
    manifest.metric = metric;
    EXPECT_EQ(parse_manifest("m", manifest_text(manifest)), manifest);
  }
  const Manifest bare{.step = std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(parse_manifest("m", manifest_text(bare)), bare);
}

TEST(ManifestText, HasTheseBytes) {
  EXPECT_EQ(manifest_text(sample()),
            "{\n"
            "  \"format\": \"lockstep checkpoint\",\n"
            "  \"version\": 1,\n"
            "  \"step\": 7,\n"
            "  \"world_size\": 2,\n"
            "  \"metric\": 0.5,\n"
            "  \"files\": [\n"
            "    {\"name\": \"a.bin\", \"bytes\": 3, \"xxh3_128\": \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}\n"
            "  ],\n"
            "  \"checksum\": \"466b2ed0aff8683f06748d6ff25c67ae\"\n"
            "}\n");
}

TEST(ManifestText, IsSortedAndHasFiniteMetrics) {
  Manifest manifest = sample();
  manifest.files.insert(manifest.files.begin(), {.name = "b", .checksum = kSum});
  manifest.metric = std::nan("");
  const Manifest read = parse_manifest("m", manifest_text(manifest));
  EXPECT_EQ(read.files.front().name, "a.bin");
  EXPECT_EQ(read.metric, std::nullopt);
  EXPECT_EQ(read.find("b")->name, "b");
  EXPECT_EQ(read.find("c"), nullptr);
}

TEST(ManifestText, IsNotMadeOfWhatCouldNotBeRead) {
  const auto refused = [](Manifest manifest, const std::string& reason) {
    expect_error([&] { manifest_text(manifest); }, ErrorCode::kInvalidArgument,
                 "the manifest of a checkpoint cannot be written: " + reason);
  };
  refused({.step = -1}, "step -1 of 1 ranks");
  refused({.world_size = 0}, "step 0 of 0 ranks");
  refused({.files = {{.name = "../a", .checksum = kSum}}}, "'../a' is no name for a file of a checkpoint");
  refused({.files = {{.name = "a", .checksum = "A"}}}, "'A' is no checksum");
  refused({.files = {{.name = "a", .checksum = kSum},
                     {.name = "b", .checksum = kSum},
                     {.name = "a", .checksum = kSum}}},
          "'a' comes twice");
}

TEST(ManifestText, SaysWhatIsWrongWithIt) {
  const std::string good = manifest_text(sample());
  const auto refused = [](const std::string& text, ErrorCode code, const std::string& message) {
    expect_error([&] { parse_manifest("m", text); }, code, "m: " + message);
  };
  refused("", ErrorCode::kCorrupt, "expected the start of a manifest, found ''");
  refused("{}", ErrorCode::kCorrupt, "expected the start of a manifest, found '{}'");
  refused(replaced(good, "\"version\": 1", "\"version\": 2"), ErrorCode::kUnsupported,
          "version 2 of checkpoints; version 1 is read");
  refused(replaced(good, "\"step\": 7", "\"step\": 8"), ErrorCode::kCorrupt,
          "expected the checksum f6ce64ee02bdb80ee0341aa62951c355, found '466b2ed0aff8683f06748d6ff25c67ae'");
  refused("{\n  \"format\": \"lockstep checkpoint\",\n  \"version\": 1,\n  \"step\": 7,", ErrorCode::kCorrupt,
          "expected its checksum at the end, found '\"lockstep checkpoint\",\\n  \"version\": 1,\\n  "
          "\"step\": 7,'");
  const std::string not_as_written = "it is not written as a manifest is, though its checksum is right";
  for (const auto& [old_part, new_part] : std::vector<std::pair<std::string, std::string>>{
           {"\"step\": 7", "\"step\": -7"},
           {"\"step\": 7", "\"step\": 7.5"},
           {"\"step\": 7", "\"step\": \"7\""},
           {"\"step\": 7", "\"step\":  7"},
           {"\"step\": 7", "\"step\": 99999999999999999999"},
           {"\"step\": 7", "\"step\": 7,\n  \"step\": 7"},
           {"\"step\": 7", "\"stop\": 7"},
           {"\"world_size\": 2", "\"world_size\": 4294967298"},
           {"\"metric\": 0.5", "\"metric\": 1e999"},
           {"\"metric\": 0.5", "\"metric\": 0.50"},
           {"a.bin", "../a.bin"},
           {"a.bin", "manifest.json"},
           {"\"bytes\": 3", "\"bytes\": -3"},
           {"aaaa\"}", "AAAA\"}"},
           {"[\n", "7,\n"},
           {"0.5", std::string(1 << 20, '[') + std::string(1 << 20, ']')},
       }) {
    refused(resealed(replaced(good, old_part, new_part)), ErrorCode::kCorrupt, not_as_written);
  }
  const std::string entry = good.substr(good.find("    {"), good.find("\n  ],") - good.find("    {"));
  refused(resealed(replaced(good, entry, entry + ",\n" + entry)), ErrorCode::kCorrupt, not_as_written);
  refused(std::string(kMostManifestBytes + 1, 'x'), ErrorCode::kCorrupt,
          "expected at most 16777216 bytes, found 16777217");
}

TEST(FileNames, LeadNowhereElse) {
  for (const char* good : {"a", "model.safetensors", "rng-0_A.bin", "Manifest.json"}) {
    EXPECT_TRUE(is_file_name(good)) << good;
  }
  for (const char* bad : {"", ".", "..", ".a", "a/b", "/a", "a b", "a\n", "größe", "manifest.json", "a\"b"}) {
    EXPECT_FALSE(is_file_name(bad)) << bad;
  }
  EXPECT_TRUE(is_file_name(std::string(255, 'a')));
  EXPECT_FALSE(is_file_name(std::string(256, 'a')));
}

TEST(CheckpointNames, AreReadBackAndNothingElseIs) {
  EXPECT_EQ(checkpoint_name(1234), "step-00001234");
  EXPECT_EQ(checkpoint_name(123456789), "step-123456789");
  for (const std::int64_t step : {std::int64_t{0}, std::int64_t{99999999}, std::int64_t{100000000},
                                  std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(step_of(checkpoint_name(step)), step);
    EXPECT_EQ(step_of_partial(partial_name(step)), step);
    EXPECT_EQ(step_of(partial_name(step)), std::nullopt);
    EXPECT_EQ(step_of_partial(checkpoint_name(step)), std::nullopt);
  }
  for (const char* other : {"", "step-", "step-1", "step-000000001", "step-00000001x", "step--0000001",
                            "step-+0000001", "Step-00000001", "step-99999999999999999999"}) {
    EXPECT_EQ(step_of(other), std::nullopt) << other;
  }
  for (const char* other : {".partial-", ".partial-step-00000001", ".partial-step-00000001-",
                            ".partial-step-00000001-x", ".partial-step-1-00000000000000000000000000000000"}) {
    EXPECT_EQ(step_of_partial(other), std::nullopt) << other;
  }
  EXPECT_NE(partial_name(1), partial_name(1));
}

}  // namespace
}  // namespace lockstep::checkpoint
