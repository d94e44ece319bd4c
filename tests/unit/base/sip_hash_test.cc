// Compares SipHash-1-3 with test vectors: the key is 00 01 .. 0f, and the inputs of length 0, 1, 2,
// ... hold bytes that count up from 0. The vectors come from an independent implementation, which
// gives the published vectors of SipHash-2-4 if its rounds are set to 2 and 4.
#include "base/sip_hash.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace sluice {
namespace {

constexpr HashSeed kReferenceKey{0x0706050403020100U, 0x0f0e0d0c0b0a0908U};

constexpr std::array<std::uint64_t, 33> kVectors{
    0xabac0158050fc4dcU, 0xc9f49bf37d57ca93U, 0x82cb9b024dc7d44dU, 0x8bf80ab8e7ddf7fbU,
    0xcf75576088d38328U, 0xdef9d52f49533b67U, 0xc50d2b50c59f22a7U, 0xd3927d989bb11140U,
    0x369095118d299a8eU, 0x25a48eb36c063de4U, 0x79de85ee92ff097fU, 0x70c118c1f94dc352U,
    0x78a384b157b4d9a2U, 0x306f760c1229ffa7U, 0x605aa111c0f95d34U, 0xd320d86d2a519956U,
    0xcc4fdd1a7d908b66U, 0x9cf2689063dbd80cU, 0x8ffc389cb473e63eU, 0xf21f9de58d297d1cU,
    0xc0dc2f46a6cce040U, 0xb992abfe2b45f844U, 0x7ffe7b9ba320872eU, 0x525a0e7fdae6c123U,
    0xf464aeb267349c8cU, 0x45cd5928705b0979U, 0x3a3e35e3ca9913a5U, 0xa91dc74e4ade3b35U,
    0xfb0bed02ef6cd00dU, 0x88d93cb44ab1e1f4U, 0x540f11d643c5e663U, 0x2370dd1f8c21d1bcU,
    0x81157b6c16a7b60dU};

std::string CountingUp(std::size_t length) {
  std::string bytes;
  for (std::size_t i = 0; i < length; ++i) bytes.push_back(static_cast<char>(i));
  return bytes;
}

TEST(SipHashTest, MatchesReferenceVectors) {
  const SipHash hash(kReferenceKey);
  for (std::size_t length = 0; length < kVectors.size(); ++length) {
    EXPECT_EQ(hash.Finish(CountingUp(length)), kVectors[length]) << "length " << length;
  }
}

TEST(SipHashTest, ReadsKeysAtAnyAddress) {
  const SipHash hash(kReferenceKey);
  for (std::size_t shift = 0; shift < 9; ++shift) {
    const std::string bytes = std::string(shift, 'x') + CountingUp(23);
    EXPECT_EQ(hash.Finish(std::string_view(bytes).substr(shift)), kVectors[23]);
  }
}

TEST(SipHashTest, KeepsPrefixAfterFinish) {
  SipHash hash(kReferenceKey);
  hash.Absorb("limit");
  const std::uint64_t first = hash.Finish("key");
  static_cast<void>(hash.Finish("another"));
  EXPECT_EQ(hash.Finish("key"), first);
}

// All (prefix, key) pairs here are the same bytes when they are joined.
TEST(SipHashTest, SeparatesPrefixFromKey) {
  const std::string text = CountingUp(40);
  std::set<std::uint64_t> seen;
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    SipHash hash(kReferenceKey);
    hash.Absorb(std::string_view(text).substr(0, cut));
    seen.insert(hash.Finish(std::string_view(text).substr(cut)));
  }
  EXPECT_EQ(seen.size(), text.size() + 1);
}

TEST(SipHashTest, SeparatesPartsOfPrefix) {
  SipHash two(kReferenceKey);
  two.Absorb("ab");
  two.Absorb("c");
  SipHash other(kReferenceKey);
  other.Absorb("a");
  other.Absorb("bc");
  SipHash one(kReferenceKey);
  one.Absorb("abc");
  EXPECT_NE(two.Finish("k"), other.Finish("k"));
  EXPECT_NE(two.Finish("k"), one.Finish("k"));
}

TEST(SipHashTest, DependsOnEveryBitOfSeed) {
  std::set<std::uint64_t> seen{SipHash(HashSeed{}).Finish("key")};
  for (unsigned bit = 0; bit < 64; ++bit) {
    seen.insert(SipHash(HashSeed{std::uint64_t{1} << bit, 0}).Finish("key"));
    seen.insert(SipHash(HashSeed{0, std::uint64_t{1} << bit}).Finish("key"));
  }
  EXPECT_EQ(seen.size(), 129U);
}

TEST(SipHashTest, DependsOnEveryByteOfKey) {
  const SipHash hash(kReferenceKey);
  for (std::size_t length = 1; length < 20; ++length) {
    const std::string key = CountingUp(length);
    for (std::size_t i = 0; i < length; ++i) {
      std::string other = key;
      other[i] = static_cast<char>(other[i] ^ 0x40);
      EXPECT_NE(hash.Finish(other), hash.Finish(key)) << "byte " << i << " of " << length;
    }
  }
}

}  // namespace
}  // namespace sluice
