// IP addresses and prefixes: reading, writing and cutting them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/result.h"

namespace sluice {

// An IPv4 or IPv6 address, a plain value of 128 bits in host order.
//
// An IPv4 address is held as the IPv6 address it maps to, ::ffff:a.b.c.d. So the two spellings of
// one client are one value, and no IPv6 address proper ever equals an IPv4 one: what begins with
// ::ffff:0:0/96 is IPv4 here, wherever it came from. The default is "::".
struct IpAddress {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  static constexpr IpAddress FromV4(std::uint32_t bits) { return {0, kV4Mark << 32U | bits}; }

  [[nodiscard]] constexpr bool IsV4() const { return high == 0 && low >> 32U == kV4Mark; }
  // The four bytes, the first of the text on top. REQUIRES: IsV4().
  [[nodiscard]] constexpr std::uint32_t V4() const { return static_cast<std::uint32_t>(low); }

  // NOLINTNEXTLINE(modernize-use-nullptr): it is about a 0 that the compiler writes.
  friend constexpr auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  static constexpr std::uint64_t kV4Mark = 0xFFFF;
};

// Reads "192.0.2.1" (four decimal numbers without leading zeros) and every IPv6 text of RFC 4291,
// "::" and a trailing IPv4 part included. Nothing else: no spaces, brackets, ports or zones
// ("%eth0"). Does not allocate.
std::optional<IpAddress> ParseIpAddress(std::string_view text);

// The one text of an address by RFC 5952: "192.0.2.1", "2001:db8::1".
std::string FormatIpAddress(const IpAddress& address);
// Appends the same.
void AppendIpAddress(const IpAddress& address, std::string& out);

// How many leading bits of an address count, by its kind. A household or a server commonly has a
// whole IPv6 /64, so the default takes that for one client.
// Invariants: 0 <= v4 <= 32, 0 <= v6 <= 128.
struct IpPrefixLengths {
  int v4 = 32;
  int v6 = 64;
};

// The address with all bits after its prefix zeroed. It stays IPv4 or IPv6: a length of less than
// 96 zeroes a bit of the mark of IPv4, one of 96 or more leaves the mark as it is.
IpAddress Cut(const IpAddress& address, IpPrefixLengths lengths);

// All addresses that begin with the first `length` bits of `address`, of the same kind only: ::/0
// holds no IPv4 address.
// Invariants: 0 <= length <= 32 for IPv4, <= 128 for IPv6; the bits of address after it are zero.
struct IpPrefix {
  IpAddress address;
  int length = 0;

  friend bool operator==(const IpPrefix&, const IpPrefix&) = default;
};

// Reads "10.0.0.0/8", "2001:db8::/32" or an address alone, which is a prefix of full length.
// ::ffff:10.0.0.0/104 is 10.0.0.0/8. An address with bits after the prefix is refused, because
// which of the two was meant cannot be known, and guessing would let in or lock out strangers.
Result<IpPrefix> ParseIpPrefix(std::string_view text);

}  // namespace sluice
