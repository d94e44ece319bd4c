#include "rules/model/ip_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/random.h"

namespace sluice {
namespace {

using testing::ForEachSeed;
using testing::Random;

using Bytes = std::array<unsigned char, 16>;

IpAddress FromBytes(const Bytes& bytes) {
  IpAddress address;
  for (std::size_t i = 0; i < 8; ++i) {
    address.high = address.high << 8U | bytes[i];
    address.low = address.low << 8U | bytes[i + 8];
  }
  return address;
}

Bytes ToBytes(const IpAddress& address) {
  Bytes bytes{};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<unsigned char>(address.high >> (56 - 8 * i));
    bytes[i + 8] = static_cast<unsigned char>(address.low >> (56 - 8 * i));
  }
  return bytes;
}

// Parses the text with inet_pton. It has no special case for mapped addresses, but our IPv4 form is
// the mapped one, so the results are always equal.
std::optional<IpAddress> ReadBySystem(const std::string& text) {
  Bytes bytes{};
  if (inet_pton(AF_INET, text.c_str(), &bytes[12]) == 1) {
    bytes[10] = bytes[11] = 0xFF;
    return FromBytes(bytes);
  }
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return FromBytes(bytes);
  return std::nullopt;
}

std::string WrittenBySystem(const IpAddress& address) {
  const Bytes bytes = ToBytes(address);
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.IsV4()) {
    inet_ntop(AF_INET, &bytes[12], text.data(), text.size());
  } else {
    inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
  }
  return text.data();
}

IpAddress Read(std::string_view text) {
  const std::optional<IpAddress> address = ParseIpAddress(text);
  EXPECT_TRUE(address) << text;
  return address.value_or(IpAddress{});
}

struct Good {
  std::string_view text;
  std::uint64_t high;
  std::uint64_t low;
};

constexpr std::uint64_t kV4 = 0xFFFF'0000'0000;

