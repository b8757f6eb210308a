#include "convert/pickle_reader.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "config/printable.h"
#include "convert/pickle_opcode.h"
#include "convert/pickle_stack.h"
#include "convert/pickle_tape.h"
#include "convert/pickled_globals.h"

namespace lockstep::convert {
namespace {

constexpr std::size_t kMostDimensions = 64;  // as in libtorch
constexpr std::size_t kLongestName = 100;    // of a global, in a message

// Executes the instructions of one pickle. They come in groups, each a function that returns false for instructions of
// another group.
class Machine {
 public:
  Machine(std::string_view name, std::span<const std::byte> bytes) : tape_(std::string(name), bytes) {}

  Pickle run() {
    for (Opcode opcode = tape_.next(); opcode != Opcode::kStop; opcode = tape_.next()) {
      if (!run_scalar(opcode) && !run_container(opcode) && !run_memo(opcode) && !run_object(opcode)) {
        throw tape_.refusal(
            fmt::format("the instruction 0x{:02x} is refused: torch.save needs none such for a "
                        "state_dict",
                        static_cast<int>(opcode)));
      }
    }
    return stack_.take();
  }

 private:
  bool run_scalar(Opcode opcode) {
    switch (opcode) {
      case Opcode::kNone:
        stack_.push(PickledNone{});
        return true;
      case Opcode::kNewTrue:
        stack_.push(true);
        return true;
      case Opcode::kNewFalse:
        stack_.push(false);
        return true;
      case Opcode::kBinInt:
        stack_.push(std::int64_t{tape_.number<std::int32_t>()});
        return true;
      case Opcode::kBinInt1:
        stack_.push(std::int64_t{tape_.number<std::uint8_t>()});
        return true;
      case Opcode::kBinInt2:
        stack_.push(std::int64_t{tape_.number<std::uint16_t>()});
        return true;
      case Opcode::kLong1:
        stack_.push(tape_.long_integer());
        return true;
      case Opcode::kBinFloat:
        stack_.push(tape_.big_endian_double());
        return true;
      case Opcode::kBinUnicode:
        stack_.push(PickledText{tape_.text(tape_.number<std::uint32_t>())});
        return true;
      default:
        return false;
    }
  }

  bool run_container(Opcode opcode) {
    switch (opcode) {
      case Opcode::kMark:
        stack_.mark();
        return true;
      case Opcode::kEmptyTuple:
        stack_.push(PickledTuple{});
        return true;
      case Opcode::kTuple1:
        stack_.push(PickledTuple{stack_.pop(1)});
        return true;
      case Opcode::kTuple2:
        stack_.push(PickledTuple{stack_.pop(2)});
        return true;
      case Opcode::kTuple3:
        stack_.push(PickledTuple{stack_.pop(3)});
        return true;
      case Opcode::kTuple:
        stack_.push(PickledTuple{stack_.pop_to_mark()});
        return true;
      case Opcode::kEmptyList:
        stack_.push(PickledList{});
        return true;
      case Opcode::kAppend:
        append(stack_.pop(1));
        return true;
      case Opcode::kAppends:
        append(stack_.pop_to_mark());
        return true;
      case Opcode::kEmptyDict:
        stack_.push(PickledDict{});
        return true;
      case Opcode::kSetItem:
        set_items(stack_.pop(2));
        return true;
      case Opcode::kSetItems:
        set_items(stack_.pop_to_mark());
        return true;
      default:
        return false;
    }
  }

  bool run_memo(Opcode opcode) {
    switch (opcode) {
      case Opcode::kBinPut:
        stack_.remember(tape_.number<std::uint8_t>());
        return true;
      case Opcode::kLongBinPut:
        stack_.remember(tape_.number<std::uint32_t>());
        return true;
      case Opcode::kBinGet:
        stack_.recall(tape_.number<std::uint8_t>());
        return true;
      case Opcode::kLongBinGet:
        stack_.recall(tape_.number<std::uint32_t>());
        return true;
      default:
        return false;
    }
  }

  bool run_object(Opcode opcode) {
    switch (opcode) {
      case Opcode::kProto:
        require_protocol(tape_.number<std::uint8_t>());
        return true;
      case Opcode::kGlobal:
        name_global();
        return true;
      case Opcode::kReduce:
        reduce();
        return true;
      case Opcode::kBuild:
        build();
        return true;
      case Opcode::kBinPersId:
        refer_to_storage();
        return true;
      default:
        return false;
    }
  }

  void append(const std::vector<ValueId>& items) {
    auto& list = stack_.get<PickledList>(stack_.top(), "a list to append to").items;
    list.insert(list.end(), items.begin(), items.end());
  }

