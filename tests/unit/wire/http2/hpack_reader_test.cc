#include "wire/http2/hpack_reader.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/text.h"
#include "wire/http2/hpack_huffman.h"

namespace sluice {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string FromHex(std::string_view hex) {
  std::string bytes;
  int high = -1;
  for (const char c : hex) {
    const int digit = HexValue(c);
    if (digit < 0) continue;  // a space
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(16 * high + digit);
      high = -1;
    }
  }
  return bytes;
}

// Returns the fields of a block; empty if it is malformed.
Fields Read(HpackReader& reader, std::string_view block) {
  Fields fields;
  HpackField field;
  reader.Start(block);
  for (;;) {
    const HpackReader::Found found = reader.Next(field);
    if (found == HpackReader::Found::kEnd) return fields;
    if (found == HpackReader::Found::kFault) return {};
    fields.emplace_back(field.name, field.value);
  }
}

bool IsFault(HpackReader& reader, std::string_view block) {
  HpackField field;
  reader.Start(block);
  HpackReader::Found found = HpackReader::Found::kField;
  while (found == HpackReader::Found::kField) found = reader.Next(field);
  return found == HpackReader::Found::kFault;
}
bool IsFault(std::string_view block) {
  HpackReader reader;
  return IsFault(reader, block);
}

// The examples are those of RFC 7541, appendix C.2.
TEST(HpackReaderTest, ReadsEveryRepresentation) {
  HpackReader reader;
  EXPECT_EQ(
      Read(reader, FromHex("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572")),
      (Fields{{"custom-key", "custom-header"}}));
  EXPECT_EQ(Read(reader, FromHex("040c 2f73 616d 706c 652f 7061 7468")),
            (Fields{{":path", "/sample/path"}}));
  EXPECT_EQ(Read(reader, FromHex("1008 7061 7373 776f 7264 0673 6563 7265 74")),
            (Fields{{"password", "secret"}}));
  EXPECT_EQ(Read(reader, "\x82"), (Fields{{":method", "GET"}}));
  EXPECT_EQ(Read(reader, "\xBE"), (Fields{{"custom-key", "custom-header"}}))
      << "only the first of them was added";
}

// The requests are those of C.3 and C.4; the latter are Huffman-coded.
TEST(HpackReaderTest, ResolvesReferencesToEarlierBlocks) {
  const std::vector<std::vector<std::string_view>> requests = {
      {"8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", "8286 84be 5808 6e6f 2d63 6163 6865",
       "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65"},
      {"8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", "8286 84be 5886 a8eb 1064 9cbf",
       "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf"}};
  for (const auto& blocks : requests) {
    HpackReader reader;
    EXPECT_EQ(Read(reader, FromHex(blocks[0])), (Fields{{":method", "GET"},
                                                        {":scheme", "http"},
                                                        {":path", "/"},
                                                        {":authority", "www.example.com"}}));
    EXPECT_EQ(Read(reader, FromHex(blocks[1])), (Fields{{":method", "GET"},
                                                        {":scheme", "http"},
                                                        {":path", "/"},
                                                        {":authority", "www.example.com"},
                                                        {"cache-control", "no-cache"}}));
    EXPECT_EQ(Read(reader, FromHex(blocks[2])), (Fields{{":method", "GET"},
                                                        {":scheme", "https"},
                                                        {":path", "/index.html"},
                                                        {":authority", "www.example.com"},
                                                        {"custom-key", "custom-value"}}));
  }
}

TEST(HpackReaderTest, ClassifiesFieldsByNameAndValue) {
  HpackReader reader;
  HpackField field;
  const std::string authority = FromHex("4102 6832");
  reader.Start(authority);
  EXPECT_EQ(reader.Next(field), HpackReader::Found::kField);
  EXPECT_EQ(field.kind, Http2FieldKind::kAuthority);
  const std::string twice = FromHex("4002 7465 0467 7a69 70 BE");  // te: gzip, added; its reference
  reader.Start(twice);
  EXPECT_EQ(reader.Next(field), HpackReader::Found::kField);
  EXPECT_EQ(field.kind, Http2FieldKind::kMalformed);
  EXPECT_EQ(reader.Next(field), HpackReader::Found::kField);
  EXPECT_EQ(field.kind, Http2FieldKind::kMalformed) << "it was remembered with the field";
}