constexpr Good kGood[] = {
    {"0.0.0.0", 0, kV4},
    {"1.2.3.4", 0, kV4 | 0x01020304},
    {"10.0.0.1", 0, kV4 | 0x0A000001},
    {"100.20.3.0", 0, kV4 | 0x64140300},
    {"127.0.0.1", 0, kV4 | 0x7F000001},
    {"192.168.100.200", 0, kV4 | 0xC0A864C8},
    {"249.250.199.99", 0, kV4 | 0xF9FAC763},
    {"255.255.255.255", 0, kV4 | 0xFFFFFFFF},
    {"::", 0, 0},
    {"::1", 0, 1},
    {"::0", 0, 0},
    {"1::", 0x0001'0000'0000'0000, 0},
    {"0::0", 0, 0},
    {"1::2", 0x0001'0000'0000'0000, 2},
    {"2001:db8::1", 0x2001'0db8'0000'0000, 1},
    {"2001:DB8::aBcD", 0x2001'0db8'0000'0000, 0xABCD},
    {"2001:0db8:0000:0000:0000:0000:0000:0001", 0x2001'0db8'0000'0000, 1},
    {"fe80::0123:4567:89ab:cdef", 0xfe80'0000'0000'0000, 0x0123'4567'89ab'cdef},
    {"1:2:3:4:5:6:7:8", 0x0001'0002'0003'0004, 0x0005'0006'0007'0008},
    {"0:0:0:0:0:0:0:0", 0, 0},
    {"1:2:3:4:5:6:7::", 0x0001'0002'0003'0004, 0x0005'0006'0007'0000},
    {"::2:3:4:5:6:7:8", 0x0000'0002'0003'0004, 0x0005'0006'0007'0008},
    {"1::3:4:5:6:7:8", 0x0001'0000'0003'0004, 0x0005'0006'0007'0008},
    {"1:2:3:4::5:6:7", 0x0001'0002'0003'0004, 0x0000'0005'0006'0007},
    {"1:2::7:8", 0x0001'0002'0000'0000, 0x0000'0000'0007'0008},
    {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ~0ULL, ~0ULL},
    {"::1.2.3.4", 0, 0x01020304},
    {"::fffe:1.2.3.4", 0, 0xFFFE'0102'0304},
    {"64:ff9b::192.0.2.33", 0x0064'ff9b'0000'0000, 0xC0000221},
    {"1:2:3:4:5:6:1.2.3.4", 0x0001'0002'0003'0004, 0x0005'0006'0102'0304},
    {"1::5:6:1.2.3.4", 0x0001'0000'0000'0000, 0x0005'0006'0102'0304},
    {"::2:3:4:5:6:1.2.3.4", 0x0000'0002'0003'0004, 0x0005'0006'0102'0304},
    {"1:2:3:4:5::1.2.3.4", 0x0001'0002'0003'0004, 0x0005'0000'0102'0304},
    {"::ffff:0:1.2.3.4", 0, 0xFFFF'0000'0102'0304},
    {"1000:2000:3000:4000:5000:6000:255.255.255.255", 0x1000'2000'3000'4000, 0x5000'6000'FFFF'FFFF},
};

constexpr std::string_view kBad[] = {
    "",
    " ",
    ".",
    ":",
    "...",
    ":::",
    "::::",
    "1",
    "1.2",
    "1.2.3",
    "1.2.3.",
    ".1.2.3",
    ".1.2.3.4",
    "1.2.3.4.",
    "1..2.3",
    "1..3.4",
    "1.2.3.4.5",
    "01.2.3.4",
    "1.2.3.04",
    "1.2.3.00",
    "1.02.3.4",
    "001.2.3.4",
    "256.1.1.1",
    "1.1.1.256",
    "1.1.1.300",
    "1.1.1.999",
    "1.1.1.1000",
    "4294967296.1.1.1",
    "1.2.3.4294967297",
    "16909060",
    "0x1.2.3.4",
    "1.2.3.a",
    "a.2.3.4",
    "1.2.3.-4",
    "+1.2.3.4",
    " 1.2.3.4",
    "1.2.3.4 ",
    "1.2.3.4\n",
    "1.2.3. 4",
    "1,2,3,4",
    "1.2.3.4:80",
    "1.2.3.4/32",
    "1.2.3:4",
    "1:2",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:",
    ":1:2:3:4:5:6:7",
    ":1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7:8:",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "::1:2:3:4:5:6:7:8",
    "1:2:3:4::5:6:7:8",
    "1:2:3:4:5:6:7::8:9",
    "1::2::3",
    "::1::",
    "1:::2",
    ":::1",
    "1:::",
    "1::2:",
    "::1:",
    ":1::2",
    ":1",
    "1:",
    "12345::",
    "::12345",
    "::00001",
    "::0123456789abcdef",
    "0123456789abcdef::",
    "::g",
    "::-1",
    "::1%eth0",
    "fe80::1%1",
    "[::1]",
    "[::1]:80",
    "::1 ",
    " ::1",
    "::1/128",
    "::1.2.3",
    "::1.2.3.4.5",
    "::01.2.3.4",
    "::1.2.3.256",
    "::1.2.3.4:5",
    "::1.2.3.4::",
    "1.2.3.4::",
    "1.2.3.4::1",
    "::a.2.3.4",
    "::1.2.3.4%lo",
    "1:2:3:4:5:1.2.3.4",
    "1:2:3:4:5:6:7:1.2.3.4",
    "1:2:3:4:5:6::1.2.3.4",
    "::2:3:4:5:6:7:1.2.3.4",
    "::.1.2.3",
    "::ffff.1.2.3",
    "localhost",
    "\xd9\xa1.2.3.4",
};

TEST(IpAddressTest, ParsesValidTexts) {
  for (const Good& good : kGood) {
    EXPECT_EQ(Read(good.text), (IpAddress{good.high, good.low})) << good.text;
    EXPECT_EQ(ReadBySystem(std::string(good.text)), ParseIpAddress(good.text)) << good.text;
  }
}

TEST(IpAddressTest, RejectsInvalidTexts) {
  for (const std::string_view bad : kBad) {
    EXPECT_FALSE(ParseIpAddress(bad)) << bad;
    EXPECT_FALSE(ReadBySystem(std::string(bad))) << bad;
  }
}

TEST(IpAddressTest, RejectsZeroBytes) {
  for (const std::string_view text : {"1.2.3.4", "::1", "1::", "::1.2.3.4"}) {
    std::string longer(text);
    longer += '\0';
    EXPECT_FALSE(ParseIpAddress(longer)) << text;
    longer += "1";
    EXPECT_FALSE(ParseIpAddress(longer)) << text;
  }
}

TEST(IpAddressTest, RejectsVeryLongTexts) {
  for (const std::string_view piece : {"1", "1.", ".", ":", "1:", "::", "0000:", "\xff"}) {
    std::string text;
    while (text.size() < 1'000'000) text += piece;
    EXPECT_FALSE(ParseIpAddress(text)) << piece;
    EXPECT_FALSE(ParseIpAddress("1.2.3.4" + text)) << piece;
    EXPECT_FALSE(ParseIpAddress("::1" + text)) << piece;
  }
}

// The text ends where the view ends, whatever bytes follow it.
TEST(IpAddressTest, IgnoresBytesAfterView) {
  EXPECT_EQ(Read(std::string_view("1.2.3.45").substr(0, 7)), Read("1.2.3.4"));
  EXPECT_EQ(Read(std::string_view("::1:2").substr(0, 3)), Read("::1"));
  EXPECT_EQ(Read(std::string_view("1:::").substr(0, 3)), Read("1::"));
  EXPECT_FALSE(ParseIpAddress(std::string_view("1.2.3.4").substr(0, 6)));
}

TEST(IpAddressTest, ParsesEverySpellingOfMappedAddressAsIpv4) {
  for (const std::string_view text :
       {"::ffff:1.2.3.4", "::FFFF:1.2.3.4", "::ffff:0102:0304", "::ffff:102:304",
        "0:0:0:0:0:ffff:1.2.3.4", "0000:0000:0000:0000:0000:ffff:0102:0304", "0::ffff:102:304",
        "::0:ffff:1.2.3.4", "0:0::0:ffff:102:304"}) {
    EXPECT_EQ(Read(text), Read("1.2.3.4")) << text;
    EXPECT_TRUE(Read(text).IsV4()) << text;
  }
  EXPECT_EQ(Read("::ffff:1.2.3.4").V4(), 0x01020304U);
}

TEST(IpAddressTest, KeepsOtherAddressesWithIpv4BitsAsIpv6) {
  for (const std::string_view text : {"::1.2.3.4", "::ffff:0:1.2.3.4", "::fffe:1.2.3.4", "::",
                                      "1::ffff:1.2.3.4", "64:ff9b::1.2.3.4", "::1:ffff:1.2.3.4"}) {
    EXPECT_FALSE(Read(text).IsV4()) << text;
    EXPECT_NE(Read(text), Read("1.2.3.4")) << text;
  }
  EXPECT_NE(Read("0.0.0.0"), Read("::"));
  EXPECT_NE(Read("0.0.0.1"), Read("::1"));
}

// Returns a text that is an address, or nearly: groups and numbers of common and odd sizes with
// correct and, at times, wrong separators, then sometimes one byte changed.
std::string RandomText(Random& random) {
  std::string text;
  const bool v4 = random.OneIn(3);
  const std::int64_t parts = v4 ? (random.OneIn(8) ? 3 : 4) : random.Between(1, 9);
  const std::int64_t gap = random.OneIn(3) ? -1 : random.Between(0, parts);
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  for (std::int64_t i = 0; i < parts; ++i) {
    if (v4) {
      if (i > 0) text += '.';
      text += std::to_string(random.Spread(0, 300));
      continue;
    }
    if (i == gap) text += i == 0 ? "::" : ":";
    const std::int64_t digits = random.OneIn(30) ? 5 : random.Between(1, 4);
    for (std::int64_t j = 0; j < digits; ++j) {
      text += kHex[static_cast<std::size_t>(random.Between(0, 21))];
    }
    if (i + 1 < parts) text += ':';
  }
  if (gap == parts) text += "::";
  if (!v4 && random.OneIn(4)) text += ":1.20.255.0";
  if (random.OneIn(3)) {
    constexpr std::string_view kOdd = "0123456789af:.::..%/ gG[]-+x\x80";
    const auto odd = kOdd[static_cast<std::size_t>(random.Bits() % kOdd.size())];
    const auto at = static_cast<std::size_t>(random.Bits() % (text.size() + 1));
    if (random.OneIn(2)) {
      text.insert(at, 1, odd);
    } else {
      text.erase(at, 1);
    }
  }
  return text;
}

TEST(IpAddressTest, AgreesWithInetPtonOnRandomTexts) {
  int good = 0;
  int bad = 0;
  ForEachSeed(100, [&](Random& random) {
    for (int i = 0; i < 2000; ++i) {
      const std::string text = RandomText(random);
      const std::optional<IpAddress> expected = ReadBySystem(text);
      ASSERT_EQ(ParseIpAddress(text), expected) << "'" << text << "'";
      ++(expected ? good : bad);
    }
  });
  EXPECT_GT(good, bad / 10);
  EXPECT_GT(bad, good / 10);
}

TEST(IpAddressTest, AgreesWithInetPtonOnEveryShortText) {
  constexpr std::string_view kBytes = "019af:.g";
  for (std::size_t size = 1; size <= 6; ++size) {
    std::string text(size, kBytes.front());
    std::size_t count = 1;
    for (std::size_t i = 0; i < size; ++i) count *= kBytes.size();
    for (std::size_t number = 0; number < count; ++number) {
      std::size_t rest = number;
      for (char& c : text) {
        c = kBytes[rest % kBytes.size()];
        rest /= kBytes.size();
      }
      ASSERT_EQ(ParseIpAddress(text), ReadBySystem(text)) << text;
    }
  }
}

// Returns random bits, with many groups of all zeros and all ones.
IpAddress RandomAddress(Random& random) {
  if (random.OneIn(3)) return IpAddress::FromV4(static_cast<std::uint32_t>(random.Bits()));
  const auto half = [&] {
    std::uint64_t bits = 0;
    for (int i = 0; i < 4; ++i) {
      const auto group = static_cast<std::uint64_t>(random.Spread(0, 0xFFFF));
      bits = bits << 16U | random.Pick<std::uint64_t>({0, 0, group, group, 0xFFFF});
    }
    return bits;
  };
  return {half(), half()};
}

// inet_ntop writes addresses in ::/96 with an IPv4 ending, an old form that RFC 5952 does not
// require.
bool IsWrittenOtherwiseBySystem(const IpAddress& address) {
  return address.high == 0 && address.low >> 32U == 0 && address.low >= 0x10000;
}

TEST(IpAddressTest, FormatsLikeInetNtopAndParsesBack) {
  ForEachSeed(100, [](Random& random) {
    for (int i = 0; i < 1000; ++i) {
      const IpAddress address = RandomAddress(random);
      const std::string text = FormatIpAddress(address);
      ASSERT_EQ(ParseIpAddress(text), address) << text;
      ASSERT_EQ(ParseIpAddress(WrittenBySystem(address)), address) << text;
      if (!IsWrittenOtherwiseBySystem(address)) {
        ASSERT_EQ(text, WrittenBySystem(address));
      }
    }
  });
}

TEST(IpAddressTest, FormatsByRfc5952) {
  const struct {
    std::string_view text;
    std::string_view written;
  } cases[] = {
      {"::", "::"},
      {"0:0:0:0:0:0:0:1", "::1"},
      {"1:0:0:0:0:0:0:0", "1::"},
      {"2001:0DB8:0:0:0:0:0:1", "2001:db8::1"},
      {"2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},  // no "::" for a single group
      {"2001:0:0:1:0:0:0:1", "2001:0:0:1::1"},          // the longest run
      {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},    // the first of two
      {"0:0:1:2:3:4:0:0", "::1:2:3:4:0:0"},
      {"1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"},
      {"0:2:3:4:5:6:7:0", "0:2:3:4:5:6:7:0"},
      {"::ffff:192.0.2.1", "192.0.2.1"},
      {"::1.2.3.4", "::102:304"},
      {"255.255.255.255", "255.255.255.255"},
      {"0.0.0.0", "0.0.0.0"},
  };
  for (const auto& [text, written] : cases) EXPECT_EQ(FormatIpAddress(Read(text)), written);
}

TEST(IpAddressTest, CutClearsBitsAfterPrefix) {
  const IpAddress v4 = Read("255.255.255.255");
  EXPECT_EQ(Cut(v4, {.v4 = 32, .v6 = 0}), v4);
  EXPECT_EQ(Cut(v4, {.v4 = 31, .v6 = 0}), Read("255.255.255.254"));
  EXPECT_EQ(Cut(v4, {.v4 = 24, .v6 = 128}), Read("255.255.255.0"));
  EXPECT_EQ(Cut(v4, {.v4 = 1, .v6 = 128}), Read("128.0.0.0"));
  EXPECT_EQ(Cut(v4, {.v4 = 0, .v6 = 128}), Read("0.0.0.0"));
  const IpAddress v6 = Read("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
  EXPECT_EQ(Cut(v6, {.v4 = 0, .v6 = 128}), v6);
  EXPECT_EQ(Cut(v6, {.v4 = 0, .v6 = 127}), Read("ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe"));
  EXPECT_EQ(Cut(v6, {.v4 = 0, .v6 = 65}), Read("ffff:ffff:ffff:ffff:8000::"));
  EXPECT_EQ(Cut(v6, {.v4 = 0, .v6 = 64}), Read("ffff:ffff:ffff:ffff::"));
  EXPECT_EQ(Cut(v6, {.v4 = 0, .v6 = 63}), Read("ffff:ffff:ffff:fffe::"));
  EXPECT_EQ(Cut(v6, {.v4 = 0, .v6 = 1}), Read("8000::"));
  EXPECT_EQ(Cut(v6, {.v4 = 32, .v6 = 0}), Read("::"));
}

TEST(IpAddressTest, DefaultCutKeepsIpv4AndSixtyFourBitsOfIpv6) {
  EXPECT_EQ(Cut(Read("192.0.2.1"), {}), Read("192.0.2.1"));
  EXPECT_EQ(Cut(Read("2001:db8:1:2:3:4:5:6"), {}), Read("2001:db8:1:2::"));
}

TEST(IpAddressTest, CutKeepsAddressFamily) {
  for (const std::string_view text : {"::1:ffff:1.2.3.4", "::ffff:ffff:1.2.3.4", "1::ffff:0:0"}) {
    for (int length = 0; length <= 128; ++length) {
      EXPECT_FALSE(Cut(Read(text), {.v4 = 0, .v6 = length}).IsV4()) << text << " " << length;
    }
  }
  for (int length = 0; length <= 32; ++length) {
    EXPECT_TRUE(Cut(Read("1.2.3.4"), {.v4 = length, .v6 = 0}).IsV4()) << length;
  }
}

}  // namespace
}  // namespace sluice
