#include "frontend/http/original_request.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

#include "base/ascii.h"
#include "base/text.h"
#include "wire/query.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 2> kMethodHeaders = {"x-forwarded-method",
                                                            "x-original-method"};
constexpr std::array<std::string_view, 2> kTargetHeaders = {"x-forwarded-uri", "x-original-uri"};
constexpr std::string_view kHostHeader = "x-forwarded-host";

constexpr std::string_view kHeaderPrefix = "header.";
constexpr std::string_view kCookiePrefix = "cookie.";
constexpr std::string_view kQueryPrefix = "query.";
constexpr std::size_t kMaxPrefixBytes = kHeaderPrefix.size();

// Bytes that PHP changes in a name, and bytes of a cookie's name that decoding may turn into them.
constexpr ByteSet kUnlikeInPhp = ByteSet("\t .[").With({"\0", 1});
constexpr ByteSet kUnlikeDecoded = kUnlikeInPhp.With("%+");

bool HasAny(const ByteSet& set, std::string_view text) {
  return std::ranges::any_of(text, [&](char c) { return set.Has(c); });
}

constexpr char ToUpper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

constexpr ByteSet kHostBytes =
    ByteSet(".-_").WithRange('a', 'z').WithRange('A', 'Z').WithRange('0', '9');
constexpr ByteSet kIpv6Bytes =
    ByteSet(":.").WithRange('0', '9').WithRange('a', 'f').WithRange('A', 'F');

// Returns whether a host without its port is a name or an address. Nothing at all is accepted.
bool IsHost(std::string_view host) {
  if (!host.starts_with('[')) return kHostBytes.HasAll(host);
  return host.ends_with(']') && kIpv6Bytes.HasAll(host.substr(1, host.size() - 2));
}

// Returns "[::1]:80" or "example.org.:80" without the port and the dot of the root.
std::string_view HostName(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    host = host.substr(0, colon);
  }
  while (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

// Returns the bytes of an address, with IPv4 mapped to IPv6; nothing if it is not an address.
std::optional<std::array<std::uint8_t, 16>> AddressBytes(std::string_view text) {
  std::array<std::uint8_t, 16> bytes{};
  const std::string terminated(text);
  if (inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return bytes;
  bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (inet_pton(AF_INET, terminated.c_str(), bytes.data() + 12) == 1) return bytes;
  return std::nullopt;
}

bool IsSameAddress(std::string_view one, std::string_view other) {
  if (one == other) return true;
  const auto bytes = AddressBytes(one);
  return bytes && bytes == AddressBytes(other);
}

bool IsProxyHeader(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"forwarded", "x-forwarded-for", kHostHeader,
                                                      "x-real-ip"};
  const auto is_same = [&](std::string_view each) { return EqualsLower(name, each); };
  return std::ranges::any_of(kNames, is_same) || std::ranges::any_of(kMethodHeaders, is_same) ||
         std::ranges::any_of(kTargetHeaders, is_same);
}

std::string TooMany() {
  return Concat("more than ", OriginalRequest::kMaxAttributes,
                " headers, cookies and parameters together");
}

}  // namespace

std::optional<std::string> OriginalRequest::Read(const HttpRequest& call, std::string_view suffix) {
  call_ = &call;
  attributes_.clear();
  lenient_attributes_.clear();
  strict_path_ = {};
  is_without_path_ = false;
  const Peer& peer = *call.peer;
  // A client that a PROXY header names is not on this machine, even if its address there is a
  // loopback address.
  const bool is_elsewhere = !peer.proxy.empty() && IsLoopback(peer.address);
  is_trusted_ = !is_elsewhere && trust_(peer.address) == Hop::kTrusted;
  // A kept text is never longer than its source, except for its prefix. A target is kept at most
  // four times: its parameters, their names in PHP, and both again if ';' separates them. Cookies
  // are kept under three names, headers under two. A target may be the value of a header.
  std::size_t bytes = 4 * call.target.size() + call.method.size() + call.authority.size();
  for (const Header& header : call.headers) {
    bytes += 2 * header.name.size() + 4 * header.value.size();
  }
  kept_.clear();
  kept_.reserve(bytes + 2 * (kMaxAttributes + 1) * kMaxPrefixBytes);
  [[maybe_unused]] const char* const begin = kept_.data();
  std::optional<std::string> fault = ReadParts(suffix);
  assert(kept_.data() == begin);
  return fault;
}

std::optional<std::string> OriginalRequest::ReadParts(std::string_view suffix) {
  if (auto fault = ReadMethod(suffix)) return fault;
  if (auto fault = ReadHost()) return fault;
  if (auto fault = ReadAddress()) return fault;
  if (auto fault = ReadHeaders()) return fault;
  return ReadTarget(suffix);
}

