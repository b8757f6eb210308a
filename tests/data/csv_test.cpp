#include "data/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/temp_dir.h"
#include "data/data_bytes.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CsvTable table_of(const std::string& text, const CsvOptions& options = {}) {
  return read_csv(*stream_of(text), "x.csv", options);
}

CsvTable read_plain(const std::string& text) {
  return table_of(text, {.header = false});
}

TEST(Csv, ReadsAFileWithAHeader) {
  const TempDir folder;
  const CsvTable table = read_csv(folder.write("x.csv", "rooms,price\r\n3,1.5e5\r\n4,2e5\r\n"));
  EXPECT_THAT(table.names, ElementsAre("rooms", "price"));
  EXPECT_EQ(table.values.type, ElementType::kF64);
  EXPECT_THAT(table.values.shape, ElementsAre(2, 2));
  EXPECT_THAT(table.values.values<double>(), ElementsAre(3, 150000, 4, 200000));
}

TEST(Csv, ReadsAFileWithoutOne) {
  const CsvTable table = read_plain("1,2\n3,4");
  EXPECT_THAT(table.names, IsEmpty());
  EXPECT_THAT(table.values.values<double>(), ElementsAre(1, 2, 3, 4));
}

TEST(Csv, ReadsNumbersAsPeopleWriteThem) {
  const CsvTable table = read_plain(" -1 ,+2,\"3\",\t.5,1e-3,-inf,nan\n");
  const auto values = table.values.values<double>();
  EXPECT_THAT(values.first(6), ElementsAre(-1, 2, 3, 0.5, 0.001, -INFINITY));
  EXPECT_TRUE(std::isnan(values[6]));
}

TEST(Csv, UnderstandsQuotes) {
  const CsvTable table = table_of("\"a,b\",\"say \"\"hi\"\"\nthere\",c\n\"1\",2,\"3\"\n");
  EXPECT_THAT(table.names, ElementsAre("a,b", "say \"hi\"\nthere", "c"));
  EXPECT_THAT(table.values.values<double>(), ElementsAre(1, 2, 3));
}

TEST(Csv, ReadsTheColumnsThatAreAskedFor) {
  const CsvTable table = table_of("name;x;y\nanna;1;2\nbob;3;4\n", {.delimiter = ';', .columns = {"y", "x"}});
  EXPECT_THAT(table.names, ElementsAre("y", "x"));
  EXPECT_THAT(table.values.values<double>(), ElementsAre(2, 1, 4, 3));
}

TEST(Csv, SkipsAByteOrderMarkAndEmptyLinesInTheEnd) {
  EXPECT_THAT(table_of("\xEF\xBB\xBF"
                       "a\n1\n\n")
                  .names,
              ElementsAre("a"));
  EXPECT_THAT(read_plain("").values.shape, ElementsAre(0, 0));
  EXPECT_THAT(table_of("a,b\n").values.shape, ElementsAre(0, 2));
}

TEST(Csv, DoesNotMindWhereThePiecesOfAFileEnd) {
  std::string text;
  for (int row = 0; row < 20'000; ++row) {
    text += std::to_string(row) + ",\"" + std::to_string(row) + ".5\"\r\n";
  }
  const CsvTable table = read_plain(text);
  ASSERT_THAT(table.values.shape, ElementsAre(20'000, 2));
  for (std::size_t row = 0; row < 20'000; ++row) {
    ASSERT_EQ(table.values.values<double>()[2 * row + 1], static_cast<double>(row) + 0.5);
  }
}

TEST(Csv, NamesLineAndColumn) {
  const auto refused = [](const std::string& text, const std::string& message,
                          const CsvOptions& options = {}) {
    expect_error([&] { table_of(text, options); }, ErrorCode::kCorrupt, message);
  };
  refused("a,b\n1,2\n3,x\n", "x.csv: line 3, column 2 ('b'): expected a number, found 'x'");
  refused("a,b\n1,\n", "x.csv: line 2, column 2 ('b'): expected a number, found ''");
  refused("a,b\n1,1e999\n",
          "x.csv: line 2, column 2 ('b'): expected a number that fits in 64 bits, found '1e999'");
  refused("1,x\n", "x.csv: line 1, column 2: expected a number, found 'x'", {.header = false});
  refused("a,b\n1,2,3\n", "x.csv: line 2: expected 2 fields, found 3");
  refused("a,b\n\n1,2\n", "x.csv: line 2: expected 2 fields, found an empty line");
  refused("\n1\n", "x.csv: line 1: expected 1 fields, found an empty line");
  refused("", "x.csv: expected a line with the names of the columns, found an empty file");
  refused("a\n\"1\n2\n", "x.csv: line 2, column 1: expected a closing quote, found the end");
  refused("a,b\n1,2\"3\n",
          "x.csv: line 2, column 2: expected quotes around the whole field, found one inside");
  refused("a,b\n\"1\"2,3\n",
          "x.csv: line 2, column 1: expected a delimiter or the end of the line after the closing quote");
  refused("a\n1\r2\n", "x.csv: line 2, column 1: expected a line feed after the carriage return");
  refused("a\n1\r", "x.csv: line 2, column 1: expected a line feed after the carriage return, found the end");
  refused("\"" + std::string((1 << 20) + 1, 'x') + "\"\n",
          "x.csv: line 1, column 1: expected a field of at most 1048576 bytes; is a quote not closed?");
  refused(std::string(1 << 20, ',') + "\n", "x.csv: line 1, column 1048577: expected at most 1048576 fields");
}

TEST(Csv, CountsLinesInsideQuotesToo) {
  expect_error([] { table_of("\"a\nb\",c\n\"1\",\n"); }, ErrorCode::kCorrupt,
               "x.csv: line 3, column 2 ('c'): expected a number, found ''");
}

TEST(Csv, GuessesWhichColumnWasMeant) {
  expect_error([] { table_of("price,rooms\n1,2\n", {.columns = {"prise"}}); }, ErrorCode::kNotFound,
               "x.csv: there is no column 'prise'; did you mean 'price'?");
}

TEST(Csv, RefusesOptionsThatCannotWork) {
  expect_error([] { table_of("1\n", {.delimiter = '"'}); }, ErrorCode::kInvalidArgument,
               "a quote or line break cannot be the delimiter of a CSV file");
  expect_error([] { table_of("1\n", {.header = false, .columns = {"a"}}); }, ErrorCode::kInvalidArgument,
               "columns are chosen by name, which a CSV file without header has not");
}

TEST(Csv, SurvivesDamage) {
  expect_survives_changes("a,\"b\"\r\n1,2\r\n\"3\",4\r\n",
                          [](ByteStream& stream) { read_csv(stream, "file", {}); });
}

}  // namespace
}  // namespace lockstep