TEST(HpackReaderTest, ReadsRepeatedLiteralFields) {
  constexpr std::string_view kPath = "\x04\x10/a/long/path/abc";
  HpackReader reader;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(
        Read(reader, Concat(kPath, "\x82", kPath)),
        (Fields{{":path", "/a/long/path/abc"}, {":method", "GET"}, {":path", "/a/long/path/abc"}}));
    EXPECT_EQ(Read(reader, "\x04\x10/a/long/path/abd"), (Fields{{":path", "/a/long/path/abd"}}));
    EXPECT_TRUE(IsFault(reader, kPath.substr(0, 17)));
  }
}

TEST(HpackReaderTest, DoesNotCacheFieldsWithDynamicNames) {
  constexpr std::string_view kField = "\x0F\x2F\x10sixteen letters.";  // named by the newest entry
  HpackReader reader;
  EXPECT_FALSE(IsFault(reader, "\x40\1a\1b"));
  EXPECT_EQ(Read(reader, kField), (Fields{{"a", "sixteen letters."}}));
  EXPECT_FALSE(IsFault(reader, "\x40\1c\1d"));
  EXPECT_EQ(Read(reader, kField), (Fields{{"c", "sixteen letters."}}));
}

// Invariant (2): a name that is referred to by its number is not classified again.
TEST(HpackReaderTest, StoresKindsOfNamesSeparately) {
  HpackReader reader;
  HpackField field;
  const std::string te = FromHex("4002 7465 0467 7a69 70 7E08 7472 6169 6c65 7273");
  reader.Start(te);
  EXPECT_EQ(reader.Next(field), HpackReader::Found::kField);
  EXPECT_EQ(field.kind, Http2FieldKind::kMalformed);
  EXPECT_EQ(reader.Next(field), HpackReader::Found::kField);
  EXPECT_EQ(field.name, "te");
  EXPECT_EQ(field.kind, Http2FieldKind::kTe) << "only its first value was at fault";
  const std::string capital = FromHex("4001 4101 62 7E01 63");
  reader.Start(capital);
  EXPECT_EQ(reader.Next(field), HpackReader::Found::kField);
  EXPECT_EQ(reader.Next(field), HpackReader::Found::kField);
  EXPECT_EQ(field.name, "A");
  EXPECT_EQ(field.kind, Http2FieldKind::kMalformed);
  HpackTable table;
  table.Add({"a", "b", Http2FieldKind::kOther, Http2FieldKind::kTe});
  ASSERT_TRUE(table.Find(62, field));
  EXPECT_EQ(field.name_kind, Http2FieldKind::kTe) << "what was found out first is believed";
}

TEST(HpackReaderTest, RejectsContentLengthsOfMoreThan20Digits) {
  const auto kind = [](std::string_view value) {
    return KindOfHttp2Field(KindOfHttp2Name("content-length"), value);
  };
  EXPECT_EQ(kind("18446744073709551615"), Http2FieldKind::kContentLength);
  EXPECT_EQ(kind("00000000000000000001"), Http2FieldKind::kContentLength);
  EXPECT_EQ(kind("000000000000000000001"), Http2FieldKind::kMalformed);
}

TEST(HpackReaderTest, RejectsTruncatedBlocks) {
  const std::string block =
      FromHex("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572");
  for (std::size_t size = 1; size < block.size(); ++size) {
    EXPECT_TRUE(IsFault(block.substr(0, size))) << size;
  }
  EXPECT_FALSE(IsFault(block));
}

