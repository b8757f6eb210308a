#include "train/file_dealing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace lockstep::train {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

std::vector<std::string> texts_of(const std::vector<DealtFile>& dealt) {
  std::vector<std::string> texts;
  for (const DealtFile& file : dealt) {
    std::string text = std::to_string(file.writer) + ": " + file.name;
    for (const std::size_t tensor : file.tensors) {
      text += " " + std::to_string(tensor);
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(FileDealing, LetsPartsMakeUpForWhatCannotBeDivided) {
  const std::vector<SizedFile> files = {{"model.st", {20 * kMega, 14 * kMega}},
                                        {"optimizer.st", std::vector<std::uint64_t>(17, 4 * kMega), true},
                                        {"rng.st", {100}}};
  const auto dealt = deal(files, 2);
  EXPECT_THAT(texts_of(dealt),
              ElementsAre("0: model.st 0 1", "1: rng.st 0", "0: optimizer-1-of-2.st 9 11 13 15",
                          "1: optimizer-2-of-2.st 0 1 2 3 4 5 6 7 8 10 12 14 16"));
}

TEST(FileDealing, LeavesSmallFilesWhole) {
  EXPECT_THAT(texts_of(deal({{"optimizer.st", {kMega, kMega}, true}, {"empty.st", {}, true}}, 4)),
              ElementsAre("0: optimizer.st 0 1", "1: empty.st"));
  EXPECT_THAT(texts_of(deal({{"optimizer.st", {90 * kMega}, true}}, 4)), ElementsAre("0: optimizer.st 0"));
  EXPECT_THAT(texts_of(deal({{"optimizer.st", {90 * kMega, 80 * kMega}, true}}, 1)),
              ElementsAre("0: optimizer.st 0 1"));
}

TEST(FileDealing, MakesNoPartThatIsNotWorthAFile) {
  // The second writer has as much to do with all of it as the first one already has.
  EXPECT_THAT(texts_of(deal({{"model.st", {10 * kMega}}, {"optimizer.st", {9 * kMega, kMega}, true}}, 2)),
              ElementsAre("0: model.st 0", "1: optimizer.st 0 1"));
  EXPECT_THAT(texts_of(deal({{"optimizer.st", std::vector<std::uint64_t>(9, kMega), true}}, 8)),
              ElementsAre("0: optimizer-1-of-2.st 0 2 4 6 8", "1: optimizer-2-of-2.st 1 3 5 7"));
}

TEST(FileDealing, LeavesAFileToTheOneWhoMayWriteIt) {
  const std::vector<SizedFile> files = {
      {.name = "model.st", .bytes = {kMega}, .is_divisible = false, .writer = 0},
      {.name = "optimizer.st", .bytes = {2 * kMega}},
      {.name = "rng.st", .bytes = {100}}};
  EXPECT_THAT(texts_of(deal(files, 2)), ElementsAre("0: model.st 0", "1: optimizer.st 0", "0: rng.st 0"));
}

TEST(FileDealing, DealsEveryTensorOnceAndEvenly) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const std::size_t writers = 1 + random() % 7;
    std::vector<SizedFile> files = {{"a.st", {}, true}, {"b.st", {}, true}, {"c.st", {}, false}};
    std::uint64_t largest = 0;
    std::uint64_t sum = 0;
    for (SizedFile& file : files) {
      for (std::size_t i = random() % 30; i > 0; --i) {
        file.bytes.push_back(random() % (3 * kMega));
        largest = std::max(largest, file.bytes.back());
        sum += file.bytes.back();
      }
    }
    std::vector<std::uint64_t> loads(writers);
    std::vector<std::vector<int>> seen = {std::vector<int>(files[0].bytes.size()),
                                          std::vector<int>(files[1].bytes.size()),
                                          std::vector<int>(files[2].bytes.size())};
    for (const DealtFile& dealt : deal(files, writers)) {
      std::uint64_t bytes = 0;
      for (const std::size_t tensor : dealt.tensors) {
        ++seen[dealt.source][tensor];
        bytes += files[dealt.source].bytes[tensor];
      }
      loads[dealt.writer] += bytes;
      EXPECT_TRUE(bytes >= 4 * kMega || dealt.name == files[dealt.source].name) << dealt.name;
    }
    for (const std::vector<int>& counts : seen) {
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), static_cast<int>(counts.size()));
      EXPECT_THAT(counts, ::testing::Each(1));
    }
    // Files that stay whole are at most so large.
    const std::uint64_t whole = std::max(
        largest, std::accumulate(files[2].bytes.begin(), files[2].bytes.end(), std::uint64_t{8} * kMega));
    EXPECT_LE(*std::max_element(loads.begin(), loads.end()), sum / writers + whole);
  }
}

}  // namespace
}  // namespace lockstep::train
