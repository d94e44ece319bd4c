#include "wire/http2/hpack_huffman.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice {
namespace {

constexpr unsigned kLongest = 30;  // bits of the longest code
constexpr std::size_t kSymbols = 257;
constexpr std::uint16_t kEndMark = 256;

// The code length of each byte and of the end-of-string mark, in bits. The codes follow from the
// lengths: shorter codes come first, and codes of one length ascend with the bytes.
constexpr std::array<std::uint8_t, kSymbols> kLengths = {
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6,  10, 10, 12, 13, 6,  8,  11, 10, 10, 8,  11, 8,  6,  6,  6,
    5,  5,  5,  6,  6,  6,  6,  6,  6,  6,  7,  8,  15, 6,  12, 10, 13, 6,  7,  7,  7,  7,  7,  7,
    7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  8,  7,  8,  13, 19, 13, 14, 6,
    15, 5,  6,  5,  6,  5,  6,  6,  6,  5,  7,  7,  6,  6,  6,  5,  6,  7,  6,  5,  5,  6,  7,  7,
    7,  7,  7,  15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,
    23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24,
    21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30};

struct Tables {
  // Indexed by the next eight bits: the byte whose code they begin with, and the length of the
  // code; 0 if the code is longer than eight bits. Every letter, every digit and most other
  // characters of a path are found here.
  struct Short {
    std::uint8_t byte = 0;
    std::uint8_t bits = 0;
  };
  std::array<Short, 256> by_first_byte{};

  // For each length, with codes padded to 30 bits with zeros: the first code, the end of the codes,
  // and the index in `symbols` of the first code.
  struct Class {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t first = 0;
  };
  std::array<Class, kLongest + 1> classes{};
  std::array<std::uint16_t, kSymbols> symbols{};  // in the order of their codes
};

constexpr Tables MakeTables() {
  Tables tables;
  std::uint32_t code = 0;
  std::uint32_t made = 0;
  for (unsigned bits = 1; bits <= kLongest; ++bits) {
    tables.classes[bits].begin = code;
    tables.classes[bits].first = made;
    for (std::uint16_t symbol = 0; symbol < kSymbols; ++symbol) {
      if (kLengths[symbol] != bits) continue;
      tables.symbols[made++] = symbol;
      const std::uint32_t next = code + (1U << (kLongest - bits));
      for (std::uint32_t at = code >> 22U; bits <= 8 && at < next >> 22U; ++at) {
        tables.by_first_byte[at] = {static_cast<std::uint8_t>(symbol),
                                    static_cast<std::uint8_t>(bits)};
      }
      code = next;
    }
    tables.classes[bits].end = code;
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

// Reads a text bit by bit. The next bit is the highest one of bits_.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

  // Buffers at least 56 bits, or all that are left. Bits beyond the buffered ones are zeros or,
  // before the end of the text, the bits that follow.
  void Fill() {
    if (bytes_.size() - at_ >= 8) {
      // Count only the whole bytes that fit; the bits loaded beyond them are loaded again later.
      const unsigned count = (63 - held_) / 8;
      bits_ |= LoadBytes() >> held_;
      at_ += count;
      held_ += 8 * count;
      return;
    }
    while (held_ <= 56 && at_ < bytes_.size()) {
      bits_ |= std::uint64_t{static_cast<unsigned char>(bytes_[at_++])} << (56 - held_);
      held_ += 8;
    }
  }

  [[nodiscard]] unsigned held() const { return held_; }
  [[nodiscard]] std::uint32_t Next(unsigned count) const {
    return static_cast<std::uint32_t>(bits_ >> (64 - count));
  }
  void Drop(unsigned count) {
    bits_ <<= count;
    held_ -= count;
  }

  // Returns whether only the padding of the last byte is left: fewer than eight bits, all ones.
  [[nodiscard]] bool IsPadding() const {
    return held_ == 0 || (held_ < 8 && Next(held_) + 1 == 1U << held_);
  }

 private:
  [[nodiscard]] std::uint64_t LoadBytes() const {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      bytes = bytes << 8U | static_cast<unsigned char>(bytes_[at_ + i]);
    }
    return bytes;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::uint64_t bits_ = 0;
  unsigned held_ = 0;
};

// Takes a code of more than eight bits. Returns the end-of-string mark if there is no such code, or
// if it is truncated.
std::uint16_t TakeLong(BitReader& reader) {
  const std::uint32_t next = reader.Next(kLongest);
  unsigned bits = 9;
  while (bits < kLongest && next >= kTables.classes[bits].end) ++bits;
  if (bits > reader.held()) return kEndMark;
  reader.Drop(bits);
  const Tables::Class& found = kTables.classes[bits];
  return kTables.symbols[found.first + ((next - found.begin) >> (kLongest - bits))];
}

}  // namespace

bool AppendHuffmanText(std::string_view coded, std::string& out) {
  constexpr std::size_t kShortest = 5;  // bits of the shortest code
  std::size_t size = out.size();
  out.resize(size + coded.size() * 8 / kShortest);
  BitReader reader(coded);
  bool is_good = true;
  for (;;) {
    if (reader.held() < kLongest) reader.Fill();
    const Tables::Short& found = kTables.by_first_byte[reader.Next(8)];
    if (found.bits != 0 && found.bits <= reader.held()) {
      out[size++] = static_cast<char>(found.byte);
      reader.Drop(found.bits);
      continue;
    }
    if (reader.IsPadding()) break;
    const std::uint16_t symbol = found.bits != 0 ? kEndMark : TakeLong(reader);
    is_good = symbol != kEndMark;
    if (!is_good) break;
    out[size++] = static_cast<char>(symbol);
  }
  out.resize(size);
  return is_good;
}

}  // namespace sluice
