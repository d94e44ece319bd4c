// Compares our HPACK with nghttp2's.
#include "unit/net/http2/hpack_peer.h"

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/random.h"
#include "wire/http2/hpack_reader.h"
#include "wire/http2/hpack_writer.h"

namespace sluice {
namespace {

using testing::ForEachSeed;
using testing::Random;
using Fields = HpackFields;

std::uint8_t* Bytes(std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); }

// Encodes fields with nghttp2.
class PeerWriter {
 public:
  PeerWriter() { nghttp2_hd_deflate_new(&deflater_, 4096); }
  PeerWriter(const PeerWriter&) = delete;
  PeerWriter& operator=(const PeerWriter&) = delete;
  ~PeerWriter() { nghttp2_hd_deflate_del(deflater_); }

  void SetCapacity(std::size_t capacity) {
    nghttp2_hd_deflate_change_table_size(deflater_, capacity);
  }

  std::string Write(Fields fields) {
    std::vector<nghttp2_nv> all;
    for (auto& [name, value] : fields) {
      all.push_back({Bytes(name), Bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
    }
    std::string block(nghttp2_hd_deflate_bound(deflater_, all.data(), all.size()), '\0');
    const ssize_t size =
        nghttp2_hd_deflate_hd(deflater_, Bytes(block), block.size(), all.data(), all.size());
    EXPECT_GE(size, 0);
    block.resize(static_cast<std::size_t>(size));
    return block;
  }

 private:
  nghttp2_hd_deflater* deflater_ = nullptr;
};

bool ReadAll(HpackReader& reader, std::string_view block, Fields& fields) {
  reader.Start(block);
  for (;;) {
    HpackField field;
    const HpackReader::Found found = reader.Next(field);
    if (found != HpackReader::Found::kField) return found == HpackReader::Found::kEnd;
    fields.emplace_back(field.name, field.value);
  }
}

std::string SomeText(Random& random, std::int64_t longest) {
  std::string text(static_cast<std::size_t>(random.Spread(0, longest)), 'x');
  const bool is_plain = random.OneIn(2);
  for (char& c : text) {
    c = is_plain ? static_cast<char>('a' + random.Bits() % 26) : static_cast<char>(random.Bits());
  }
  return text;
}

Fields SomeFields(Random& random) {
  constexpr std::array<std::string_view, 6> kNames = {":path",  ":method", "content-type",
                                                      "cookie", "x-user",  "user-agent"};
  Fields fields(static_cast<std::size_t>(random.Between(1, 12)));
  for (auto& [name, value] : fields) {
    name = random.OneIn(3) ? SomeText(random, 40) : std::string(kNames[random.Bits() % 6]);
    value = random.OneIn(3) ? std::string("the same") : SomeText(random, 1500);
  }
  return fields;
}

TEST(HpackPeerTest, ReadsWhatNghttp2Writes) {
  ForEachSeed(100, [](Random& random) {
    PeerWriter writer;
    HpackReader reader;
    for (int block = 0; block < 30; ++block) {
      if (random.OneIn(10)) writer.SetCapacity(static_cast<std::size_t>(random.Between(0, 4096)));
      const Fields fields = SomeFields(random);
      Fields read;
      ASSERT_TRUE(ReadAll(reader, writer.Write(fields), read));
      ASSERT_EQ(read, fields);
    }
  });
}

TEST(HpackPeerTest, ReadsRandomBytesLikeNghttp2) {
  ForEachSeed(20'000, [](Random& random) {
    HpackPeer peer;
    HpackReader reader;
    for (int block = 0; block < 4; ++block) {
      std::string bytes;
      for (std::int64_t i = random.Between(1, 12); i > 0; --i) {
        // Most of these bytes begin a field, in all of its forms, with a small index.
        const std::uint64_t bits = random.Bits();
        bytes += static_cast<char>(bits % 3 == 0 ? bits >> 8U : (bits >> 8U) & 0xC7U);
        if (random.OneIn(3)) bytes += std::string(1, '\3') + "abc";
      }
      Fields expected;
      Fields read;
      const bool is_good = peer.Read(bytes, expected);
      ASSERT_EQ(ReadAll(reader, bytes, read), is_good) << ::testing::PrintToString(bytes);
      if (!is_good) return;
      ASSERT_EQ(read, expected);
    }
  });
}

TEST(HpackPeerTest, ReadsTheStaticTable) {
  for (int number = 1; number <= 61; ++number) {
    const std::string block(1, static_cast<char>(0x80 | number));
    HpackPeer peer;
    HpackReader reader;
    Fields expected;
    Fields read;
    ASSERT_TRUE(peer.Read(block, expected));
    ASSERT_TRUE(ReadAll(reader, block, read));
    EXPECT_EQ(read, expected) << number;
    HpackField field;
    reader.Start(block);
    reader.Next(field);
    EXPECT_EQ(field.name_kind, KindOfHttp2Name(field.name)) << field.name;
    EXPECT_EQ(field.kind, KindOfHttp2Field(field.name_kind, field.value)) << field.name;
  }
}

TEST(HpackPeerTest, WritesWhatNghttp2Reads) {
  HpackPeer peer;
  std::string start;
  AppendHpackStart(start);
  for (const int status : {200, 204, 206, 304, 400, 404, 500, 429, 503, 101, 999}) {
    for (const std::size_t size : {0U, 1U, 126U, 127U, 128U, 254U, 255U, 16'511U, 40'000U}) {
      std::string block = std::exchange(start, {});
      const std::string value(size, 'v');
      AppendHpackStatus(status, block);
      AppendHpackField("Retry-After", value, block);
      Fields fields;
      ASSERT_TRUE(peer.Read(block, fields)) << status << " " << size;
      EXPECT_EQ(fields, (Fields{{":status", std::to_string(status)}, {"retry-after", value}}));
    }
  }
}

}  // namespace
}  // namespace sluice
