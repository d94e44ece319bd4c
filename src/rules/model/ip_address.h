// IP addresses and prefixes: parsing, formatting and cutting them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/result.h"

namespace sluice {

// An IPv4 or IPv6 address: a plain value of 128 bits in host order.
//
// An IPv4 address is stored as the IPv6 address it maps to, ::ffff:a.b.c.d. The two spellings of
// one client are therefore one value, and anything within ::ffff:0:0/96 is IPv4 here, wherever it
// came from; no other IPv6 address ever equals an IPv4 one. The default is "::".
struct IpAddress {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  static constexpr IpAddress FromV4(std::uint32_t bits) { return {0, kV4Mark << 32U | bits}; }

  [[nodiscard]] constexpr bool IsV4() const { return high == 0 && low >> 32U == kV4Mark; }
  // Returns the four bytes, the first one of the text highest. REQUIRES: IsV4().
  [[nodiscard]] constexpr std::uint32_t V4() const { return static_cast<std::uint32_t>(low); }

  // NOLINTNEXTLINE(modernize-use-nullptr): it is about a 0 that the compiler writes.
  friend constexpr auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  static constexpr std::uint64_t kV4Mark = 0xFFFF;
};

// Parses "192.0.2.1" (four decimal numbers without leading zeros) and every IPv6 text of RFC 4291,
// including "::" and a trailing IPv4 part. Accepts nothing else: no spaces, brackets, ports or
// zones ("%eth0"). Does not allocate.
std::optional<IpAddress> ParseIpAddress(std::string_view text);

// Returns the canonical text of an address (RFC 5952): "192.0.2.1", "2001:db8::1".
std::string FormatIpAddress(const IpAddress& address);
// Appends the canonical text.
void AppendIpAddress(const IpAddress& address, std::string& out);

// How many leading bits of an address are kept in a key. A household or a server commonly has a
// whole IPv6 /64, so the default treats a /64 as one client.
// Invariants: 0 <= v4 <= 32, 0 <= v6 <= 128.
struct IpPrefixLengths {
  int v4 = 32;
  int v6 = 64;
};

// Returns the address with all bits after its prefix set to zero. An IPv6 address never turns into
// an IPv4 one or vice versa: a length below 96 clears a bit of the IPv4 mark ::ffff, a length of 96
// or more keeps the whole mark.
IpAddress Cut(const IpAddress& address, IpPrefixLengths lengths);

// All addresses that begin with the first `length` bits of `address`, of the same family only: ::/0
// contains no IPv4 address.
// Invariants: 0 <= length <= 32 for IPv4, <= 128 for IPv6; the bits of address after it are zero.
struct IpPrefix {
  IpAddress address;
  int length = 0;

  friend bool operator==(const IpPrefix&, const IpPrefix&) = default;
};

// Parses "10.0.0.0/8", "2001:db8::/32" or a single address, which is a prefix of full length.
// ::ffff:10.0.0.0/104 is 10.0.0.0/8. An address with bits set after the prefix is an error: either
// the address or the length may be the mistake, and a wrong guess would admit or block other
// clients.
Result<IpPrefix> ParseIpPrefix(std::string_view text);

}  // namespace sluice
