#pragma once

// Cuts the text of a CSV file into records of fields, as RFC 4180 writes them: a field in quotes may hold delimiters,
// line breaks and doubled quotes; records end in LF or CRLF, the last one perhaps in nothing. The text may come in
// pieces of any size. What the fields mean is left to the caller.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct CsvField {
  std::string text = {};
  std::uint64_t line = 1;  // where it begins, from 1 on
};

class CsvParser {
 public:
  using Record = std::vector<CsvField>;

  // Gives each record to `on_record`; `name` is for messages.
  CsvParser(std::string name, char delimiter, std::function<void(const Record&)> on_record);

  // Throws Error{kCorrupt} with line and column when quotes are wrong, or a field or record is beyond all measure.
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
