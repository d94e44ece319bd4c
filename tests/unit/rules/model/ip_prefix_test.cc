#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "rules/model/ip_address.h"

namespace sluice {
namespace {

std::string Refusal(std::string_view text) {
  const Result<IpPrefix> prefix = ParseIpPrefix(text);
  return prefix.ok() ? "accepted" : prefix.error().message;
}

TEST(IpPrefixTest, ParsesPrefixesAndAddresses) {
  const struct {
    std::string_view text;
    std::string_view address;
    int length;
  } cases[] = {
      {"10.0.0.0/8", "10.0.0.0", 8},
      {"0.0.0.0/0", "0.0.0.0", 0},
      {"128.0.0.0/1", "128.0.0.0", 1},
      {"192.0.2.254/31", "192.0.2.254", 31},
      {"192.0.2.1/32", "192.0.2.1", 32},
      {"192.0.2.1", "192.0.2.1", 32},
      {"2001:db8::/32", "2001:db8::", 32},
      {"::/0", "::", 0},
      {"8000::/1", "8000::", 1},
      {"2001:db8:1:2::/64", "2001:db8:1:2::", 64},
      {"2001:db8:0:0:8000::/65", "2001:db8:0:0:8000::", 65},
      {"::1/128", "::1", 128},
      {"::1", "::1", 128},
      {"::fff0:0:0/92", "::fff0:0:0", 92},
  };
  for (const auto& [text, address, length] : cases) {
    const Result<IpPrefix> prefix = ParseIpPrefix(text);
    ASSERT_TRUE(prefix.ok()) << prefix.error().message;
    EXPECT_EQ(FormatIpAddress(prefix.value().address), address) << text;
    EXPECT_EQ(prefix.value().length, length) << text;
  }
}

TEST(IpPrefixTest, ParsesMappedPrefixAsIpv4) {
  const struct {
    std::string_view mapped;
    std::string_view v4;
  } cases[] = {
      {"::ffff:10.0.0.0/104", "10.0.0.0/8"}, {"::ffff:a00:0/104", "10.0.0.0/8"},
      {"::ffff:0:0/96", "0.0.0.0/0"},        {"::ffff:1.2.3.4/128", "1.2.3.4/32"},
      {"::ffff:1.2.3.4", "1.2.3.4"},
  };
  for (const auto& [mapped, v4] : cases) {
    const Result<IpPrefix> prefix = ParseIpPrefix(mapped);
    ASSERT_TRUE(prefix.ok()) << prefix.error().message;
    EXPECT_EQ(prefix.value(), ParseIpPrefix(v4).value()) << mapped;
  }
}

TEST(IpPrefixTest, RejectsMappedPrefixTooShortForIpv4) {
  EXPECT_EQ(Refusal("::ffff:10.0.0.0/8"),
            "'::ffff:10.0.0.0/8': expected a prefix length from 96 to 128 after the /, for an IPv4 "
            "address written as IPv6");
  EXPECT_NE(Refusal("::ffff:0:0/95"), "accepted");
  EXPECT_NE(Refusal("::ffff:0:0/129"), "accepted");
}

TEST(IpPrefixTest, RejectsBitsBelowPrefixWithSuggestions) {
  const struct {
    std::string_view text;
    std::string_view meant;
  } cases[] = {
      {"10.0.0.1/8", "10.0.0.0/8 or 10.0.0.1/32"},
      {"10.255.0.0/8", "10.0.0.0/8 or 10.255.0.0/32"},
      {"10.0.0.1/31", "10.0.0.0/31 or 10.0.0.1/32"},
      {"10.0.0.1/0", "0.0.0.0/0 or 10.0.0.1/32"},
      {"::ffff:10.0.0.1/104", "10.0.0.0/8 or 10.0.0.1/32"},
      {"2001:DB8::1/32", "2001:db8::/32 or 2001:db8::1/128"},
      {"2001:db8:1::/32", "2001:db8::/32 or 2001:db8:1::/128"},
      {"::1/0", "::/0 or ::1/128"},
      {"::1/127", "::/127 or ::1/128"},
  };
  for (const auto& [text, meant] : cases) {
    EXPECT_EQ(Refusal(text), "'" + std::string(text) +
                                 "' has bits below the prefix; did you mean " + std::string(meant) +
                                 "?");
  }
}

TEST(IpPrefixTest, RejectsBadLengthWithRange) {
  for (const std::string_view length :
       {"", "33", "64", "128", "-1", "+8", "08", "00", "8 ", " 8", "8.0", "0x8", "a", "8/8",
        "4294967304", "99999999999999999999999", "255.0.0.0"}) {
    const std::string text = "10.0.0.0/" + std::string(length);
    EXPECT_EQ(Refusal(text), "'" + text +
                                 "': expected a prefix length from 0 to 32 after the /, for an "
                                 "IPv4 address");
  }
  EXPECT_EQ(Refusal("2001:db8::/129"),
            "'2001:db8::/129': expected a prefix length from 0 to 128 after the /, for an IPv6 "
            "address");
  EXPECT_NE(Refusal("2001:db8::/032"), "accepted");
}

TEST(IpPrefixTest, RejectsOtherTextsWithExamples) {
  for (const std::string_view text : {"", "/", "/8", "10/8", "10.0.0/8", "010.0.0.0/8",
                                      "10.0.0.0 /8", "[::1]/128", "::1%lo/128", "office", "*"}) {
    EXPECT_EQ(Refusal(text), "'" + std::string(text) +
                                 "' is no IP address or prefix; expected one like 192.0.2.1, "
                                 "10.0.0.0/8 or 2001:db8::/32");
  }
}

TEST(IpPrefixTest, ErrorsAreShortAndOnOneLine) {
  const std::string message = Refusal("10.0.0.0/\n" + std::string(10'000, 'x'));
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_LT(message.size(), 300U);
}

}  // namespace
}  // namespace sluice