OriginalRequest::Claims OriginalRequest::Claim(std::span<const std::string_view> names,
                                               std::string_view own) const {
  Claims claims{.value = own};
  if (!is_trusted_) return claims;
  for (const Header& header : call_->headers) {
    const auto is_same = [&](std::string_view name) { return EqualsLower(header.name, name); };
    if (!std::ranges::any_of(names, is_same)) continue;
    claims.differ |= !claims.value.empty() && claims.value != header.value;
    claims.value = header.value;
  }
  return claims;
}

std::optional<std::string> OriginalRequest::ReadMethod(std::string_view suffix) {
  // If the call has the path of the original request, it has its method, too.
  const Claims claims = Claim(kMethodHeaders, suffix.empty() ? "" : call_->method);
  if (claims.differ) return "X-Forwarded-Method, X-Original-Method and the call differ";
  const std::size_t begin = kept_.size();
  const std::string_view method = claims.value.empty() ? call_->method : claims.value;
  std::ranges::transform(method, std::back_inserter(kept_), ToUpper);
  Add("method", std::string_view(kept_).substr(begin));
  return std::nullopt;
}

std::optional<std::string> OriginalRequest::ReadHost() {
  const Claims claims = Claim({&kHostHeader, 1}, "");
  if (claims.differ) return "X-Forwarded-Host comes twice with different values";
  std::string_view host = claims.value;
  // The last element of a list was added by the nearest proxy.
  if (const std::size_t comma = host.rfind(','); comma != std::string_view::npos) {
    host = TrimBlanks(host.substr(comma + 1));
  }
  if (host.empty()) host = call_->authority;
  host = HostName(host);
  // An application may read another host in a malformed one, for example behind an '@'.
  if (!IsHost(host)) return Concat("the host ", Quoted(host), " is malformed");
  if (!host.empty()) Add("host", KeepName("", host));
  return std::nullopt;
}

bool OriginalRequest::HasIgnoredHeaders() const {
  return !is_trusted_ && std::ranges::any_of(call_->headers, IsProxyHeader, &Header::name);
}

template <typename Reader>
std::optional<std::string_view> OriginalRequest::ClientBy(std::string_view header_name) {
  hops_.clear();
  for (const Header& header : call_->headers) {
    if (EqualsLower(header.name, header_name)) hops_.push_back(header.value);
  }
  if (hops_.empty()) return std::nullopt;
  return ClientAddress(call_->peer->address, Reader(hops_), trust_);
}

std::optional<std::string> OriginalRequest::ReadAddress() {
  std::optional<std::string_view> client;
  if (is_trusted_ && client_header_ != ClientHeader::kForwarded) {
    client = ClientBy<ForwardedForReader>("x-forwarded-for");
  }
  if (is_trusted_ && client_header_ != ClientHeader::kXForwardedFor) {
    const std::optional<std::string_view> other = ClientBy<ForwardedReader>("forwarded");
    if (client && other && !IsSameAddress(*client, *other)) {
      return "X-Forwarded-For and Forwarded name different clients, and `client_header` does not "
             "say which of them counts";
    }
    if (!client) client = other;
  }
  const std::string_view address = client.value_or(call_->peer->address);
  if (!address.empty()) Add("ip", address);
  return std::nullopt;
}

std::optional<std::string> OriginalRequest::ReadHeaders() {
  for (const Header& header : call_->headers) {
    if (!Add(KeepName(kHeaderPrefix, header.name), header.value)) return TooMany();
    if (header.name.find('_') != std::string_view::npos && !AddWithHyphens(header)) {
      return TooMany();
    }
    if (!EqualsLower(header.name, "cookie")) continue;
    if (auto fault = ReadCookies(header.value)) return fault;
  }
  return std::nullopt;
}

// Programs that get headers as variables (CGI, WSGI, PHP) cannot tell `_` from `-`.
bool OriginalRequest::AddWithHyphens(const Header& header) {
  const std::size_t begin = kept_.size();
  KeepName(kHeaderPrefix, header.name);
  std::replace(kept_.begin() + static_cast<std::ptrdiff_t>(begin), kept_.end(), '_', '-');
  return Add(std::string_view(kept_).substr(begin), header.value, lenient_attributes_);
}

std::optional<std::string> OriginalRequest::ReadCookies(std::string_view field_value) {
  CookieReader cookies(field_value);
  while (const std::optional<Cookie> cookie = cookies.Next()) {
    // The names of cookies are case-sensitive.
    const std::size_t begin = kept_.size();
    kept_.append(kCookiePrefix).append(cookie->name);
    if (!Add(std::string_view(kept_).substr(begin), cookie->value)) return TooMany();
    if (HasAny(kUnlikeDecoded, cookie->name) && !AddCookieDecoded(*cookie)) return TooMany();
  }
  return std::nullopt;
}

