#include "rules/compile/ip_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/random.h"

namespace sluice {
namespace {

using testing::ForEachSeed;
using testing::Random;

IpAddress Address(std::string_view text) { return ParseIpAddress(text).value(); }

IpSet SetOf(const std::vector<std::string_view>& texts) {
  std::vector<IpPrefix> prefixes;
  for (const std::string_view text : texts) prefixes.push_back(ParseIpPrefix(text).value());
  return IpSet(prefixes);
}

struct Probe {
  std::string_view address;
  bool inside;
};

void ExpectMembers(const IpSet& set, const std::vector<Probe>& probes) {
  for (const auto& [address, inside] : probes) {
    EXPECT_EQ(set.Contains(Address(address)), inside) << address;
  }
}

TEST(IpSetTest, EmptySetContainsNothing) {
  for (const IpSet& set : {IpSet(), SetOf({})}) {
    EXPECT_EQ(set.RangeCountForTest(), 0U);
    ExpectMembers(set, {{"0.0.0.0", false},
                        {"255.255.255.255", false},
                        {"::", false},
                        {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false}});
  }
}

TEST(IpSetTest, ContainsExactlyTheRangeOfPrefix) {
  ExpectMembers(SetOf({"10.0.0.0/8"}), {{"9.255.255.255", false},
                                        {"10.0.0.0", true},
                                        {"10.1.2.3", true},
                                        {"10.255.255.255", true},
                                        {"11.0.0.0", false}});
  ExpectMembers(SetOf({"2001:db8::/32"}), {{"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", false},
                                           {"2001:db8::", true},
                                           {"2001:db8:1:2:3:4:5:6", true},
                                           {"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", true},
                                           {"2001:db9::", false}});
}

TEST(IpSetTest, ComparesLowerHalfForLongIpv6Prefixes) {
  const IpSet set = SetOf({"2001:db8::10/124", "2001:db8::30/128", "2001:db8:0:1::/65"});
  ExpectMembers(set, {{"2001:db8::", false},
                      {"2001:db8::f", false},
                      {"2001:db8::10", true},
                      {"2001:db8::1f", true},
                      {"2001:db8::20", false},
                      {"2001:db8::2f", false},
                      {"2001:db8::30", true},
                      {"2001:db8::31", false},
                      {"2001:db8:0:1::", true},
                      {"2001:db8:0:1:7fff:ffff:ffff:ffff", true},
                      {"2001:db8:0:1:8000::", false},
                      {"2001:db8:0:2::10", false}});
}

TEST(IpSetTest, AllOfOneFamilyContainsNoneOfTheOther) {
  ExpectMembers(SetOf({"0.0.0.0/0"}), {{"0.0.0.0", true},
                                       {"127.255.255.255", true},
                                       {"255.255.255.255", true},
                                       {"::", false},
                                       {"::1.2.3.4", false}});
  ExpectMembers(SetOf({"::/0"}), {{"::", true},
                                  {"::fffe:ffff:ffff", true},
                                  {"::1:0:0:0", true},
                                  {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true},
                                  {"0.0.0.0", false},
                                  {"255.255.255.255", false}});
}

TEST(IpSetTest, TreatsMappedPrefixAsIpv4) {
  ExpectMembers(SetOf({"::ffff:10.0.0.0/104"}), {{"10.1.2.3", true},
                                                 {"::ffff:10.1.2.3", true},
                                                 {"::ffff:a01:203", true},
                                                 {"::10.1.2.3", false}});
}

TEST(IpSetTest, ContainsLowestAndHighestAddress) {
  ExpectMembers(SetOf({"0.0.0.0/32", "255.255.255.255/32", "::/128",
                       "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128"}),
                {{"0.0.0.0", true},
                 {"0.0.0.1", false},
                 {"255.255.255.254", false},
                 {"255.255.255.255", true},
                 {"::", true},
                 {"::1", false},
                 {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe", false},
                 {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true}});
}

TEST(IpSetTest, MergesOverlappingAndAdjoiningPrefixes) {
  const struct {
    std::vector<std::string_view> prefixes;
    std::size_t ranges;
  } cases[] = {
      {{"10.0.0.0/8"}, 1},
      {{"10.0.0.0/8", "10.0.0.0/8"}, 1},
      {{"10.0.0.1", "10.0.0.1"}, 1},
      {{"10.0.0.1", "10.0.0.0/31"}, 1},
      {{"255.255.255.255", "255.255.255.255"}, 1},
      {{"::", "::"}, 1},
      {{"2001:db8::1", "2001:db8::1"}, 1},
      {{"10.1.0.0/16", "10.0.0.0/8", "10.2.3.4"}, 1},
      {{"10.0.1.0/24", "10.0.0.0/24"}, 1},
      {{"10.0.0.0/24", "10.0.2.0/24"}, 2},
      {{"10.0.0.0/24", "10.0.2.0/24", "10.0.1.0/24"}, 1},
      {{"10.0.0.0", "10.0.0.1", "10.0.0.3"}, 2},
      {{"0.0.0.0/1", "128.0.0.0/1"}, 1},
      {{"0.0.0.0/0"}, 1},
      {{"0.0.0.0/8", "255.0.0.0/8"}, 2},
      {{"255.255.255.255", "0.0.0.0"}, 2},
      {{"2001:db8::/33", "2001:db8:8000::/33"}, 1},
      {{"2001:db8::ffff:ffff:ffff:ffff", "2001:db8:0:1::"}, 1},
      {{"::/1", "8000::/1"}, 1},
      {{"::/0", "2001:db8::/32"}, 1},
      {{"::/128", "ffff::/16"}, 2},
      {{"255.255.255.255", "::"}, 2},
      {{"0.0.0.0/0", "::/0"}, 2},
  };
  for (const auto& [prefixes, ranges] : cases) {
    EXPECT_EQ(SetOf(prefixes).RangeCountForTest(), ranges) << prefixes.front();
  }
}

// The range of the short prefix continues after the longer ones inside it have ended.
TEST(IpSetTest, WiderPrefixExtendsPastNestedOnes) {
  ExpectMembers(SetOf({"10.0.0.0/8", "10.0.0.0/24", "10.0.9.0/24"}),
                {{"10.0.0.9", true}, {"10.0.5.0", true}, {"10.9.0.0", true}, {"11.0.0.0", false}});
}

TEST(IpSetTest, CopyContainsSameAddresses) {
  IpSet copy;
  {
    const IpSet set = SetOf({"10.0.0.0/8", "2001:db8::/32"});
    copy = set;
  }
  ExpectMembers(copy, {{"10.1.1.1", true}, {"11.1.1.1", false}, {"2001:db8::1", true}});
}

bool IsIn(const IpPrefix& prefix, const IpAddress& address) {
  const IpPrefixLengths lengths = {prefix.address.IsV4() ? prefix.length : 0,
                                   prefix.address.IsV4() ? 0 : prefix.length};
  return prefix.address.IsV4() == address.IsV4() && Cut(address, lengths) == prefix.address;
}

// Draws addresses from a small subset of all, so that prefixes overlap.
class Crowd {
 public:
  explicit Crowd(Random& random)
      : random_(random),
        v4_mask_(static_cast<std::uint32_t>(SomeBits())),
        high_mask_(SomeBits()),
        low_mask_(SomeBits()) {}

  IpAddress Draw() {
    if (random_.OneIn(2)) {
      return IpAddress::FromV4(static_cast<std::uint32_t>(random_.Bits()) & v4_mask_);
    }
    return {random_.Bits() & high_mask_, random_.Bits() & low_mask_};
  }

  IpPrefix DrawPrefix() {
    const IpAddress address = Draw();
    const int max = address.IsV4() ? 32 : 128;
    const int min = random_.OneIn(20) ? 0 : max / 4;
    const int length = static_cast<int>(random_.Between(min, max));
    return {Cut(address, {std::min(length, 32), length}), length};
  }

 private:
  std::uint64_t SomeBits() {
    return random_.Pick<std::uint64_t>({~std::uint64_t{0}, random_.Bits() & random_.Bits(),
                                        random_.Bits() & random_.Bits() & random_.Bits(), 0xFF});
  }

  Random& random_;
  std::uint32_t v4_mask_;
  std::uint64_t high_mask_;
  std::uint64_t low_mask_;
};

// Returns the address or one near it.
IpAddress Near(Random& random, IpAddress address) {
  const auto step = static_cast<std::uint64_t>(random.Between(-1, 1));
  if (address.IsV4()) return IpAddress::FromV4(address.V4() + static_cast<std::uint32_t>(step));
  address.low += step;
  if (random.OneIn(4)) address.high += static_cast<std::uint64_t>(random.Between(-1, 1));
  if (random.OneIn(4)) address.low = random.Pick<std::uint64_t>({0, ~std::uint64_t{0}});
  return address;
}

TEST(IpSetTest, AgreesWithPrefixesOnRandomSets) {
  ForEachSeed(300, [](Random& random) {
    Crowd crowd(random);
    std::vector<IpPrefix> prefixes(static_cast<std::size_t>(random.Spread(0, 3000)));
    for (IpPrefix& prefix : prefixes) prefix = crowd.DrawPrefix();
    const IpSet set(prefixes);
    for (int i = 0; i < 300; ++i) {
      IpAddress address = crowd.Draw();
      if (!prefixes.empty() && random.OneIn(2)) {
        address = Near(random, prefixes[random.Bits() % prefixes.size()].address);
      }
      const bool inside = std::any_of(prefixes.begin(), prefixes.end(),
                                      [&](const IpPrefix& p) { return IsIn(p, address); });
      ASSERT_EQ(set.Contains(address), inside) << FormatIpAddress(address);
    }
  });
}

TEST(IpSetTest, DistinguishesManyAddressesOfOneIpv6Network) {
  std::vector<IpPrefix> prefixes;
  for (std::uint64_t i = 0; i < 3000; ++i) prefixes.push_back({{7, 3 * i + 1}, 128});
  prefixes.push_back({{6, 0}, 64});
  prefixes.push_back({{8, 5}, 128});
  const IpSet set(prefixes);
  EXPECT_EQ(set.RangeCountForTest(), prefixes.size());
  for (std::uint64_t low = 0; low < 9010; ++low) {
    ASSERT_EQ(set.Contains({7, low}), low < 9000 && low % 3 == 1) << low;
    ASSERT_TRUE(set.Contains({6, low}));
    ASSERT_EQ(set.Contains({8, low}), low == 5);
  }
}

TEST(IpSetTest, RangeTakesLittleMemory) {
  std::vector<IpPrefix> v4;
  std::vector<IpPrefix> v6;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    v4.push_back({IpAddress::FromV4(i << 8U), 32});
    v6.push_back({{std::uint64_t{i} << 20U, 1}, 128});
  }
  EXPECT_EQ(IpSet(v4).RangeCountForTest(), v4.size());
  EXPECT_LT(IpSet(v4).MemoryBytesForTest(), 11 * v4.size());
  EXPECT_EQ(IpSet(v6).RangeCountForTest(), v6.size());
  EXPECT_LT(IpSet(v6).MemoryBytesForTest(), 35 * v6.size());
}

}  // namespace
}  // namespace sluice
