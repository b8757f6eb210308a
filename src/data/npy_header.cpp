#include "data/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "config/printable.h"

namespace lockstep {
namespace {

constexpr std::size_t kMostDimensions = 64;  // as in NumPy

struct NamedType {
  std::string_view name;
  ElementType type;
};

constexpr std::array kTypes = {
    NamedType{"b1", ElementType::kBool}, NamedType{"i1", ElementType::kI8},
    NamedType{"i2", ElementType::kI16},  NamedType{"i4", ElementType::kI32},
    NamedType{"i8", ElementType::kI64},  NamedType{"u1", ElementType::kU8},
    NamedType{"u2", ElementType::kU16},  NamedType{"u4", ElementType::kU32},
    NamedType{"u8", ElementType::kU64},  NamedType{"f2", ElementType::kF16},
    NamedType{"f4", ElementType::kF32},  NamedType{"f8", ElementType::kF64},
};

// Parses only the Python that NumPy writes, with optional spaces and the keys in any order.
class HeaderParser {
 public:
  HeaderParser(const ByteStream& stream, std::uint64_t offset, std::string_view text)
      : stream_(stream), offset_(offset), text_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!take('}')) {
      read_entry();
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) {
      throw expected("the end of the header");
    }
    if (!type_ || !fortran_order_ || !shape_) {
      throw stream_.corrupt(offset_,
                            "expected the keys 'descr', 'fortran_order' and 'shape', found not all of them");
    }
    return {.type = *type_, .fortran_order = *fortran_order_, .shape = std::move(*shape_)};
  }

 private:
  void read_entry() {
    skip_space();
    const std::size_t begin = at_;
    const std::string_view key = read_string();
    expect(':');
    skip_space();
    if (key == "descr" && !type_) {
      type_ = read_type();
    } else if (key == "fortran_order" && !fortran_order_) {
      fortran_order_ = read_boolean();
    } else if (key == "shape" && !shape_) {
      shape_ = read_shape();
    } else {
      at_ = begin;
      throw expected("one of the keys 'descr', 'fortran_order' and 'shape', each once");
    }
  }

  ElementType read_type() {
    const std::size_t begin = at_;
    if (peek() == '[') {
      throw stream_.unsupported(offset_ + at_, "an array of records; only numbers and booleans are read");
    }
    const std::string_view descr = read_string();
    const auto known = std::find_if(kTypes.begin(), kTypes.end(), [descr](const NamedType& type) {
      return !descr.empty() && descr.substr(1) == type.name;
    });
    const bool big_endian = descr.starts_with('>');
    if (known == kTypes.end() || (!big_endian && descr.find_first_of("<|=") != 0)) {
      throw stream_.unsupported(offset_ + begin,
                                fmt::format("elements of type {}; b1, i1 to i8, u1 to u8 and f2 to "
                                            "f8 are read",
                                            config::in_quotes(descr)));
    }
    if (big_endian && size_of(known->type) > 1) {
      throw stream_.unsupported(offset_ + begin,
                                fmt::format("big-endian elements, type {}; save it with astype('<{}')",
                                            config::in_quotes(descr), known->name));
    }
    return known->type;
  }

  bool read_boolean() {
    for (const auto& [word, value] : {std::pair<std::string_view, bool>("True", true), {"False", false}}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    throw expected("True or False");
  }

  std::vector<std::uint64_t> read_shape() {
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!take(')')) {
      if (shape.size() == kMostDimensions) {
        throw expected(fmt::format("at most {} dimensions", kMostDimensions));
      }
      shape.push_back(read_length());
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::uint64_t read_length() {
    skip_space();
    std::uint64_t length = 0;
    const char* end = text_.data() + text_.size();
    const auto [stop, problem] = std::from_chars(text_.data() + at_, end, length);
    if (problem != std::errc{}) {
      throw expected("a length of at most 64 bits");
    }
    at_ = static_cast<std::size_t>(stop - text_.data());
    if (peek() == 'L') {  // a long of Python 2
      ++at_;
    }
    return length;
  }

  std::string_view read_string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') {
      throw expected("a text in quotes");
    }
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) {
      throw expected("a text that ends");
    }
    const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return content;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool take(char wanted) {
    skip_space();
    if (peek() != wanted) {
      return false;
    }
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) {
      throw expected(fmt::format("'{}'", wanted));
    }
  }

  Error expected(std::string_view what) const {
    const std::string_view found = text_.substr(at_, 20);
    return stream_.corrupt(offset_ + at_,
                           fmt::format("expected {}, found {}", what,
                                       found.empty() ? "the end of the header" : config::in_quotes(found)));
  }

  const ByteStream& stream_;
  std::uint64_t offset_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<ElementType> type_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::uint64_t>> shape_;
};

}  // namespace

NpyHeader parse_npy_header(const ByteStream& stream, std::uint64_t offset, std::string_view text) {
  return HeaderParser(stream, offset, text).parse();
}

}  // namespace lockstep
