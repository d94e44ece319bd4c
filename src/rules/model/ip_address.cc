#include "rules/model/ip_address.h"

#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <cstddef>

#include "base/int128.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr int kV4Bits = 32;
constexpr int kV6Bits = 128;
constexpr int kMappedBits = kV6Bits - kV4Bits;  // the bits of ::ffff:0:0 before the IPv4 address
constexpr int kGroups = 8;
constexpr std::size_t kMinV4Text = 7;   // 0.0.0.0
constexpr std::size_t kMaxV4Text = 15;  // 255.255.255.255
constexpr std::size_t kMaxV6Text = 45;  // six groups of four digits and an IPv4 address

// --- reading --------------------------------------------------------------------------------

// Loads a text of 7 to 15 bytes, the first byte lowest, padded with zeros.
Uint128 LoadV4Text(std::string_view text) {
  const auto load = [&](std::size_t at, std::size_t size) {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < size; ++i) {
      bytes |= std::uint64_t{static_cast<unsigned char>(text[at + i])} << (8 * i);
    }
    return bytes;
  };
  // Two loads of fixed size, which adjoin or overlap, are faster than copying a variable number of
  // bytes.
  if (text.size() < 8) return load(0, 4) | load(3, 4) << 24U;
  const std::uint64_t last = load(text.size() - 8, 8);
  return Uint128{load(0, 8)} | Uint128{last} << (8 * (text.size() - 8));
}

// Returns a mask with one bit for each of the 16 bytes: 1 if the byte is a dot.
unsigned FindDots(Uint128 text) {
  constexpr std::uint64_t kDots = 0x2E2E'2E2E'2E2E'2E2E;
  constexpr std::uint64_t kLowBits = 0x7F7F'7F7F'7F7F'7F7F;
  const auto find = [](std::uint64_t bytes) {
    // Sets the highest bit of each byte that is zero, that is, of each byte that was a dot.
    const std::uint64_t other = bytes ^ kDots;
    const std::uint64_t is_dot = ~(((other & kLowBits) + kLowBits) | other | kLowBits);
    // Gathers the eight bits in one byte.
    return static_cast<unsigned>((is_dot >> 7U) * 0x0102'0408'1020'4080 >> 56U);
  };
  return find(static_cast<std::uint64_t>(text)) | find(static_cast<std::uint64_t>(text >> 64U))
                                                      << 8U;
}

// Appends the lowest bytes of `text`, up to three digits, to `bits` as the next part. Sets `bad` to
// 1 if they are not a number up to 255, or if they have a leading zero: some readers take "010" for
// 8 and others for 10.
void AddV4Part(std::uint32_t text, unsigned size, std::uint32_t& bits, unsigned& bad) {
  struct Weights {
    unsigned first, second, third;
  };
  constexpr std::array<Weights, 4> kWeights = {{{0, 0, 0}, {1, 0, 0}, {10, 1, 0}, {100, 10, 1}}};
  const auto digit = [&](unsigned i) { return (text >> (8 * i) & 0xFFU) - unsigned{'0'}; };
  const Weights& weights = kWeights[size & 3U];
  const unsigned number =
      digit(0) * weights.first + digit(1) * weights.second + digit(2) * weights.third;
  bad |= unsigned{size - 1 > 2} | unsigned{number > 255} | unsigned{digit(0) > 9};
  bad |= unsigned{size > 1} & (unsigned{digit(0) == 0} | unsigned{digit(1) > 9});
  bad |= unsigned{size > 2} & unsigned{digit(2) > 9};
  bits = bits << 8U | (number & 0xFFU);
}

// The number of digits of a part is unpredictable, so the parser has no branch that depends on it:
// a list of addresses is looked up for every request.
std::optional<std::uint32_t> ParseV4(std::string_view text) {
  if (text.size() < kMinV4Text || text.size() > kMaxV4Text) return std::nullopt;
  const Uint128 bytes = LoadV4Text(text);
  unsigned dots = FindDots(bytes);
  if (std::popcount(dots) != 3) return std::nullopt;
  dots |= 1U << text.size();
  std::uint32_t bits = 0;
  unsigned bad = 0;
  unsigned at = 0;
  for (int part = 0; part < 4; ++part) {
    const auto end = static_cast<unsigned>(std::countr_zero(dots));
    AddV4Part(static_cast<std::uint32_t>(bytes >> (8 * at)), end - at, bits, bad);
    dots &= dots - 1;
    at = end + 1;
  }
  return bad != 0 ? std::nullopt : std::optional(bits);
}

constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> HexDigits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) digits[std::size_t{'0'} + i] = i;
  for (std::uint8_t i = 10; i < 16; ++i) {
    digits[std::size_t{'a'} + i - 10] = i;
    digits[std::size_t{'A'} + i - 10] = i;
  }
  return digits;
}