  void set_items(const std::vector<ValueId>& items) {
    auto& dict = stack_.get<PickledDict>(stack_.top(), "a dict to add to").items;
    if (items.size() % 2 != 0) {
      throw tape_.corrupt("expected a value for every key, found a key without");
    }
    for (std::size_t i = 0; i < items.size(); i += 2) {
      dict.emplace_back(items[i], items[i + 1]);
    }
  }

  void require_protocol(std::uint8_t protocol) const {
    if (protocol != kPickleProtocol) {
      throw tape_.refusal(fmt::format("protocol {} is refused: torch.save writes {} unless told otherwise",
                                      protocol, kPickleProtocol));
    }
  }

  void name_global() {
    const std::string_view module = tape_.line();
    const std::string_view name = tape_.line();
    auto value = find_global(module, name);
    if (!value) {
      throw tape_.refusal(
          fmt::format("the global {}.{} is refused: a state_dict of dense tensors does not need it",
                      config::printable(module.substr(0, kLongestName)),
                      config::printable(name.substr(0, kLongestName))));
    }
    stack_.push(std::move(*value));
  }

  // The result that the call of a function would have.
  void reduce() {
    const std::vector<ValueId> arguments =
        stack_.get<PickledTuple>(stack_.pop(), "a tuple of arguments").items;
    switch (stack_.get<Callable>(stack_.pop(), "a function to call")) {
      case Callable::kOrderedDict:
        require_arguments("OrderedDict", arguments.size(), 0, 0);
        stack_.push(PickledDict{});
        return;
      case Callable::kRebuildTensor:
        require_arguments("_rebuild_tensor_v2", arguments.size(), 6, 7);
        stack_.push(PickledTensor{
            .storage = stack_.get<PickledStorage>(arguments[0], "the storage of a tensor"),
            .offset = stack_.get<std::int64_t>(arguments[1], "the offset of a tensor, an integer"),
            .sizes = integers(arguments[2], "the sizes of a tensor, integers in a tuple"),
            .strides = integers(arguments[3], "the strides of a tensor, integers in a tuple")});
        return;
      case Callable::kRebuildParameter:
        require_arguments("_rebuild_parameter", arguments.size(), 3, 3);
        stack_.get<PickledTensor>(arguments[0], "the tensor of a parameter");
        stack_.push_again(arguments[0]);
        return;
    }
  }

  void require_arguments(std::string_view function, std::size_t count, std::size_t fewest,
                         std::size_t most) const {
    if (count < fewest || count > most) {
      throw tape_.refusal(fmt::format("{} with {} arguments is refused", function, count));
    }
  }

  // Many tensors may refer to one tuple, so its copies must stay small.
  std::vector<std::int64_t> integers(ValueId id, std::string_view what) {
    const std::vector<ValueId>& items = stack_.get<PickledTuple>(id, what).items;
    if (items.size() > kMostDimensions) {
      throw tape_.refusal(
          fmt::format("a tensor of {} dimensions is refused: {} is the most", items.size(), kMostDimensions));
    }
    std::vector<std::int64_t> numbers;
    numbers.reserve(items.size());
    for (const ValueId item : items) {
      numbers.push_back(stack_.get<std::int64_t>(item, what));
    }
    return numbers;
  }

  // Attributes of a module's state_dict besides its items: versions of its parts, which are not needed here.
  void build() {
    stack_.pop();
    stack_.get<PickledDict>(stack_.top(), "an OrderedDict to give attributes to");
  }

  // ('storage', class, key, device, number of elements)
  void refer_to_storage() {
    const std::vector<ValueId> items =
        stack_.get<PickledTuple>(stack_.pop(), "a tuple that refers to a storage").items;
    constexpr std::size_t kItems = 5;
    if (items.size() != kItems || stack_.get<PickledText>(items[0], "the text 'storage'").text != "storage") {
      throw tape_.refusal("a reference to what is no storage is refused");
    }
    stack_.push(
        PickledStorage{.type = stack_.get<StorageClass>(items[1], "the class of a storage").type,
                       .key = stack_.get<PickledText>(items[2], "the key of a storage, a text").text,
                       .elements = stack_.get<std::int64_t>(items[4], "the size of a storage, an integer")});
  }

  PickleTape tape_;
  PickleStack stack_{tape_};
};

}  // namespace

Pickle read_pickle(std::string_view name, std::span<const std::byte> bytes) {
  return Machine(name, bytes).run();
}

}  // namespace lockstep::convert
