#include "net/tls/tls_name.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "net/loop/ip_text.h"

namespace sluice {
namespace {

constexpr std::string_view kAnyLabel = "*.";

// Returns the canonical text of an address of this family; empty if `text` is not one.
std::string NormalIp(int family, const std::string& text) {
  std::array<char, sizeof(in6_addr)> bytes{};
  if (inet_pton(family, text.c_str(), bytes.data()) != 1) return {};
  return IpText({bytes.data(), family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr)});
}

bool Covers(const TlsName& wanted, const TlsName& shown) {
  if (wanted == shown) return true;
  if (wanted.kind != TlsName::Kind::kDns || shown.kind != TlsName::Kind::kDns) return false;
  if (!wanted.text.starts_with(kAnyLabel)) return false;
  const std::size_t dot = shown.text.find('.');
  if (dot == std::string::npos || dot == 0) return false;
  return std::string_view(shown.text).substr(dot) == std::string_view(wanted.text).substr(1);
}

}  // namespace

TlsName ParseTlsName(std::string_view text) {
  const std::string whole(text);
  for (const int family : {AF_INET, AF_INET6}) {
    std::string ip = NormalIp(family, whole);
    if (!ip.empty()) return {TlsName::Kind::kIp, std::move(ip)};
  }
  if (text.find(':') != std::string_view::npos) return {TlsName::Kind::kUri, whole};
  return MakeDnsName(text);
}

TlsName MakeDnsName(std::string_view text) {
  TlsName name{TlsName::Kind::kDns, {}};
  std::ranges::transform(text, std::back_inserter(name.text), ToLower);
  return name;
}

bool IsAnyOf(std::span<const TlsName> shown, std::span<const TlsName> wanted) {
  return std::ranges::any_of(wanted, [&](const TlsName& one) {
    return std::ranges::any_of(shown, [&](const TlsName& name) { return Covers(one, name); });
  });
}

}  // namespace sluice