TEST(HpackReaderTest, RejectsNumbersOfMissingFields) {
  EXPECT_TRUE(IsFault("\x80"));
  EXPECT_TRUE(IsFault("\xBE")) << "none was added";
  EXPECT_FALSE(IsFault("\xBD")) << "the last of those that always are";
  EXPECT_TRUE(IsFault(std::string("\x7E\1x", 3)));
}

TEST(HpackReaderTest, RejectsOverlongNumbers) {
  EXPECT_TRUE(IsFault("\xFF\xFF\xFF\xFF\xFF\x0F"));
  EXPECT_TRUE(IsFault("\xFF\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"));
  EXPECT_TRUE(IsFault(std::string("\0\x7F\xFF\xFF\xFF\xFF\x0Fx", 8)));
}

TEST(HpackReaderTest, AcceptsCapacityOnlyBeforeFieldsAndWithinItsBound) {
  HpackReader reader;
  EXPECT_FALSE(IsFault(reader, std::string("\x40\1a\1b", 5)));
  EXPECT_FALSE(IsFault(reader, "\x20\x3F\xE1\x1F\x82")) << "nothing, then 4096";
  EXPECT_TRUE(IsFault(reader, "\xBE")) << "nothing was left of it";
  EXPECT_TRUE(IsFault("\x3F\xE2\x1F")) << "4097";
  EXPECT_TRUE(IsFault("\x82\x20"));
}

TEST(HpackTableTest, EvictsTheOldestFields) {
  HpackTable table;
  const std::string value(1000, 'v');
  for (const char* name : {"a", "b", "c", "d"}) table.Add({name, value, Http2FieldKind::kOther});
  HpackField field;
  ASSERT_TRUE(table.Find(62, field));
  EXPECT_EQ(field.name, "d");
  ASSERT_TRUE(table.Find(64, field));
  EXPECT_EQ(field.name, "b");
  EXPECT_EQ(field.value, value);
  EXPECT_FALSE(table.Find(65, field));
  EXPECT_EQ(table.size_for_test(), 3 * 1033U);
}

TEST(HpackTableTest, EmptiesTheTableForAnOversizedField) {
  HpackTable table;
  table.Add({"a", "b", Http2FieldKind::kOther});
  table.Add({"a", std::string(4096 - 33 + 1, 'v'), Http2FieldKind::kOther});
  HpackField field;
  EXPECT_FALSE(table.Find(62, field));
  table.Add({"a", std::string(4096 - 33, 'v'), Http2FieldKind::kOther});
  EXPECT_TRUE(table.Find(62, field)) << "it fits to the byte";
}

TEST(HpackTableTest, EvictsFieldsWhenTheCapacityShrinks) {
  HpackTable table;
  for (const char* name : {"a", "b", "c"}) table.Add({name, "", Http2FieldKind::kOther});
  table.SetCapacity(66);
  HpackField field;
  ASSERT_TRUE(table.Find(63, field));
  EXPECT_EQ(field.name, "b");
  EXPECT_FALSE(table.Find(64, field));
}

TEST(HpackHuffmanTest, RejectsInvalidPadding) {
  const auto read = [](std::string_view coded) {
    std::string text;
    return AppendHuffmanText(coded, text) ? text : "fault";
  };
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("\x1F"), "a");      // 00011 and three ones
  EXPECT_EQ(read("\x1E"), "fault");  // its padding is not all ones
  EXPECT_EQ(read("\x18"), "fault");
  EXPECT_EQ(read("\x1F\xFF"), "fault");  // eleven ones of padding
  EXPECT_EQ(read("\xFF"), "fault");
  EXPECT_EQ(read("\xFF\xFF\xFF\xFF"), "fault");  // the end-of-string mark
  EXPECT_EQ(read("\xFE\x3F"), "!");              // 1111111000
  EXPECT_EQ(read("\xFE"), "fault") << "cut off";
}

}  // namespace
}  // namespace sluice
