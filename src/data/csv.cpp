#include "data/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "config/near_miss.h"
#include "config/number_text.h"
#include "config/printable.h"
#include "data/csv_parser.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// Builds the numbers of the table from records.
class TableBuilder {
 public:
  TableBuilder(std::string name, const CsvOptions& options) : name_(std::move(name)), options_(options) {
    table_.values.type = ElementType::kF64;
  }

  void add(const CsvParser::Record& record) {
    if (empty_line_) {
      throw Error(ErrorCode::kCorrupt, fmt::format("{}: line {}: expected {} fields, found an empty line",
                                                   name_, *empty_line_, std::max<std::size_t>(width_, 1)));
    }
    // An empty line after the last record is ignored; between records it is an error.
    if (record.size() == 1 && record[0].text.empty()) {
      empty_line_ = record[0].line;
    } else if (width_ == 0) {
      begin(record);
    } else {
      add_row(record);
    }
  }

  CsvTable finish() {
    if (width_ == 0 && options_.header) {
      throw Error(ErrorCode::kCorrupt,
                  fmt::format("{}: expected a line with the names of the columns, found an "
                              "empty file",
                              name_));
    }
    table_.values.shape = {rows_, kept_.size()};
    return std::move(table_);
  }

 private:
  void begin(const CsvParser::Record& first) {
    width_ = first.size();
    kept_.resize(width_);
    std::iota(kept_.begin(), kept_.end(), std::size_t{0});
    if (!options_.header) {
      add_row(first);
      return;
    }
    for (const CsvField& field : first) {
      names_.emplace_back(trimmed(field.text));
    }
    choose_columns();
    for (const std::size_t column : kept_) {
      table_.names.push_back(names_[column]);
    }
  }

  void choose_columns() {
    if (options_.columns.empty()) {
      return;
    }
    kept_.clear();
    for (const std::string& wanted : options_.columns) {
      const auto found = std::find(names_.begin(), names_.end(), wanted);
      if (found == names_.end()) {
        throw Error(ErrorCode::kNotFound,
                    fmt::format("{}: there is no column {}{}", name_, config::in_quotes(wanted),
                                config::suggestion(config::nearest_name(wanted, names_))));
      }
      kept_.push_back(static_cast<std::size_t>(found - names_.begin()));
    }
  }

  void add_row(const CsvParser::Record& record) {
    if (record.size() != width_) {
      throw Error(ErrorCode::kCorrupt, fmt::format("{}: line {}: expected {} fields, found {}", name_,
                                                   record[0].line, width_, record.size()));
    }
    std::vector<std::byte>& bytes = table_.values.bytes;
    for (const std::size_t column : kept_) {
      const double number = number_in(record[column], column);
      const auto* begin = reinterpret_cast<const std::byte*>(&number);
      bytes.insert(bytes.end(), begin, begin + sizeof(number));
    }
    ++rows_;
  }

  double number_in(const CsvField& field, std::size_t column) const {
    const auto number = config::read_float<double>(trimmed(field.text));
    if (const auto* value = std::get_if<double>(&number)) {
      return *value;
    }
    const bool beyond = std::get<config::FloatMistake>(number) == config::FloatMistake::kOutOfRange;
    throw Error(
        ErrorCode::kCorrupt,
        fmt::format("{}: line {}, column {}{}: expected a number{}, found {}", name_, field.line, column + 1,
                    names_.empty() ? "" : fmt::format(" ({})", config::in_quotes(names_[column])),
                    beyond ? " that fits in 64 bits" : "", config::in_quotes(field.text)));
  }

  std::string name_;
  const CsvOptions& options_;
  std::size_t width_ = 0;  // fields per record; 0 before the first
  std::vector<std::string> names_;
  std::vector<std::size_t> kept_;  // columns, in the order of the table
  std::uint64_t rows_ = 0;
  std::optional<std::uint64_t> empty_line_;
  CsvTable table_;
};

void require_possible(const CsvOptions& options) {
  if (std::string_view("\"\r\n").find(options.delimiter) != std::string_view::npos) {
    throw Error(ErrorCode::kInvalidArgument, "a quote or line break cannot be the delimiter of a CSV file");
  }
  if (!options.header && !options.columns.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "columns are chosen by name, which a CSV file without header has not");
  }
}

}  // namespace

CsvTable read_csv(ByteStream& stream, const std::string& name, const CsvOptions& options) {
  require_possible(options);
  TableBuilder table(name, options);
  CsvParser parser(name, options.delimiter, [&table](const CsvParser::Record& record) { table.add(record); });
  std::string piece(kPieceBytes, '\0');
  for (bool first = true;; first = false) {
    const std::size_t count = stream.read(std::as_writable_bytes(std::span(piece)));
    std::string_view text(piece.data(), count);
    if (first && text.starts_with(kByteOrderMark)) {
      text.remove_prefix(kByteOrderMark.size());
    }
    parser.feed(text);
    if (count < piece.size()) {
      break;
    }
  }
  parser.finish();
  return table.finish();
}

CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& options) {
  auto source = open_file(path);
  const std::string name = source->name();
  return read_csv(*open_stream(std::move(source)), name, options);
}

}  // namespace lockstep
