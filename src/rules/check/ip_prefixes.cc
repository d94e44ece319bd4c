#include "rules/check/ip_prefixes.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sluice {
namespace {

// In this order a prefix is directly followed by all prefixes that it contains.
auto OrderOf(const IpPrefix& prefix) {
  return std::tuple(prefix.address.IsV4(), prefix.address, prefix.length);
}

// Cutting keeps the address family, so a prefix never contains one of the other family.
bool HoldsAll(const IpPrefix& wide, const IpPrefix& narrow) {
  if (wide.length > narrow.length) return false;
  const IpPrefixLengths lengths{.v4 = std::min(wide.length, 32), .v6 = wide.length};
  return Cut(narrow.address, lengths) == wide.address;
}

}  // namespace

IpPrefixes::IpPrefixes(std::vector<IpPrefix> prefixes) {
  std::ranges::sort(prefixes, {}, OrderOf);
  for (const IpPrefix& prefix : prefixes) {
    if (prefixes_.empty() || !HoldsAll(prefixes_.back(), prefix)) prefixes_.push_back(prefix);
  }
}

bool IpPrefixes::Holds(const IpPrefix& prefix) const {
  const auto after = std::ranges::upper_bound(prefixes_, OrderOf(prefix), {}, OrderOf);
  return after != prefixes_.begin() && HoldsAll(*std::prev(after), prefix);
}

bool IpPrefixes::Meets(const IpPrefix& prefix) const {
  if (Holds(prefix)) return true;
  const auto next = std::ranges::lower_bound(prefixes_, OrderOf(prefix), {}, OrderOf);
  return next != prefixes_.end() && HoldsAll(prefix, *next);
}

}  // namespace sluice
