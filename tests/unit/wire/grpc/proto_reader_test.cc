#include "wire/grpc/proto_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/grpc/proto_writer.h"

namespace sluice {
namespace {

using namespace std::string_literals;

// Skips all fields of a message and returns the error.
std::string FaultOf(std::string_view message) {
  ProtoReader reader(message);
  while (reader.Next()) reader.Skip();
  return std::string(reader.fault());
}

std::uint64_t VarintOf(std::string_view message) {
  ProtoReader reader(message);
  EXPECT_TRUE(reader.Next());
  EXPECT_EQ(reader.key(), VarintKey(1));
  const std::uint64_t value = reader.Varint();
  EXPECT_FALSE(reader.failed());
  EXPECT_FALSE(reader.Next());
  return value;
}

TEST(ProtoReaderTest, ReadsBackNumbersOfEverySize) {
  for (unsigned bits = 0; bits < 64; ++bits) {
    for (const std::uint64_t value :
         {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits, UINT64_MAX >> bits}) {
      std::string message;
      AppendProto(kNumberRoom, message, [&](ProtoWriter& writer) { writer.Number(1, value); });
      EXPECT_EQ(VarintOf(message), value);
      for (std::size_t size = 1; size < message.size(); ++size) {
        EXPECT_EQ(FaultOf(std::string_view(message).substr(0, size)), "is cut off");
      }
    }
  }
}

TEST(ProtoReaderTest, AcceptsPaddedNumbersAndRejectsThoseOver64Bits) {
  EXPECT_EQ(VarintOf("\x08\x85\x80\x00"s), 5U);
  EXPECT_EQ(VarintOf("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"), UINT64_MAX);
  EXPECT_EQ(FaultOf("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"), "has a number over 64 bits");
  EXPECT_EQ(FaultOf("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"s),
            "has a number over 64 bits");
}

TEST(ProtoReaderTest, SkipsUnknownFieldsOfEveryType) {
  EXPECT_EQ(FaultOf("\x08\x96\x01"
                    "\x11"
                    "12345678"
                    "\x1A\x03"
                    "abc"
                    "\x25"
                    "1234"
                    "\xF8\xFF\xFF\xFF\x0F\x07"),
            "");
}

TEST(ProtoReaderTest, RejectsInvalidFields) {
  EXPECT_EQ(FaultOf("\x0B\x0C"), "has a group");
  EXPECT_EQ(FaultOf("\x0C"), "has a group");
  EXPECT_EQ(FaultOf("\x0E\x01"), "has a field of a type that cannot be");
  EXPECT_EQ(FaultOf("\x0F\x01"), "has a field of a type that cannot be");
  EXPECT_EQ(FaultOf("\x00\x01"s), "has a field number that cannot be");
  EXPECT_EQ(FaultOf("\x02\x01"
                    "a"),
            "has a field number that cannot be");
  // The key is 2^32 + 8; it must not be truncated to that of field 1.
  EXPECT_EQ(FaultOf("\x88\x80\x80\x80\x10\x01"), "has a field number that cannot be");
}

TEST(ProtoReaderTest, RejectsLengthsPastTheEnd) {
  EXPECT_EQ(FaultOf("\x0A\x02"
                    "a"),
            "is cut off");
  EXPECT_EQ(FaultOf("\x0A"), "is cut off");
  EXPECT_EQ(FaultOf("\x09"
                    "1234567"),
            "is cut off");
  EXPECT_EQ(FaultOf("\x0D"
                    "123"),
            "is cut off");
  // The lengths are 2^32 + 1, 2^63 and 2^64 - 1; they must not be truncated.
  EXPECT_EQ(FaultOf("\x0A\x81\x80\x80\x80\x10"
                    "a"),
            "is cut off");
  EXPECT_EQ(FaultOf("\x0A\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"
                    "a"),
            "is cut off");
  EXPECT_EQ(FaultOf("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"
                    "a"),
            "is cut off");
}

TEST(ProtoReaderTest, ReadsNothingAfterAnError) {
  ProtoReader reader(
      "\x0A\x09"
      "a\x08\x01");
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.Bytes(), "");
  EXPECT_TRUE(reader.failed());
  EXPECT_FALSE(reader.Next());
  EXPECT_EQ(reader.Varint(), 0U);
  EXPECT_EQ(reader.Bytes(), "");
  EXPECT_EQ(reader.fault(), "is cut off");
}

// Tests sizes around each one at which the encoded size takes one more byte.
TEST(ProtoWriterTest, ReadsBackMessagesOfEverySize) {
  for (const std::size_t size : {0U, 1U, 127U, 128U, 129U, 16'383U, 16'384U, 16'385U, 3'000'000U}) {
    const std::string text(size, 't');
    std::string message = "before";
    AppendProto(kMessageRoom + TextRoom(text) + kNumberRoom, message, [&](ProtoWriter& writer) {
      writer.Message(1, [&](ProtoWriter& own) { own.Bytes(2, text); });
      writer.Number(3, 7);
    });
    ASSERT_TRUE(message.starts_with("before"));
    ProtoReader reader(std::string_view(message).substr(6));
    ASSERT_TRUE(reader.Next());
    EXPECT_EQ(reader.key(), BytesKey(1));
    ProtoReader inner(reader.Bytes());
    ASSERT_TRUE(inner.Next());
    EXPECT_EQ(inner.key(), BytesKey(2));
    EXPECT_EQ(inner.Bytes(), text);
    EXPECT_FALSE(inner.Next());
    ASSERT_TRUE(reader.Next());
    EXPECT_EQ(reader.key(), VarintKey(3));
    EXPECT_EQ(reader.Varint(), 7U);
    EXPECT_FALSE(reader.Next());
  }
}

}  // namespace
}  // namespace sluice
