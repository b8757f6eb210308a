#include "checkpoint/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "checkpoint/safetensors_header.h"
#include "checkpoint/sample_checkpoint.h"
#include "data/data_bytes.h"

namespace lockstep::checkpoint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MemorySink final : public ByteSink {
 public:
  void write(std::span<const std::byte> bytes) override {
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  std::string content;
};

std::string written(std::vector<TensorView> tensors, const Metadata& metadata = {}) {
  MemorySink sink;
  write_safetensors(sink, std::move(tensors), metadata);
  return sink.content;
}

// A file of that header and that many zero bytes.
std::string file_of(const std::string& header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  std::string file(sizeof(length), '\0');
  std::memcpy(file.data(), &length, sizeof(length));
  return file + header + std::string(data_bytes, '\0');
}

void expect_refused(const std::string& file, ErrorCode code, const std::string& message) {
  expect_error([&] { parse_safetensors("file", as_bytes(file)); }, code, "file: " + message);
}

void expect_corrupt(const std::string& header, std::size_t data_bytes, const std::string& message) {
  expect_refused(file_of(header, data_bytes), ErrorCode::kCorrupt, message);
}

std::vector<std::string> names_in(const Safetensors& file) {
  std::vector<std::string> names;
  for (const TensorView& tensor : file.tensors) {
    names.push_back(tensor.name);
  }
  return names;
}

std::string text_of(const TensorView* tensor) {
  return {reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size()};
}

TEST(SafetensorsFile, GivesBackWhatWasWritten) {
  const std::string file = written({{.name = "b", .shape = {2, 2}, .bytes = as_bytes("abcd")},
                                    {.name = "a", .type = TensorType::kI16, .bytes = as_bytes("xy")},
                                    {.name = "none", .type = TensorType::kF64, .shape = {0, 7}}},
                                   {{"format", "pt"}, {"größe", "\"\n"}});
  const Safetensors read = parse_safetensors("file", as_bytes(file));
  EXPECT_THAT(names_in(read), ElementsAre("a", "b", "none"));
  EXPECT_EQ(text_of(read.find("b")), "abcd");
  EXPECT_THAT(read.find("b")->shape, ElementsAre(2, 2));
  EXPECT_EQ(read.find("a")->type, TensorType::kI16);
  EXPECT_THAT(read.find("a")->shape, IsEmpty());
  EXPECT_EQ(text_of(read.find("a")), "xy");
  EXPECT_THAT(read.find("none")->bytes, IsEmpty());
  EXPECT_EQ(read.find("c"), nullptr);
  EXPECT_EQ(read.metadata, (Metadata{{"format", "pt"}, {"größe", "\"\n"}}));
}

TEST(SafetensorsFile, MayBeEmpty) {
  EXPECT_EQ(written({}), from_hex("0800000000000000") + "{}      ");
  EXPECT_THAT(parse_safetensors("file", as_bytes(written({}))).tensors, IsEmpty());
}

TEST(SafetensorsFile, HasAllTypes) {
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::size_t>>{{"F64", 8},
                                                                                    {"F32", 4},
                                                                                    {"F16", 2},
                                                                                    {"BF16", 2},
                                                                                    {"I64", 8},
                                                                                    {"I32", 4},
                                                                                    {"I16", 2},
                                                                                    {"I8", 1},
                                                                                    {"U8", 1},
                                                                                    {"BOOL", 1}}) {
    const auto type = tensor_type_of(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(to_string(*type), name);
    EXPECT_EQ(size_of(*type), bytes) << name;
  }
  EXPECT_EQ(tensor_type_of("f32"), std::nullopt);
}

TEST(SafetensorsFile, IsTheSameInWhateverOrderItsTensorsCome) {
  const TensorView wide{.name = "z", .type = TensorType::kF64, .shape = {1}, .bytes = as_bytes("01234567")};
  const TensorView narrow{.name = "a", .shape = {3}, .bytes = as_bytes("abc")};
  const TensorView middle{.name = "m", .type = TensorType::kF32, .shape = {1}, .bytes = as_bytes("wxyz")};
  const std::string file = written({wide, narrow, middle});
  EXPECT_EQ(written({narrow, middle, wide}), file);
  EXPECT_THAT(file, testing::EndsWith("01234567wxyzabc")) << "the widest first: each is aligned";
}

TEST(SafetensorsFile, BeginsItsDataAtAMultipleOfEight) {
  for (std::string name = "a"; name.size() < 10; name += "a") {
    const std::string file = written({{.name = name, .shape = {1}, .bytes = as_bytes("x")}});
    EXPECT_EQ(file.size() % 8, 1) << name;
  }
}

TEST(SafetensorsFile, RefusesToWriteWhatCouldNotBeRead) {
  const auto refused = [](std::vector<TensorView> tensors, const std::string& message) {
    expect_error([&] { written(tensors); }, ErrorCode::kInvalidArgument, message);
  };
  const TensorView one{.name = "a", .shape = {1}, .bytes = as_bytes("x")};
  refused({one, one}, "tensor 'a' cannot be written: there are two of that name");
  refused({{.name = "__metadata__"}},
          "tensor '__metadata__' cannot be written: safetensors uses that name itself");
  refused({{.name = "\xFF"}}, "tensor '\\xff' cannot be written: its name is not UTF-8");
  refused({{.name = "a", .type = TensorType::kF32, .shape = {2, 3}, .bytes = as_bytes("x")}},
          "tensor 'a' cannot be written: it has 1 bytes, which is not what F32 [2, 3] takes");
  refused(
      {{.name = "a", .type = TensorType::kF32, .shape = {std::uint64_t{1} << 32, std::uint64_t{1} << 31}}},
      "tensor 'a' cannot be written: it has 0 bytes, which is not what F32 [4294967296, 2147483648] takes");
  expect_error(
      [] {
        written({}, {{"x", "\xFF"}});
      },
      ErrorCode::kInvalidArgument, "metadata 'x' cannot be written: it is not UTF-8");
}

TEST(SafetensorsFile, ChecksTheLengthOfItsHeaderFirst) {
  expect_refused("1234567", ErrorCode::kCorrupt,
                 "byte 0: expected the length of the header, 8 bytes, found 7 and the end");
  expect_refused(
      from_hex("0300000000000000") + "{}", ErrorCode::kCorrupt,
      "byte 0: expected a header of at most 100000000 bytes that is in the file, found the length 3 and 2 "
      "bytes");
  expect_refused(from_hex("ffffffffffffffff") + "{}", ErrorCode::kCorrupt,
                 "byte 0: expected a header of at most 100000000 bytes that is in the file, found the length "
                 "18446744073709551615 and 2 bytes");
  expect_refused(std::string(8, '\0'), ErrorCode::kCorrupt,
                 "byte 8: expected '{', the start of the header, found ''");
}

TEST(SafetensorsFile, SaysWhatItExpectedInItsHeader) {
  expect_corrupt(" {}", 0, "byte 8: expected '{', the start of the header, found ' '");
  expect_corrupt("{", 0, "byte 9: the header is not JSON from here on");
  expect_corrupt("{}x", 0, "byte 10: the header is not JSON from here on");
  expect_corrupt(R"({"a":1})", 0, "tensor 'a': expected an object, found a number");
  expect_corrupt(R"({"a":{}})", 0,
                 "tensor 'a': expected dtype, shape and two data_offsets, found not all of them");
  expect_corrupt(R"({"a":{"x":1}})", 0,
                 "tensor 'a': expected dtype, shape and data_offsets, each once, found 'x'");
  expect_corrupt(R"({"a":{"shape":[],"shape":[]}})", 0,
                 "tensor 'a': expected dtype, shape and data_offsets, each once, found 'shape'");
  expect_corrupt(R"({"a":{"dtype":null}})", 0, "tensor 'a': expected a text, found null");
  expect_corrupt(R"({"a":{"shape":{}}})", 0, "tensor 'a': expected an array, found an object");
  expect_corrupt(R"({"a":{"shape":[[]]}})", 0,
                 "tensor 'a': expected a whole number of at most 64 bits, found an array");
  expect_corrupt(R"({"a":{"shape":[-1]}})", 0,
                 "tensor 'a': expected a whole number of at most 64 bits, found -1");
  expect_corrupt(R"({"a":{"shape":[1.0]}})", 0,
                 "tensor 'a': expected a whole number of at most 64 bits, found '1.0'");
  expect_corrupt(R"({"a":{"shape":[18446744073709551616]}})", 0,
                 "tensor 'a': expected a whole number of at most 64 bits, found '18446744073709551616'");
  expect_corrupt(R"({"a":{"data_offsets":[1,2,3]}})", 0, "tensor 'a': expected two data_offsets, found more");
  expect_corrupt(R"({"__metadata__":{"a":1}})", 0, "metadata: expected a text, found a number");
  expect_corrupt(R"({"__metadata__":{"a":"","a":""}})", 0, "metadata: 'a' comes twice in the metadata");
  expect_refused(
      file_of(R"({"a":{"dtype":"F8_E4M3"}})", 0), ErrorCode::kUnsupported,
      "tensor 'a': elements of type 'F8_E4M3'; F64, F32, F16, BF16, I64, I32, I16, I8, U8 and BOOL are read");
}

TEST(SafetensorsFile, HasEachNameOnce) {
  expect_corrupt(
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
      2, "'a' comes twice");
  expect_corrupt(R"({"__metadata__":{},"__metadata__":{}})", 0, "'__metadata__' comes twice");
}

TEST(SafetensorsFile, ChecksShapesAgainstOffsetsWithoutOverflow) {
  const auto tensor = [](const std::string& shape, const std::string& offsets) {
    return R"({"a":{"dtype":"F32","shape":[)" + shape + R"(],"data_offsets":[)" + offsets + "]}}";
  };
  expect_corrupt(tensor("2", "0,4"), 4,
                 "tensor 'a': expected 8 bytes, as its type and shape say, found data_offsets 0 to 4");
  expect_corrupt(tensor("1", "4,0"), 4,
                 "tensor 'a': expected 4 bytes, as its type and shape say, found data_offsets 4 to 0");
  // Four times these is 2^66, and 2^64 + 4: both wrap around to what a careless product takes for the truth.
  expect_corrupt(tensor("4294967296,4294967296", "0,0"), 0,
                 "tensor 'a': the product of its dimensions is beyond 64 bits");
  expect_corrupt(tensor("4611686018427387905", "0,4"), 4,
                 "tensor 'a': the product of its dimensions is beyond 64 bits");
  expect_corrupt(tensor("0,9223372036854775808", "0,0"), 0,
                 "tensor 'a': a dimension of 9223372036854775808 is beyond 63 bits");
  std::string ones = "1";
  for (int i = 1; i <= 64; ++i) {
    ones += ",1";
  }
  expect_corrupt(tensor(ones, "0,4"), 4, "tensor 'a': it has more than 64 dimensions");
}

TEST(SafetensorsFile, IsFilledByItsTensors) {
  const auto two = [](const std::string& first, const std::string& second) {
    return R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[)" + first +
           R"(]},"b":{"dtype":"U8","shape":[2],"data_offsets":[)" + second + "]}}";
  };
  EXPECT_EQ(parse_safetensors("file", as_bytes(file_of(two("2,4", "0,2"), 4))).tensors.size(), 2);
  expect_corrupt(two("0,2", "3,5"), 5,
                 "tensor 'b': expected its bytes from 2 on, where those before it end, found them from 3 on");
  expect_corrupt(two("0,2", "1,3"), 3,
                 "tensor 'b': expected its bytes from 2 on, where those before it end, found them from 1 on");
  expect_corrupt(two("2,4", "4,6"), 6,
                 "tensor 'a': expected its bytes from 0 on, where those before it end, found them from 2 on");
  expect_corrupt(two("0,2", "2,4"), 5, "expected 4 bytes of tensors, found 5");
  expect_corrupt(two("0,2", "2,4"), 3, "expected 4 bytes of tensors, found 3");
  expect_corrupt(
      two("0,2", "18446744073709551614,18446744073709551615"), 4,
      "tensor 'b': expected 2 bytes, as its type and shape say, found data_offsets 18446744073709551614 to "
      "18446744073709551615");
}

TEST(SafetensorsFile, IsReadWholeOrNotAtAll) {
  const std::string good = written({{.name = "a", .shape = {3}, .bytes = as_bytes("abc")}}, {{"k", "v"}});
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(parse_safetensors("file", as_bytes(good.substr(0, size))), Error) << size;
  }
  EXPECT_THROW(parse_safetensors("file", as_bytes(good + "x")), Error);
}

// The format for good, from bytes that this code did not write.
TEST(SafetensorsFile, IsReadAndWrittenAsInTheGoldenFile) {
  const std::string golden = content_of(LOCKSTEP_GOLDEN_FOLDER "/model.safetensors");
  const Safetensors read = parse_safetensors("golden", as_bytes(golden));
  EXPECT_THAT(names_in(read), ElementsAre("bf", "count", "empty", "fc.bias", "fc.weight", "größe", "half",
                                          "ids", "mask", "scale", "short", "tiny"));
  std::array<float, 6> weight{};
  std::memcpy(weight.data(), read.find("fc.weight")->bytes.data(), sizeof(weight));
  EXPECT_THAT(weight, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(read.find("fc.weight")->shape, ElementsAre(2, 3));
  EXPECT_EQ(text_of(read.find("count")), from_hex("d6ffffffffffffff"));
  EXPECT_EQ(text_of(read.find("bf")), from_hex("803f80bf"));
  EXPECT_EQ(written(read.tensors, read.metadata), golden);
}

}  // namespace
}  // namespace lockstep::checkpoint
