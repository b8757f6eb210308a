#include "convert/state_dict_writer.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "config/printable.h"
#include "convert/pickle_opcode.h"
#include "convert/pickled_globals.h"
#include "convert/zip_writer.h"
#include "lockstep/error.h"

namespace lockstep::convert {
namespace {

using checkpoint::TensorView;

// Builds the pickle of a dict of tensors. It uses no memo: repeated values are written again.
class PickleText {
 public:
  PickleText& op(Opcode opcode) {
    text_ += static_cast<char>(opcode);
    return *this;
  }

  PickleText& global(std::string_view module, std::string_view name) {
    op(Opcode::kGlobal);
    text_ += fmt::format("{}\n{}\n", module, name);
    return *this;
  }

  PickleText& text(std::string_view text) {
    op(Opcode::kBinUnicode);
    append(text.size(), sizeof(std::uint32_t));
    text_ += text;
    return *this;
  }

  PickleText& integer(std::uint64_t number) {
    if (number <= std::numeric_limits<std::uint8_t>::max()) {
      return op(Opcode::kBinInt1).append(number, sizeof(std::uint8_t));
    }
    if (number <= std::numeric_limits<std::int32_t>::max()) {
      return op(Opcode::kBinInt).append(number, sizeof(std::int32_t));
    }
    // A ninth byte would only be needed beyond 63 bits, which no size reaches.
    return op(Opcode::kLong1).append(sizeof(number), 1).append(number, sizeof(number));
  }

  PickleText& tuple(const std::vector<std::uint64_t>& numbers) {
    op(Opcode::kMark);
    for (const std::uint64_t number : numbers) {
      integer(number);
    }
    return op(Opcode::kTuple);
  }

  PickleText& protocol() { return op(Opcode::kProto).append(kPickleProtocol, 1); }

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(text_)); }

 private:
  PickleText& append(std::uint64_t number, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      text_ += static_cast<char>(number >> (8 * i));
    }
    return *this;
  }

  std::string text_;
};

std::vector<std::uint64_t> strides_of(const std::vector<std::uint64_t>& shape) {
  std::vector<std::uint64_t> strides(shape.size());
  std::uint64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<std::uint64_t>(shape[i], 1);
  }
  return strides;
}

// _rebuild_tensor_v2(storage, 0, shape, strides, False, OrderedDict()), under its name.
void add_tensor(PickleText& pickle, const TensorView& tensor, const std::string& key) {
  const std::uint64_t elements = tensor.bytes.size() / checkpoint::size_of(tensor.type);
  pickle.text(tensor.name).global("torch._utils", "_rebuild_tensor_v2").op(Opcode::kMark);
  pickle.op(Opcode::kMark).text("storage").global(kTorchModule, storage_class_name(tensor.type));
  pickle.text(key).text("cpu").integer(elements).op(Opcode::kTuple).op(Opcode::kBinPersId);
  pickle.integer(0).tuple(tensor.shape).tuple(strides_of(tensor.shape)).op(Opcode::kNewFalse);
  pickle.global("collections", "OrderedDict").op(Opcode::kEmptyTuple).op(Opcode::kReduce);
  pickle.op(Opcode::kTuple).op(Opcode::kReduce);
}

void require_writable(const std::vector<TensorView>& tensors) {
  std::set<std::string_view> names;
  for (const TensorView& tensor : tensors) {
    const auto refuse = [&tensor](std::string_view reason) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("tensor {} cannot be written: {}", config::in_quotes(tensor.name), reason));
    };
    if (!config::is_utf8(tensor.name)) {
      throw refuse("its name is not UTF-8");
    }
    if (!names.insert(tensor.name).second) {
      throw refuse("there are two of that name");
    }
  }
}

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

void write_state_dict(checkpoint::ByteSink& sink, const std::vector<TensorView>& tensors) {
  require_writable(tensors);
  PickleText pickle;
  pickle.protocol().op(Opcode::kEmptyDict).op(Opcode::kMark);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    add_tensor(pickle, tensors[i], std::to_string(i));
  }
  pickle.op(Opcode::kSetItems).op(Opcode::kStop);
  ZipWriter archive(sink);
  archive.add("archive/data.pkl", pickle.bytes());
  archive.add("archive/byteorder", as_bytes("little"));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    archive.add(fmt::format("archive/data/{}", i), tensors[i].bytes);
  }
  archive.add("archive/version", as_bytes("3\n"));
  archive.finish();
}

}  // namespace lockstep::convert
