#include "convert/state_dict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "convert/sample_archive.h"
#include "convert/state_dict_writer.h"

namespace lockstep::convert {
namespace {

using namespace pickled;
using checkpoint::TensorType;
using checkpoint::TensorView;
using testing::HasSubstr;

constexpr std::string_view kFourFloats = "aaaabbbbccccdddd";

std::string bytes_in(const TensorView& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()};
}

std::string archive_refusal(const std::string& archive, std::optional<std::string_view> key = {}) {
  return refusal_of([&] { StateDict::read("x.pt", as_bytes(archive), key); });
}

// Of an archive with a tensor "w".
std::string refusal_with(const std::string& tensor) {
  return archive_refusal(archive_of(program(dict(text("w") + tensor)), {{"0", std::string(kFourFloats)}}));
}

TEST(StateDict, IsReadWithSharedAndTransposedTensors) {
  const std::string file =
      archive_of(program(dict(text("all") + tensor(storage("0", 4), 0, {2, 2}, {2, 1}) + text("turned") +
                              tensor(storage("0", 4), 0, {2, 2}, {1, 2}) + text("last") +
                              tensor(storage("0", 4), 3, {}, {}) + text("none") +
                              tensor(storage("0", 4), 0, {0, 5}, {5, 1}))),
                 {{"0", std::string(kFourFloats)}});
  const StateDict state = StateDict::read("x.pt", as_bytes(file));
  ASSERT_EQ(state.tensors().size(), 4);
  EXPECT_EQ(state.tensors()[0].name, "all");
  EXPECT_EQ(bytes_in(state.tensors()[0]), kFourFloats);
  EXPECT_EQ(bytes_in(state.tensors()[1]), "aaaaccccbbbbdddd");
  EXPECT_EQ(bytes_in(state.tensors()[2]), "dddd");
  EXPECT_EQ(state.tensors()[2].shape, std::vector<std::uint64_t>{});
  EXPECT_EQ(bytes_in(state.tensors()[3]), "");
  EXPECT_EQ(state.tensors()[3].shape, (std::vector<std::uint64_t>{0, 5}));
}

TEST(StateDict, HasTheLaterOfTwoTensorsOfOneName) {
  const std::string file = archive_of(program(dict(text("w") + tensor(storage("0", 4), 0, {1}, {1}) +
                                                   text("w") + tensor(storage("0", 4), 1, {1}, {1}))),
                                      {{"0", std::string(kFourFloats)}});
  const StateDict state = StateDict::read("x.pt", as_bytes(file));
  ASSERT_EQ(state.tensors().size(), 1);
  EXPECT_EQ(bytes_in(state.tensors()[0]), "bbbb");
}

TEST(StateDict, ComesBackAsItWasWritten) {
  constexpr std::array kTypes = {TensorType::kF64, TensorType::kF32, TensorType::kF16, TensorType::kBF16,
                                 TensorType::kI64, TensorType::kI32, TensorType::kI16, TensorType::kI8,
                                 TensorType::kU8,  TensorType::kBool};
  const std::string memory(6 * 8, 'm');
  std::vector<TensorView> tensors;
  for (const TensorType type : kTypes) {
    tensors.push_back({.name = "größe." + std::string(to_string(type)),
                       .type = type,
                       .shape = {2, 1, 3},
                       .bytes = as_bytes(memory).first(6 * checkpoint::size_of(type))});
  }
  tensors.push_back({.name = "", .type = TensorType::kF32, .shape = {}, .bytes = as_bytes("1234")});
  tensors.push_back({.name = "none", .type = TensorType::kF32, .shape = {3, 0}, .bytes = {}});
  MemorySink sink;
  write_state_dict(sink, tensors);
  const StateDict state = StateDict::read("x.pt", as_bytes(sink.content));
  ASSERT_EQ(state.tensors().size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(state.tensors()[i].name, tensors[i].name);
    EXPECT_EQ(state.tensors()[i].type, tensors[i].type);
    EXPECT_EQ(state.tensors()[i].shape, tensors[i].shape);
    EXPECT_EQ(bytes_in(state.tensors()[i]), bytes_in(tensors[i]));
  }
}

TEST(StateDict, IsNotWrittenWithNamesThatPythonCouldNotRead) {
  MemorySink sink;
  const TensorView tensor{.name = "w", .shape = {}, .bytes = as_bytes("x")};
  const TensorView broken{.name = "\xff", .shape = {}, .bytes = as_bytes("x")};
  EXPECT_EQ(refusal_of([&] {
              write_state_dict(sink, {tensor, tensor});
            }),
            "invalid argument: tensor 'w' cannot be written: there are two of that name");
  EXPECT_EQ(refusal_of([&] { write_state_dict(sink, {broken}); }),
            "invalid argument: tensor '\\xff' cannot be written: its name is not UTF-8");
  EXPECT_EQ(sink.content, "");
}

TEST(StateDict, IsFoundUnderAKey) {
  const std::string inner = dict(text("w") + tensor(storage("0", 4), 0, {4}, {1}));
  const std::string file = archive_of(program(dict(text("epoch") + "K\x03" + text("state_dict") + inner +
                                                   text("optimizer") + dict("") + "K\x07" + "N")),
                                      {{"0", std::string(kFourFloats)}});
  EXPECT_EQ(bytes_in(StateDict::read("x.pt", as_bytes(file), "state_dict").tensors().at(0)), kFourFloats);
  EXPECT_EQ(StateDict::read("x.pt", as_bytes(file), "optimizer").tensors().size(), 0);
  EXPECT_EQ(archive_refusal(file),
            "invalid argument: x.pt: expected a tensor under 'epoch', found an integer; if the state_dict is "
            "in there, "
            "say --key with one of 'state_dict', 'optimizer'");
  EXPECT_EQ(
      archive_refusal(file, "model"),
      "invalid argument: x.pt: there is no dict under the key 'model'; there are 'state_dict', 'optimizer'");
  EXPECT_EQ(
      archive_refusal(file, "epoch"),
      "invalid argument: x.pt: there is no dict under the key 'epoch'; there are 'state_dict', 'optimizer'");
  EXPECT_EQ(archive_refusal(archive_of(program(dict(""))), "model"),
            "invalid argument: x.pt: there is no dict under the key 'model'; there is none under any");
}

TEST(StateDict, IsNotSearchedForDeeperThanOneKey) {
  const std::string file =
      archive_of(program(dict(text("optimizer") + dict(text("state") + dict(text("w") + "N")))));
  EXPECT_EQ(archive_refusal(file, "optimizer"),
            "invalid argument: x.pt: expected a tensor under 'state', found a dict");
}

TEST(StateDict, IsADictOfTensors) {
  EXPECT_EQ(archive_refusal(archive_of(program("]"))),
            "unsupported: x.pt: expected a state_dict, found a list");
  EXPECT_EQ(archive_refusal(archive_of(program(dict("K\x01N")))),
            "unsupported: x.pt: expected the names of tensors for keys, found an integer");
  EXPECT_EQ(archive_refusal(archive_of(program(dict(text("w") + "N")))),
            "invalid argument: x.pt: expected a tensor under 'w', found None");
}

TEST(StateDict, RunsNothing) {
  const std::string call = global("os", "system") + "(" + text("touch here") + "tR";
  EXPECT_EQ(
      refusal_with(call),
      "unsupported: x.pt: data.pkl: byte 10: the global os.system is refused: a state_dict of dense tensors "
      "does not need it");
}

TEST(StateDict, HasStoragesThatAreThereAndAsLongAsTheyShouldBe) {
  EXPECT_EQ(refusal_with(tensor(storage("1", 4), 0, {4}, {1})),
            "corrupt data: x.pt: expected an entry 'a/data/1', found none");
  EXPECT_EQ(refusal_with(tensor(storage("../../data.pkl", 4), 0, {4}, {1})),
            "corrupt data: x.pt: expected an entry 'a/data/../../data.pkl', found none");
  EXPECT_EQ(refusal_with(tensor(storage("0", 5), 0, {5}, {1})),
            "corrupt data: x.pt: storage '0': expected 5 elements of F32, found 16 bytes");
  EXPECT_EQ(refusal_with(tensor(storage("0", -4), 0, {4}, {1})),
            "corrupt data: x.pt: storage '0': expected -4 elements of F32, found 16 bytes");
  EXPECT_EQ(refusal_with(tensor(storage("0", 1LL << 62), 0, {4}, {1})),
            "corrupt data: x.pt: storage '0': expected 4611686018427387904 elements of F32, found 16 bytes");
}

TEST(StateDict, HasTensorsThatFitTheirStorages) {
  EXPECT_EQ(refusal_with(tensor(storage("0", 4), 1, {4}, {1})),
            "corrupt data: x.pt: tensor 'w': it reaches beyond its storage of 4 elements: offset 1, sizes "
            "[4], strides "
            "[1]");
  EXPECT_EQ(refusal_with(tensor(storage("0", 4), 0, {-4}, {1})),
            "corrupt data: x.pt: tensor 'w': a number is negative: offset 0, sizes [-4], strides [1]");
}

TEST(StateDict, DoesNotGrowOutOfAllProportion) {
  std::string items = text("0") + tensor(storage("0", 250'000), 0, {250'000}, {1}) + "q\x01";
  for (int i = 1; i < 20; ++i) {
    items += text(std::to_string(i)) + "h\x01";
  }
  EXPECT_EQ(archive_refusal(archive_of(program(dict(items)), {{"0", std::string(1'000'000, 'x')}})),
            "resource exhausted: x.pt: its tensors share storages so often that they take more than 16 times "
            "the bytes "
            "of the file");
}

TEST(StateDict, IsNotReadFromOtherFiles) {
  EXPECT_EQ(archive_refusal("any text"),
            "corrupt data: x.pt: expected an archive of torch.save, a ZIP, found something else");
  EXPECT_EQ(
      archive_refusal(std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02", 17)),
      "unsupported: x.pt: this is the form of torch.save before PyTorch 1.6; load it in Python and "
      "save it again "
      "with torch.save(torch.load(path, weights_only=True), path)");
  EXPECT_EQ(archive_refusal(archive_of(program(dict("")), {}, "big")),
            "unsupported: x.pt: its byte order is 'big', and only 'little' is read");
  MemorySink sink;
  ZipWriter zip(sink);
  zip.add("a/b/data.pkl", as_bytes("N."));
  zip.finish();
  EXPECT_EQ(archive_refusal(sink.content),
            "corrupt data: x.pt: expected an archive of torch.save, found a ZIP without data.pkl");
  MemorySink script;
  ZipWriter script_zip(script);
  script_zip.add("a/data.pkl", as_bytes("N."));
  script_zip.add("a/constants.pkl", as_bytes("N."));
  script_zip.finish();
  EXPECT_EQ(archive_refusal(script.content),
            "unsupported: x.pt: this is a TorchScript archive, which holds a program; save the state_dict "
            "alone with "
            "torch.save(torch.jit.load(path).state_dict(), path)");
}

}  // namespace
}  // namespace lockstep::convert
