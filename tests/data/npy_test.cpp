#include "data/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/temp_dir.h"
#include "data/data_bytes.h"
#include "data/numpy_files.h"
#include "lockstep/array_file.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Array npy_array(std::string_view hex) {
  const std::string bytes = from_hex(hex);
  return read_npy(*stream_of(bytes));
}

// A file of version 1.0 with that header, which begins at byte 10.
std::string file(const std::string& header, const std::string& data = "") {
  const auto length = header.size();
  return "\x93NUMPY\x01" + std::string(1, '\0') + static_cast<char>(length & 0xFF) +
         static_cast<char>(length >> 8) + header + data;
}

std::string with_type(const std::string& descr) {
  return file("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,), }", "01234567");
}

TEST(Npy, ReadsAFile) {
  const TempDir folder;
  const Array array = read_npy(folder.write("x.npy", from_hex(kNpyF4)));
  EXPECT_EQ(array.type, ElementType::kF32);
  EXPECT_THAT(array.shape, ElementsAre(2, 3));
  EXPECT_THAT(array.values<float>(), ElementsAre(0, 0.5F, 1, 1.5F, 2, 2.5F));
}

TEST(Npy, TurnsFortranOrderIntoRows) {
  const Array two = npy_array(kNpyF8Fortran);
  EXPECT_THAT(two.shape, ElementsAre(2, 3));
  EXPECT_THAT(two.values<double>(), ElementsAre(0, 1, 2, 3, 4, 5));
  const Array three = npy_array(kNpyI2Fortran3);
  EXPECT_THAT(three.shape, ElementsAre(2, 3, 2));
  EXPECT_THAT(three.values<std::int16_t>(), ElementsAre(-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5));
}

TEST(Npy, ReadsLaterVersions) {
  const Array halves = npy_array(kNpyF2Version2);
  EXPECT_EQ(halves.type, ElementType::kF16);
  EXPECT_EQ(from_hex("003c 00c0 0038"),
            std::string(reinterpret_cast<const char*>(halves.bytes.data()), halves.bytes.size()));
  EXPECT_THAT(npy_array(kNpyI8Version3).values<std::int64_t>(), ElementsAre(-1, std::int64_t{1} << 62));
}

TEST(Npy, ReadsBooleansScalarsAndNothing) {
  EXPECT_THAT(npy_array(kNpyBool).values<bool>(), ElementsAre(true, false, true));
  const Array scalar = npy_array(kNpyScalar);
  EXPECT_THAT(scalar.shape, IsEmpty());
  EXPECT_THAT(scalar.values<std::uint32_t>(), ElementsAre(7));
  const Array nothing = npy_array(kNpyEmpty);
  EXPECT_THAT(nothing.shape, ElementsAre(3, 0, 2));
  EXPECT_EQ(nothing.count(), 0);
}

TEST(Npy, KnowsItsTypes) {
  for (const auto& [descr, type] : {std::pair("|i1", ElementType::kI8), std::pair("<i4", ElementType::kI32),
                                    std::pair("|u1", ElementType::kU8), std::pair("<u2", ElementType::kU16),
                                    std::pair("<u8", ElementType::kU64), std::pair(">u1", ElementType::kU8),
                                    std::pair("=f4", ElementType::kF32)}) {
    const std::string bytes = with_type(descr).substr(0, with_type(descr).size() - 8 + size_of(type));
    EXPECT_EQ(read_npy(*stream_of(bytes)).type, type) << descr;
  }
}

TEST(Npy, TakesAnyOrderAndSpacing) {
  const std::string bytes =
      file("{ \"shape\" : ( 2L , ) ,'fortran_order':True,\n'descr':\"<u2\" } \n", from_hex("01000200"));
  EXPECT_THAT(read_npy(*stream_of(bytes)).values<std::uint16_t>(), ElementsAre(1, 2));
}