constexpr std::array<std::uint8_t, 256> kHexDigits = HexDigits();

// Parses the groups of one IPv6 text from left to right, in one pass.
class V6Reader {
 public:
  explicit V6Reader(std::string_view text) : text_(text) {}

  std::optional<IpAddress> Read() {
    if (text_.starts_with("::")) {
      gap_ = 0;
      at_ = 2;
    }
    while (at_ < text_.size()) {
      if (!ReadGroup() || !ReadSeparator()) return std::nullopt;
    }
    return FillGap();
  }

 private:
  // Reads a group of one to four digits, or the rest of the text as an IPv4 address.
  bool ReadGroup() {
    const std::size_t start = at_;
    const std::size_t stop = text_.size() - start < 4 ? text_.size() : start + 4;
    unsigned group = 0;
    for (; at_ < stop; ++at_) {
      const std::uint8_t digit = kHexDigits[static_cast<unsigned char>(text_[at_])];
      if (digit == kNoDigit) break;
      group = group << 4U | digit;
    }
    if (at_ < text_.size() && text_[at_] == '.') return ReadV4(start);
    if (at_ == start || groups_ == kGroups) return false;
    bits_ = bits_ << 16U | group;
    ++groups_;
    return true;
  }

  bool ReadV4(std::size_t start) {
    const std::optional<std::uint32_t> v4 = ParseV4(text_.substr(start));
    if (!v4 || groups_ > kGroups - 2) return false;
    bits_ = bits_ << 32U | *v4;
    groups_ += 2;
    at_ = text_.size();
    return true;
  }

  // Reads the end of the text, a colon that more text follows, or "::", which may end the text.
  bool ReadSeparator() {
    if (at_ == text_.size()) return true;
    if (text_[at_++] != ':' || at_ == text_.size()) return false;
    if (text_[at_] != ':') return true;
    if (gap_ >= 0) return false;
    gap_ = groups_;
    ++at_;
    return true;
  }

  // Moves the groups after "::" to the end. "::" replaces at least one group of zeros.
  [[nodiscard]] std::optional<IpAddress> FillGap() const {
    if (gap_ < 0 ? groups_ != kGroups : groups_ == kGroups) return std::nullopt;
    Uint128 bits = bits_;
    if (gap_ >= 0) {
      const auto behind = static_cast<unsigned>(16 * (groups_ - gap_));
      const auto missing = static_cast<unsigned>(16 * (kGroups - groups_));
      const Uint128 tail = bits & ((Uint128{1} << behind) - 1);
      // The shift takes two steps, because a shift by all 128 bits (for "::") is undefined.
      bits = (bits >> behind << behind << (missing - 16) << 16U) | tail;
    }
    return IpAddress{static_cast<std::uint64_t>(bits >> 64U), static_cast<std::uint64_t>(bits)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Uint128 bits_ = 0;  // the groups read so far, the last one lowest
  int groups_ = 0;
  int gap_ = -1;  // number of groups before "::", -1 if there is none
};

// --- writing --------------------------------------------------------------------------------

void AppendNumber(unsigned number, int base, std::string& out) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  out.append(digits.data(), end);
}

void AppendV4(std::uint32_t bits, std::string& out) {
  for (unsigned shift = 32; shift > 0;) {
    shift -= 8;
    AppendNumber(bits >> shift & 0xFFU, 10, out);
    if (shift > 0) out += '.';
  }
}

// The groups that "::" replaces: the longest run of zeros, the first one if several are longest,
// and never a single group.
struct Zeros {
  std::size_t start = kGroups;
  std::size_t size = 1;
};

Zeros LongestZeros(const std::array<unsigned, kGroups>& groups) {
  Zeros longest;
  std::size_t size = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    size = groups[i] == 0 ? size + 1 : 0;
    if (size > longest.size) longest = {i + 1 - size, size};
  }
  return longest;
}

