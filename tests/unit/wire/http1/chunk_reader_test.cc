#include "wire/http1/chunk_reader.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice {
namespace {

constexpr ChunkBounds kSmall{.max_body_bytes = 100, .max_line_bytes = 20, .max_trailer_bytes = 40};

struct Outcome {
  ReadState state = ReadState::kMore;
  std::string body;
  std::size_t consumed = 0;
  bool is_too_large = false;
};

// Reads the bytes in parts of this size.
Outcome ReadInParts(std::string_view bytes, std::size_t part) {
  ChunkReader reader(kSmall);
  reader.Begin();
  Outcome outcome;
  std::string unread;
  for (std::size_t at = 0; at < bytes.size() && outcome.state == ReadState::kMore; at += part) {
    unread += bytes.substr(at, part);
    const ChunkRead read = reader.Read(unread, outcome.body);
    unread.erase(0, read.consumed);
    outcome.consumed += read.consumed;
    outcome.state = read.state;
    outcome.is_too_large = read.is_too_large;
  }
  return outcome;
}

Outcome Read(std::string_view bytes) { return ReadInParts(bytes, bytes.size()); }

TEST(ChunkReaderTest, DecodesABody) {
  const Outcome read = Read("5\r\nhello\r\n1;a=b\r\n!\r\n0\r\n\r\nGET /");
  EXPECT_EQ(read.state, ReadState::kWhole);
  EXPECT_EQ(read.body, "hello!");
  EXPECT_EQ(read.consumed, std::string_view("5\r\nhello\r\n1;a=b\r\n!\r\n0\r\n\r\n").size());
}

TEST(ChunkReaderTest, SkipsTrailers) {
  const Outcome read = Read("0\r\nX: 1\r\nY: 2\r\n\r\n");
  EXPECT_EQ(read.state, ReadState::kWhole);
  EXPECT_EQ(read.consumed, 17U);
}

// Invariant (1).
TEST(ChunkReaderTest, ResultDoesNotDependOnHowBytesAreSplit) {
  for (const std::string_view bytes :
       {"a\r\n0123456789\r\n00\r\nX: y\r\n\r\n", "3\r\nabc\r\nzz\r\n", "3\r\nabcd\r\n", "65\r\nx",
        "0\r\nX: \x01\r\n\r\n"}) {
    const Outcome whole = Read(bytes);
    for (std::size_t part = 1; part < bytes.size(); ++part) {
      const Outcome cut = ReadInParts(bytes, part);
      EXPECT_EQ(cut.state, whole.state) << bytes << " in parts of " << part;
      EXPECT_EQ(cut.body, whole.body) << bytes << " in parts of " << part;
      EXPECT_EQ(cut.is_too_large, whole.is_too_large) << bytes << " in parts of " << part;
    }
  }
}

// Invariant (2).
TEST(ChunkReaderTest, RejectsAmbiguousChunks) {
  for (const std::string_view bytes :
       {"5\nhello\r\n0\r\n\r\n", "\r\n", " 5\r\nhello\r\n", "5 \r\nhello\r\n", "+5\r\nhello\r\n",
        "0x5\r\nhello\r\n", "-1\r\n", "5\r\nhello0\r\n", "5\r\nhello\n0\r\n\r\n", ";a\r\n",
        "5;\x01\r\nhello\r\n", "0\r\nX: 1\nY: 2\r\n\r\n", "0\r\n\n"}) {
    EXPECT_EQ(Read(bytes).state, ReadState::kFault) << bytes;
    EXPECT_FALSE(Read(bytes).is_too_large) << bytes;
  }
}

// Invariant (3).
TEST(ChunkReaderTest, EnforcesBounds) {
  for (const std::string_view bytes :
       {"65\r\n", "ffffffffffffffff\r\n", "10000000000000000\r\n",
        "50\r\n01234567890123456789012345678901234567890123456789012345678901234567890123456789\r\n"
        "15\r\n"}) {
    EXPECT_EQ(Read(bytes).state, ReadState::kFault) << bytes;
    EXPECT_TRUE(Read(bytes).is_too_large) << bytes;
  }
  EXPECT_EQ(Read("1;" + std::string(20, 'x')).state, ReadState::kFault);
  EXPECT_EQ(Read("0\r\nX: " + std::string(40, 'x')).state, ReadState::kFault);
  EXPECT_EQ(Read("0\r\nX: 0123456789\r\nX: 0123456789\r\nX: 0123456789\r\n\r\n").state,
            ReadState::kFault);
}

TEST(ChunkReaderTest, ReadsAnotherBodyAfterBegin) {
  ChunkReader reader(kSmall);
  std::string body;
  reader.Begin();
  EXPECT_EQ(reader.Read("zz\r\n", body).state, ReadState::kFault);
  reader.Begin();
  EXPECT_EQ(reader.Read("1\r\na\r\n0\r\n\r\n", body).state, ReadState::kWhole);
  EXPECT_EQ(body, "a");
}

}  // namespace
}  // namespace sluice
