#include "data/csv_parser.h"

#include <fmt/format.h>

#include <utility>

#include "lockstep/error.h"

namespace lockstep {
namespace {

// An unclosed quote would otherwise swallow the rest of the file.
constexpr std::size_t kLongestField = std::size_t{1} << 20;
constexpr std::size_t kMostFields = std::size_t{1} << 20;

}  // namespace

CsvParser::CsvParser(std::string name, char delimiter, std::function<void(const Record&)> on_record)
    : name_(std::move(name)), delimiter_(delimiter), on_record_(std::move(on_record)) {}

void CsvParser::feed(std::string_view text) {
  for (const char c : text) {
    feed(c);
    line_ += c == '\n' ? 1 : 0;
  }
}

void CsvParser::finish() {
  if (place_ == Place::kQuoted) {
    fail("expected a closing quote, found the end");
  }
  if (place_ == Place::kCarriageReturn) {
    fail("expected a line feed after the carriage return, found the end");
  }
  if (!record_.empty() || place_ != Place::kFieldStart) {
    end_record();
  }
}

void CsvParser::feed(char c) {
  switch (place_) {
    case Place::kFieldStart:
      field_ = {.text = {}, .line = line_};
      if (c == '"') {
        place_ = Place::kQuoted;
      } else {
        feed_plain(c);
      }
      break;
    case Place::kPlain:
      feed_plain(c);
      break;
    case Place::kQuoted:
      feed_quoted(c);
      break;
    case Place::kQuoteInQuoted:
      feed_after_quote(c);
      break;
    case Place::kCarriageReturn:
      if (c != '\n') {
        fail("expected a line feed after the carriage return");
      }
      end_record();
      break;
  }
}

void CsvParser::feed_plain(char c) {
  if (c == delimiter_) {
    end_field();
  } else if (c == '\n') {
    end_record();
  } else if (c == '\r') {
    place_ = Place::kCarriageReturn;
  } else if (c == '"') {
    fail("expected quotes around the whole field, found one inside");
  } else {
    place_ = Place::kPlain;
    append(c);
  }
}

void CsvParser::feed_quoted(char c) {
  if (c == '"') {
    place_ = Place::kQuoteInQuoted;
  } else {
    append(c);
  }
}

void CsvParser::feed_after_quote(char c) {
  if (c == '"') {
    place_ = Place::kQuoted;
    append(c);
  } else if (c == delimiter_) {
    end_field();
  } else if (c == '\n') {
    end_record();
  } else if (c == '\r') {
    place_ = Place::kCarriageReturn;
  } else {
    fail("expected a delimiter or the end of the line after the closing quote");
  }
}

void CsvParser::append(char c) {
  if (field_.text.size() == kLongestField) {
    fail(fmt::format("expected a field of at most {} bytes; is a quote not closed?", kLongestField));
  }
  field_.text += c;
}

void CsvParser::end_field() {
  if (record_.size() == kMostFields) {
    fail(fmt::format("expected at most {} fields", kMostFields));
  }
  record_.push_back(std::exchange(field_, {.text = {}, .line = line_}));
  place_ = Place::kFieldStart;
}

void CsvParser::end_record() {
  end_field();
  on_record_(record_);
  record_.clear();
}

void CsvParser::fail(std::string_view message) const {
  throw Error(ErrorCode::kCorrupt,
              fmt::format("{}: line {}, column {}: {}", name_, field_.line, record_.size() + 1, message));
}

}  // namespace lockstep
