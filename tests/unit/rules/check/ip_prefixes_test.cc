#include "rules/check/ip_prefixes.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace sluice {
namespace {

IpPrefix Prefix(std::string_view text) { return ParseIpPrefix(text).value(); }

TEST(IpPrefixesTest, DropsPrefixesInsideWiderOnes) {
  const IpPrefixes prefixes({Prefix("10.1.0.0/16"), Prefix("10.0.0.0/8"), Prefix("10.0.0.0/8"),
                             Prefix("::/0"), Prefix("2001:db8::/32"), Prefix("11.0.0.0/8")});
  EXPECT_EQ(prefixes.all(),
            std::vector<IpPrefix>({Prefix("::/0"), Prefix("10.0.0.0/8"), Prefix("11.0.0.0/8")}));
}

TEST(IpPrefixesTest, HoldsContainedAndMeetsOverlappingPrefixes) {
  const IpPrefixes prefixes({Prefix("10.0.0.0/8"), Prefix("192.0.2.7"), Prefix("2001:db8::/32")});
  for (const char* held : {"10.0.0.0/8", "10.0.0.0", "10.255.255.255", "10.9.0.0/16", "192.0.2.7",
                           "2001:db8::/32", "2001:db8:ffff::/48"}) {
    EXPECT_TRUE(prefixes.Holds(Prefix(held))) << held;
    EXPECT_TRUE(prefixes.Meets(Prefix(held))) << held;
  }
  for (const char* met : {"10.0.0.0/7", "0.0.0.0/0", "192.0.2.0/24", "::/0", "2001::/16"}) {
    EXPECT_FALSE(prefixes.Holds(Prefix(met))) << met;
    EXPECT_TRUE(prefixes.Meets(Prefix(met))) << met;
  }
  for (const char* apart : {"9.255.255.255", "11.0.0.0/8", "192.0.2.6", "192.0.2.8",
                            "2001:db9::", "2001:db7::/32", "::/96"}) {
    EXPECT_FALSE(prefixes.Holds(Prefix(apart))) << apart;
    EXPECT_FALSE(prefixes.Meets(Prefix(apart))) << apart;
  }
}

TEST(IpPrefixesTest, Ipv4AndIpv6NeverMeet) {
  EXPECT_FALSE(IpPrefixes({Prefix("::/0")}).Meets(Prefix("10.0.0.1")));
  EXPECT_FALSE(IpPrefixes({Prefix("0.0.0.0/0")}).Meets(Prefix("::/0")));
  EXPECT_FALSE(IpPrefixes().Meets(Prefix("::/0")));
  EXPECT_TRUE(IpPrefixes().empty());
}

}  // namespace
}  // namespace sluice
