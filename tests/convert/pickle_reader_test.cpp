#include "convert/pickle_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convert/sample_archive.h"

namespace lockstep::convert {
namespace {

using namespace pickled;
using testing::ElementsAre;

std::string pickle_refusal(const std::string& pickle) {
  return refusal_of([&] { read_pickle("data.pkl", as_bytes(pickle)); });
}

template <class T>
T value_of(const std::string& pickle) {
  const Pickle read = read_pickle("data.pkl", as_bytes(pickle));
  return std::get<T>(read.at(read.root));
}

TEST(PickleReader, ReadsNumbers) {
  EXPECT_EQ(value_of<std::int64_t>(program("K\xff")), 255);
  EXPECT_EQ(value_of<std::int64_t>(program("M\xff\xff")), 65'535);
  EXPECT_EQ(value_of<std::int64_t>(program("J\xff\xff\xff\xff")), -1);
  EXPECT_EQ(value_of<std::int64_t>(program(std::string("\x8a\x00", 2))), 0);
  EXPECT_EQ(value_of<std::int64_t>(program("\x8a\x01\xfe")), -2);
  EXPECT_EQ(value_of<std::int64_t>(program(integer(1LL << 62))), 1LL << 62);
  EXPECT_EQ(value_of<double>(program(std::string("G\x3f\xf8\0\0\0\0\0\0", 9))), 1.5);
  EXPECT_EQ(value_of<bool>(program("\x88")), true);
  EXPECT_EQ(value_of<bool>(program("\x89")), false);
}

TEST(PickleReader, ReadsATensorAndTheContainersAroundIt) {
  const std::string bytes =
      program(ordered_dict() + "(" + text("w") + tensor(storage("7", 12, "HalfStorage"), 2, {2, 3}, {3, 1}) +
              "u" + dict(text("_metadata") + "]" + "(K\x01" + "Ne" + "Na") + "b");
  const Pickle pickle = read_pickle("data.pkl", as_bytes(bytes));
  const auto& items = std::get<PickledDict>(pickle.at(pickle.root)).items;
  ASSERT_EQ(items.size(), 1);
  EXPECT_EQ(std::get<PickledText>(pickle.at(items[0].first)).text, "w");
  const auto& found = std::get<PickledTensor>(pickle.at(items[0].second));
  EXPECT_EQ(found.storage.key, "7");
  EXPECT_EQ(found.storage.type, checkpoint::TensorType::kF16);
  EXPECT_EQ(found.storage.elements, 12);
  EXPECT_EQ(found.offset, 2);
  EXPECT_THAT(found.sizes, ElementsAre(2, 3));
  EXPECT_THAT(found.strides, ElementsAre(3, 1));
}

TEST(PickleReader, TakesAParameterForItsTensor) {
  const std::string parameter = global("torch._utils", "_rebuild_parameter") + "(" +
                                tensor(storage("0", 1), 0, {}, {}) + "\x88" + ordered_dict() + "tR";
  EXPECT_EQ(value_of<PickledTensor>(program(parameter)).storage.key, "0");
}

TEST(PickleReader, RemembersValues) {
  const Pickle pickle = read_pickle(
      "data.pkl", as_bytes(program(text("x") + "q\x05" + "h\x05" + "h\x05" + std::string("r\0\1\0\0", 5) +
                                   std::string("j\0\1\0\0", 5) + "\x87")));
  const auto& items = std::get<PickledTuple>(pickle.at(pickle.root)).items;
  EXPECT_THAT(items, ElementsAre(items[0], items[0], items[0]));
}

TEST(PickleReader, RefusesEveryOtherGlobalByItsName) {
  const auto refused = [](std::string_view module, std::string_view name) {
    return pickle_refusal(program(global(module, name) + "(" + text("true") + "tR"));
  };
  const std::string end = " is refused: a state_dict of dense tensors does not need it";
  EXPECT_EQ(refused("os", "system"), "unsupported: data.pkl: byte 2: the global os.system" + end);
  EXPECT_EQ(refused("builtins", "eval"), "unsupported: data.pkl: byte 2: the global builtins.eval" + end);
  EXPECT_EQ(refused("torch", "ComplexFloatStorage"),
            "unsupported: data.pkl: byte 2: the global torch.ComplexFloatStorage" + end);
  EXPECT_EQ(refused("torch._utils", "_rebuild_sparse_tensor"),
            "unsupported: data.pkl: byte 2: the global torch._utils._rebuild_sparse_tensor" + end);
  EXPECT_EQ(refused("collections\x1b", "OrderedDict"),
            "unsupported: data.pkl: byte 2: the global collections\\x1b.OrderedDict" + end);
  EXPECT_EQ(refused("", std::string(500, 'x')),
            "unsupported: data.pkl: byte 2: the global ." + std::string(100, 'x') + end);
}

TEST(PickleReader, RefusesInstructionsThatNoStateDictNeeds) {
  const auto refused = [](std::string_view instruction) {
    return pickle_refusal(program(std::string("N") + std::string(instruction)));
  };
  const std::string end = " is refused: torch.save needs none such for a state_dict";
  EXPECT_EQ(refused("ios\nsystem\n"), "unsupported: data.pkl: byte 3: the instruction 0x69" + end);  // INST
  EXPECT_EQ(refused("\x81"), "unsupported: data.pkl: byte 3: the instruction 0x81" + end);           // NEWOBJ
  EXPECT_EQ(refused("\x93"), "unsupported: data.pkl: byte 3: the instruction 0x93" + end);  // STACK_GLOBAL
  EXPECT_EQ(refused("\x82\x01"), "unsupported: data.pkl: byte 3: the instruction 0x82" + end);  // EXT1
  EXPECT_EQ(refused("o"), "unsupported: data.pkl: byte 3: the instruction 0x6f" + end);         // OBJ
  EXPECT_EQ(
      pickle_refusal("\x80\x04N."),
      "unsupported: data.pkl: byte 0: protocol 4 is refused: torch.save writes 2 unless told otherwise");
}

TEST(PickleReader, CallsNothingWithOtherArguments) {
  EXPECT_EQ(pickle_refusal(program(global("collections", "OrderedDict") + "]\x85R")),
            "unsupported: data.pkl: byte 29: OrderedDict with 1 arguments is refused");
  EXPECT_EQ(pickle_refusal(program(global("torch._utils", "_rebuild_tensor_v2") + ")R")),
            "unsupported: data.pkl: byte 36: _rebuild_tensor_v2 with 0 arguments is refused");
  EXPECT_EQ(pickle_refusal(program("NN\x85R")),
            "corrupt data: data.pkl: byte 5: expected a function to call, found None");
  EXPECT_EQ(pickle_refusal(program(global("torch", "FloatStorage") + ")R")),
            "corrupt data: data.pkl: byte 23: expected a function to call, found a class");
  EXPECT_EQ(pickle_refusal(program("NNR")),
            "corrupt data: data.pkl: byte 4: expected a tuple of arguments, found None");
  EXPECT_EQ(pickle_refusal(program(text("x") + "N" + "b")),
            "corrupt data: data.pkl: byte 9: expected an OrderedDict to give attributes to, found a text");
}

TEST(PickleReader, RefusesReferencesToWhatIsNoStorage) {
  EXPECT_EQ(pickle_refusal(program(text("module") + "\x85Q")),
            "unsupported: data.pkl: byte 14: a reference to what is no storage is refused");
  EXPECT_EQ(pickle_refusal(program(text("storage") + "Q")),
            "corrupt data: data.pkl: byte 14: expected a tuple that refers to a storage, found a text");
  EXPECT_EQ(pickle_refusal(program("(" + text("storage") + "NNNNtQ")),
            "corrupt data: data.pkl: byte 20: expected the class of a storage, found None");
}

TEST(PickleReader, RefusesTensorsOfOtherThings) {
  EXPECT_THAT(pickle_refusal(program(tensor("N", 0, {}, {}))),
              testing::HasSubstr("expected the storage of a tensor, found None"));
  const std::string many = tensor(storage("0", 1), 0, std::vector<std::int64_t>(65, 1), {});
  EXPECT_THAT(pickle_refusal(program(many)),
              testing::HasSubstr("a tensor of 65 dimensions is refused: 64 is the most"));
}

TEST(PickleReader, NeedsWhatItsInstructionsTake) {
  EXPECT_EQ(pickle_refusal(""), "corrupt data: data.pkl: byte 0: expected 1 more bytes, found 0 and the end");
  EXPECT_EQ(pickle_refusal("\x80\x02."),
            "corrupt data: data.pkl: byte 2: expected a value on the stack, found none");
  EXPECT_EQ(pickle_refusal(program("X\xff\xff\xff\x7f")),
            "corrupt data: data.pkl: byte 2: expected 2147483647 more bytes, found 1 and the end");
  EXPECT_EQ(pickle_refusal(program("cos")),
            "corrupt data: data.pkl: byte 2: expected the end of a line, found the end of the pickle");
  EXPECT_EQ(
      pickle_refusal(program("\x8a\x09")),
      "unsupported: data.pkl: byte 2: an integer of 9 bytes is refused: no size of a tensor has more than 8");
  EXPECT_EQ(pickle_refusal(program("h\x01")),
            "corrupt data: data.pkl: byte 2: expected a value that was remembered as 1, found none");
  EXPECT_EQ(pickle_refusal(program("q\x01")),
            "corrupt data: data.pkl: byte 2: expected a value on the stack, found none");
  EXPECT_EQ(pickle_refusal(program("t")),
            "corrupt data: data.pkl: byte 2: expected a mark on the stack, found none");
  EXPECT_EQ(pickle_refusal(program("N(\x85")),
            "corrupt data: data.pkl: byte 4: expected 1 values on the stack, found 0");
  EXPECT_EQ(pickle_refusal(program("}(Nu")),
            "corrupt data: data.pkl: byte 5: expected a value for every key, found a key without");
  EXPECT_EQ(pickle_refusal(program("]NNs")),
            "corrupt data: data.pkl: byte 5: expected a dict to add to, found a list");
  EXPECT_EQ(pickle_refusal(program("}Na")),
            "corrupt data: data.pkl: byte 4: expected a list to append to, found a dict");
}

TEST(PickleReader, BoundsDepthAndMemory) {
  EXPECT_EQ(pickle_refusal(program(std::string(5000, '('))),
            "resource exhausted: data.pkl: byte 1002: it is nested deeper than 1000 levels");
  EXPECT_EQ(pickle_refusal(program(std::string(2'000'010, 'N'))),
            "resource exhausted: data.pkl: byte 2000002: it has more than 2000000 values");
  // Nested without a mark, and within itself: of no consequence.
  EXPECT_EQ(value_of<PickledTuple>(program("N" + std::string(1'000'000, '\x85'))).items.size(), 1);
  EXPECT_EQ(value_of<PickledList>(program("]q\x01h\x01"
                                          "a"))
                .items.size(),
            1);
}

}  // namespace
}  // namespace lockstep::convert
