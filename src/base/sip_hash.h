// SipHash-1-3: the keyed hash of the memory store and of the lookup tables of rules. Without the
// seed an attacker cannot choose keys that collide, so lookups stay fast under attack.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sluice {

// A 128-bit seed.
struct HashSeed {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const HashSeed&, const HashSeed&) = default;
};

// A hash in progress: a prefix that is absorbed once and can be finished with many keys.
//
// Thread safety: a value. Each part is absorbed in whole words together with its length, so that
// two different (prefix, key) pairs never give the same input.
class SipHash {
 public:
  SipHash() = default;
  explicit SipHash(HashSeed seed)
      : v0_(seed.low ^ 0x736f6d6570736575U),
        v1_(seed.high ^ 0x646f72616e646f6dU),
        v2_(seed.low ^ 0x6c7967656e657261U),
        v3_(seed.high ^ 0x7465646279746573U) {}

  // Absorbs `part` and its length.
  void Absorb(std::string_view part) {
    Compress(part.size());
    while (part.size() >= 8) {
      Compress(Word(part.data()));
      part.remove_prefix(8);
    }
    if (!part.empty()) Compress(Tail(part));
  }

  // Returns the hash of everything absorbed so far followed by `key`. Does not change the prefix.
  [[nodiscard]] std::uint64_t Finish(std::string_view key) const {
    SipHash hash = *this;
    const auto length = static_cast<std::uint64_t>(key.size()) << 56U;
    const char* at = key.data();
    const char* const end = at + (key.size() & ~std::size_t{7});
    for (; at != end; at += 8) hash.Compress(Word(at));
    hash.Compress(length | Tail({at, key.size() & 7U}));
    hash.v2_ ^= 0xffU;
    hash.Round();
    hash.Round();
    hash.Round();
    return hash.v0_ ^ hash.v1_ ^ hash.v2_ ^ hash.v3_;
  }

 private:
  static std::uint64_t Word(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    return word;
  }

  // Returns up to seven bytes as a word, with at most three loads instead of a loop.
  static std::uint64_t Tail(std::string_view bytes) {
    const std::size_t size = bytes.size();
    if (size >= 4) {
      std::uint32_t low = 0;
      std::uint32_t high = 0;
      std::memcpy(&low, bytes.data(), 4);
      std::memcpy(&high, bytes.data() + size - 4, 4);
      return low | (static_cast<std::uint64_t>(high) << ((size - 4) * 8));
    }
    if (size == 0) return 0;
    const auto byte = [&bytes](std::size_t i) {
      return static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (i * 8);
    };
    return byte(0) | byte(size / 2) | byte(size - 1);
  }

  void Compress(std::uint64_t word) {
    v3_ ^= word;
    Round();
    v0_ ^= word;
  }

  void Round() {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ = std::rotl(v0_, 32) + v3_;
    v2_ += v1_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ = std::rotl(v2_, 32);
  }

  std::uint64_t v0_ = 0;
  std::uint64_t v1_ = 0;
  std::uint64_t v2_ = 0;
  std::uint64_t v3_ = 0;
};

}  // namespace sluice