// Old versions of PHP decode the names of cookies, and all of them rename cookies like parameters.
bool OriginalRequest::AddCookieDecoded(const Cookie& cookie) {
  const std::string_view name = DecodeQuery(cookie.name, decoded_).value_or(cookie.name);
  if (name != cookie.name) {
    const std::size_t begin = kept_.size();
    kept_.append(kCookiePrefix).append(name);
    if (!Add(std::string_view(kept_).substr(begin), cookie.value, lenient_attributes_)) {
      return false;
    }
  }
  return AddAsInPhp(kCookiePrefix, name, cookie.value);
}

bool OriginalRequest::AddAsInPhp(std::string_view prefix, std::string_view name,
                                 std::string_view value) {
  const std::string_view php_name = PhpName(name, php_name_);
  if (php_name == name) return true;
  const std::size_t begin = kept_.size();
  kept_.append(prefix).append(php_name);
  return Add(std::string_view(kept_).substr(begin), value, lenient_attributes_);
}

std::optional<std::string> OriginalRequest::ReadTarget(std::string_view suffix) {
  const Claims claims = Claim(kTargetHeaders, suffix);
  if (claims.differ) return "X-Forwarded-Uri, X-Original-URI and the path of the call differ";
  if (claims.value.empty()) {
    is_without_path_ = true;
    return Concat("its path is in none of X-Forwarded-Uri, X-Original-URI and the path of the call",
                  is_trusted_ ? "" : ", and the caller is not one of `trusted_proxies`");
  }
  const Target target = SplitTarget(claims.value);
  // No client sends a fragment, and an application that does not cut it would read parameters
  // that rules do not see.
  if (target.fragment.find_first_of("&;=") != std::string_view::npos) {
    return "its query has '&', ';' or '=' in a fragment";
  }
  const auto result = NormalPath(target.path, path_);
  if (const auto* const fault = std::get_if<PathFault>(&result)) {
    return Concat("the path ", Quoted(target.path), " ", fault->reason);
  }
  const PathForms* const path = &std::get<PathForms>(result);
  if (!Add("path", path->lenient) || !Add("path.raw", target.path)) return TooMany();
  if (path->differ()) strict_path_ = path->strict;
  if (auto fault = ReadQuery(target.query, QuerySeparator::kAmpersand, attributes_)) return fault;
  if (target.query.find(';') == std::string_view::npos) return std::nullopt;
  return ReadQuery(target.query, QuerySeparator::kAmpersandOrSemicolon, lenient_attributes_);
}

std::optional<std::string> OriginalRequest::ReadQuery(std::string_view query,
                                                      QuerySeparator separator,
                                                      std::vector<Attribute>& out) {
  QueryReader parameters(query, separator);
  while (const std::optional<QueryParameter> parameter = parameters.Next()) {
    // Malformed escapes are kept as they are, because the application may do so, too.
    const std::size_t begin = kept_.size();
    kept_.append(kQueryPrefix)
        .append(DecodeQuery(parameter->name, decoded_).value_or(parameter->name));
    const std::string_view name = std::string_view(kept_).substr(begin);
    const std::string_view value =
        Keep(DecodeQuery(parameter->value, decoded_).value_or(parameter->value));
    if (!Add(name, value, out)) return TooMany();
    const std::string_view bare = name.substr(kQueryPrefix.size());
    if (!HasAny(kUnlikeInPhp, bare)) continue;
    const std::size_t bracket = name.find('[', kQueryPrefix.size() + 1);
    if (bracket != std::string_view::npos && !Add(name.substr(0, bracket), value, out)) {
      return TooMany();
    }
    if (!AddAsInPhp(kQueryPrefix, bare, value)) return TooMany();
  }
  return std::nullopt;
}

std::string_view OriginalRequest::KeepName(std::string_view prefix, std::string_view name) {
  const std::size_t begin = kept_.size();
  kept_.append(prefix).append(name);
  const auto kept = std::span(kept_).subspan(begin + prefix.size());
  std::ranges::transform(kept, kept.begin(), ToLower);
  return std::string_view(kept_).substr(begin);
}

std::string_view OriginalRequest::Keep(std::string_view text) {
  const std::size_t begin = kept_.size();
  kept_.append(text);
  return std::string_view(kept_).substr(begin);
}

bool OriginalRequest::Add(std::string_view name, std::string_view value,
                          std::vector<Attribute>& out) {
  if (out.size() == kMaxAttributes) return false;
  out.push_back({name, value});
  return true;
}

}  // namespace sluice
