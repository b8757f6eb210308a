#pragma once

// Splits the text of a CSV file into records of fields, as in RFC 4180: a quoted field may contain delimiters, line
// breaks and doubled quotes; records end in LF or CRLF, the last one optionally in nothing. The text may arrive in
// pieces of any size. The caller interprets the fields.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct CsvField {
  std::string text = {};
  std::uint64_t line = 1;  // where it begins, counted from 1
};

class CsvParser {
 public:
  using Record = std::vector<CsvField>;

  // Passes each record to `on_record`; `name` is for messages.
  CsvParser(std::string name, char delimiter, std::function<void(const Record&)> on_record);

  // Throws Error{kCorrupt} with line and column when quotes are malformed, or a field or record is excessively long.
  void feed(std::string_view text);
  // There is no more text.
  void finish();

 private:
  enum class Place {
    kFieldStart,
    kPlain,
    kQuoted,
    kQuoteInQuoted,  // ends the field, or is the first of two
    kCarriageReturn,
  };

  void feed(char c);
  void feed_plain(char c);
  void feed_quoted(char c);
  void feed_after_quote(char c);
  void append(char c);
  void end_field();
  void end_record();
  [[noreturn]] void fail(std::string_view message) const;

  std::string name_;
  char delimiter_;
  std::function<void(const Record&)> on_record_;
  Place place_ = Place::kFieldStart;
  Record record_;
  CsvField field_;
  std::uint64_t line_ = 1;
};

}  // namespace lockstep