TEST(Npy, SaysWhatItDoesNotRead) {
  const auto unsupported = [](const std::string& bytes, const std::string& message) {
    expect_error([&] { read_npy(*stream_of(bytes)); }, ErrorCode::kUnsupported, message);
  };
  unsupported(from_hex(kNpyBigEndian),
              "file: byte 20: big-endian elements, type '>f4'; save it with astype('<f4')");
  unsupported(from_hex(kNpyRecords),
              "file: byte 20: an array of records; only numbers and booleans are read");
  for (const std::string descr : {"<U2", "|O", "<f16", "<c8", "f4", "", "x"}) {
    unsupported(with_type(descr), "file: byte 20: elements of type '" + descr +
                                      "'; b1, i1 to i8, u1 to u8 and f2 to f8 are read");
  }
  unsupported(from_hex("934e554d5059 0400"), "file: byte 6: version 4.0 of npy; 1.0 to 3.0 are read");
  unsupported(from_hex("934e554d5059 0101"), "file: byte 6: version 1.1 of npy; 1.0 to 3.0 are read");
}

TEST(Npy, SaysWhatItExpected) {
  const auto refused = [](const std::string& bytes, const std::string& message) {
    expect_error([&] { read_npy(*stream_of(bytes)); }, ErrorCode::kCorrupt, message);
  };
  refused("NUMPY!", "file: byte 0: expected '\\x93NUMPY', the start of an npy file, found 'NUMPY!'");
  refused("\x93NUM", "file: byte 0: expected the start of an npy file, 6 bytes, found 4 and the end");
  refused(from_hex("934e554d5059 0200 01000100"),
          "file: byte 8: expected a header of at most 65536 bytes, found 65537");
  refused(from_hex("934e554d5059 0100 4000 7b"),
          "file: byte 10: expected the header, 64 bytes, found 1 and the end");
  refused(file("[1]"), "file: byte 10: expected '{', found '[1]'");
  refused(file("{'descr': '<f4'"), "file: byte 25: expected '}', found the end of the header");
  refused(file("{'descr': '<f4', 'shape': (1,)}"),
          "file: byte 10: expected the keys 'descr', 'fortran_order' and 'shape', found not all of them");
  refused(file("{'descr': '<f4', 'descr': '<f4'}"),
          "file: byte 27: expected one of the keys 'descr', 'fortran_order' and 'shape', each once, found "
          "''descr': "
          "'<f4'}'");
  refused(file("{'descr: 1}"), "file: byte 11: expected a text that ends, found ''descr: 1}'");
  refused(file("{descr: 1}"), "file: byte 11: expected a text in quotes, found 'descr: 1}'");
  refused(file("{'fortran_order': 1}"), "file: byte 28: expected True or False, found '1}'");
  refused(file("{'shape': (1, -2)}"), "file: byte 24: expected a length of at most 64 bits, found '-2)}'");
  refused(file("{'shape': (18446744073709551616,)}"),
          "file: byte 21: expected a length of at most 64 bits, found '18446744073709551616'");
  refused(file("{} x"), "file: byte 13: expected the end of the header, found 'x'");
  const std::string big = "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}";
  refused(file(big),
          "file: byte 85: expected a size that fits in 64 bits, found f64 [4294967296, 4294967296]");
  refused(file("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}", "1234"),
          "file: byte 77: expected 4000000000000 bytes of data, found 4");
  refused(file("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", std::string("\x01\x02")),
          "file: byte 66: expected a boolean, 0 or 1, found 2");
}

TEST(Npy, HasAtMost64Dimensions) {
  const auto with_dimensions = [](int count) {
    std::string shape;
    for (int i = 0; i < count; ++i) {
      shape += "1,";
    }
    return file("{'descr': '|u1', 'fortran_order': True, 'shape': (" + shape + ")}", "x");
  };
  EXPECT_EQ(read_npy(*stream_of(with_dimensions(64))).shape.size(), 64);
  expect_error([&] { read_npy(*stream_of(with_dimensions(65))); }, ErrorCode::kCorrupt,
               "file: byte 188: expected at most 64 dimensions, found '1,)}'");
}

TEST(Npy, IsReadWholeOrNotAtAll) {
  const auto reader = [](ByteStream& stream) { read_npy(stream); };
  for (const std::string_view hex : {kNpyF4, kNpyI2Fortran3, kNpyI8Version3, kNpyBool}) {
    expect_whole_only(from_hex(hex), reader);
    expect_survives_changes(from_hex(hex), reader);
  }
}

}  // namespace
}  // namespace lockstep
