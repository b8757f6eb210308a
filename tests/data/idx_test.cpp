#include "data/idx.h"

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

Array idx_array(const std::string& hex) {
  const std::string bytes = from_hex(hex);
  return read_idx(*stream_of(bytes));
}

TEST(Idx, ReadsAPackedFile) {
  const TempDir folder;
  const Array array = read_idx(folder.write("images.gz", from_hex(kIdxU8Gz)));
  EXPECT_EQ(array.type, ElementType::kU8);
  EXPECT_THAT(array.shape, ElementsAre(2, 2, 3));
  EXPECT_THAT(array.values<std::uint8_t>(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST(Idx, ReadsEveryTypeFromBigEndian) {
  EXPECT_THAT(idx_array("00000801 00000002 00ff").values<std::uint8_t>(), ElementsAre(0, 255));
  EXPECT_THAT(idx_array("00000901 00000002 00ff").values<std::int8_t>(), ElementsAre(0, -1));
  EXPECT_THAT(idx_array("00000b01 00000002 0102fffe").values<std::int16_t>(), ElementsAre(0x0102, -2));
  EXPECT_THAT(idx_array("00000c01 00000001 01020304").values<std::int32_t>(), ElementsAre(0x01020304));
  EXPECT_THAT(idx_array("00000d01 00000001 3fc00000").values<float>(), ElementsAre(1.5F));
  EXPECT_THAT(idx_array("00000e01 00000001 bff8000000000000").values<double>(), ElementsAre(-1.5));
}

TEST(Idx, ReadsAnArrayOfNothing) {
  const Array array = idx_array("00000c02 00000000 ffffffff");
  EXPECT_THAT(array.shape, ElementsAre(0, 0xFFFFFFFF));
  EXPECT_EQ(array.count(), 0);
}

TEST(Idx, SaysWhatItExpected) {
  const auto refused = [](const std::string& hex, const std::string& message) {
    expect_error([&] { idx_array(hex); }, ErrorCode::kCorrupt, message);
  };
  refused("", "file: byte 0: expected the start of an idx file, 4 bytes, found 0 and the end");
  refused("89504e47", "file: byte 0: expected the two zero bytes of an idx file, found 0x89 0x50");
  refused("00000a01", "file: byte 2: expected a type code of idx, 8, 9 or 11 to 14, found 10");
  refused("00000800", "file: byte 3: expected at least one dimension, found 0");
  refused("00000802 00000002 0000",
          "file: byte 8: expected the length of a dimension, 4 bytes, found 2 and the end");
  refused("00000801 00000003 0102", "file: byte 8: expected 3 bytes of data, found 2");
  refused("00000801 ffffffff 0102", "file: byte 8: expected 4294967295 bytes of data, found 2");
  refused("00000801 00000001 0102", "file: byte 9: expected the end, found more data");
  refused(
      "00000e03 ffffffff ffffffff ffffffff",
      "file: byte 4: expected a size that fits in 64 bits, found f64 [4294967295, 4294967295, 4294967295]");
}

TEST(Idx, IsReadWholeOrNotAtAll) {
  const auto reader = [](ByteStream& stream) { read_idx(stream); };
  for (const std::string& bytes : {from_hex("00000b02 00000002 00000001 01020304"), from_hex(kIdxU8Gz)}) {
    expect_whole_only(bytes, reader);
    expect_survives_changes(bytes, reader);
  }
}

}  // namespace
}  // namespace lockstep
