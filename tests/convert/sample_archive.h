#pragma once

// Archives of torch.save for tests, sound ones and others, put together from the instructions of a pickle.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/byte_sink.h"
#include "convert/zip_writer.h"
#include "lockstep/error.h"

namespace lockstep::convert {

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

class MemorySink final : public checkpoint::ByteSink {
 public:
  void write(std::span<const std::byte> bytes) override {
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  std::string content;
};

namespace pickled {

inline std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text += static_cast<char>(value >> (8 * i));
  }
  return text;
}

inline std::string text(std::string_view text) {
  return "X" + number(text.size(), 4) + std::string(text);
}

inline std::string integer(std::int64_t value) {
  return "\x8a\x08" + number(static_cast<std::uint64_t>(value), 8);
}

inline std::string global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}

inline std::string tuple(const std::vector<std::int64_t>& numbers) {
  std::string items;
  for (const std::int64_t number : numbers) {
    items += integer(number);
  }
  return "(" + items + "t";
}

inline std::string ordered_dict() {
  return global("collections", "OrderedDict") + ")R";
}

inline std::string storage(std::string_view key, std::int64_t elements,
                           std::string_view name = "FloatStorage") {
  return "(" + text("storage") + global("torch", name) + text(key) + text("cpu") + integer(elements) + "tQ";
}

inline std::string tensor(const std::string& storage, std::int64_t offset,
                          const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides) {
  return global("torch._utils", "_rebuild_tensor_v2") + "(" + storage + integer(offset) + tuple(sizes) +
         tuple(strides) + "\x89" + ordered_dict() + "tR";
}

inline std::string dict(std::string_view items) {
  return "}(" + std::string(items) + "u";
}

inline std::string program(std::string_view body) {
  return "\x80\x02" + std::string(body) + ".";
}

}  // namespace pickled

// An archive with that pickle and the storages, by their keys.
inline std::string archive_of(std::string_view pickle,
                              const std::map<std::string, std::string>& storages = {},
                              std::string_view byte_order = "little") {
  MemorySink sink;
  ZipWriter archive(sink);
  archive.add("a/data.pkl", as_bytes(pickle));
  archive.add("a/byteorder", as_bytes(byte_order));
  for (const auto& [key, content] : storages) {
    archive.add("a/data/" + key, as_bytes(content));
  }
  archive.finish();
  return sink.content;
}

// What it is refused with: "corrupt data: ...".
template <class Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.message();
  }
  ADD_FAILURE() << "it was not refused";
  return "";
}

}  // namespace lockstep::convert