void AppendV6(const IpAddress& address, std::string& out) {
  std::array<unsigned, kGroups> groups{};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::uint64_t half = i < 4 ? address.high : address.low;
    groups[i] = static_cast<unsigned>(half >> (48 - 16 * (i % 4)) & 0xFFFFU);
  }
  const Zeros zeros = LongestZeros(groups);
  const std::size_t begin = out.size();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == zeros.start) {
      out += "::";
      i += zeros.size - 1;
      continue;
    }
    if (out.size() != begin && out.back() != ':') out += ':';
    AppendNumber(groups[i], 16, out);
  }
}

std::string Format(const IpPrefix& prefix) {
  return Concat(FormatIpAddress(prefix.address), "/", prefix.length);
}

// --- prefixes -------------------------------------------------------------------------------

// The valid prefix lengths of an address, and how messages call such an address.
struct LengthRange {
  int min;
  int max;
  std::string_view kind;
};

LengthRange LengthsOf(const IpAddress& address, std::string_view written) {
  if (!address.IsV4()) return {0, kV6Bits, "IPv6 address"};
  if (written.find(':') == std::string_view::npos) return {0, kV4Bits, "IPv4 address"};
  return {kMappedBits, kV6Bits, "IPv4 address written as IPv6"};
}

// Parses a length within the range, without sign or leading zeros.
std::optional<int> ParseLength(std::string_view text, const LengthRange& range) {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  unsigned length = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, length);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  if (length > static_cast<unsigned>(range.max)) return std::nullopt;
  const auto whole = static_cast<int>(length);
  return whole < range.min ? std::nullopt : std::optional(whole);
}

std::uint64_t KeepTop(std::uint64_t bits, int count) {
  if (count <= 0) return 0;
  return count >= 64 ? bits : bits & (~std::uint64_t{0} << static_cast<unsigned>(64 - count));
}

// Returns the address cut to the first `count` of its 128 bits.
IpAddress KeepTop(const IpAddress& address, int count) {
  return {KeepTop(address.high, count), KeepTop(address.low, count - 64)};
}

}  // namespace

std::optional<IpAddress> ParseIpAddress(std::string_view text) {
  // No text is valid as both. ParseV4 rejects an IPv6 text early.
  if (const std::optional<std::uint32_t> v4 = ParseV4(text)) return IpAddress::FromV4(*v4);
  if (text.empty() || text.size() > kMaxV6Text) return std::nullopt;
  return V6Reader(text).Read();
}

void AppendIpAddress(const IpAddress& address, std::string& out) {
  if (address.IsV4()) {
    AppendV4(address.V4(), out);
  } else {
    AppendV6(address, out);
  }
}

std::string FormatIpAddress(const IpAddress& address) {
  std::string out;
  AppendIpAddress(address, out);
  return out;
}

IpAddress Cut(const IpAddress& address, IpPrefixLengths lengths) {
  assert(lengths.v4 >= 0 && lengths.v4 <= kV4Bits && lengths.v6 >= 0 && lengths.v6 <= kV6Bits);
  return KeepTop(address, address.IsV4() ? kMappedBits + lengths.v4 : lengths.v6);
}

Result<IpPrefix> ParseIpPrefix(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view written = text.substr(0, slash);
  const std::optional<IpAddress> address = ParseIpAddress(written);
  if (!address) {
    return Error{Concat(Quoted(text), " is no IP address or prefix; expected one like 192.0.2.1, ",
                        "10.0.0.0/8 or 2001:db8::/32")};
  }
  const int full = address->IsV4() ? kV4Bits : kV6Bits;
  if (slash == std::string_view::npos) return IpPrefix{*address, full};

  const LengthRange range = LengthsOf(*address, written);
  const std::optional<int> length = ParseLength(text.substr(slash + 1), range);
  if (!length) {
    return Error{Concat(Quoted(text), ": expected a prefix length from ", range.min, " to ",
                        range.max, " after the /, for an ", range.kind)};
  }
  const int beyond = *length - range.max;  // relative to the full length, zero or less
  const IpPrefix prefix = {KeepTop(*address, kV6Bits + beyond), full + beyond};
  if (prefix.address != *address) {
    return Error{Concat(Quoted(text), " has bits below the prefix; did you mean ", Format(prefix),
                        " or ", Format({*address, full}), "?")};
  }
  return prefix;
}

}  // namespace sluice
