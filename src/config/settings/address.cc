#include "config/settings/address.h"

#include <algorithm>
#include <utility>

#include "base/decimal.h"
#include "base/letter_case.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr std::int64_t kMaxPort = 65'535;
constexpr std::size_t kMaxHostBytes = 253;
constexpr std::size_t kMaxLabelBytes = 63;

constexpr IpAddress kV6Loopback{0, 1};
constexpr std::uint32_t kV4LoopbackNet = 127;

// The host and port of a text; without a colon there is no port.
struct Parts {
  std::string_view host;
  std::optional<std::string_view> port;
  bool bracketed = false;
};

Result<Parts> Split(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    const std::string_view rest = end == text.npos ? text : text.substr(end + 1);
    if (end == text.npos || (!rest.empty() && rest[0] != ':')) {
      return Error{Concat(Quoted(text), " is no address; expected one such as [::1]:8080")};
    }
    Parts parts{text.substr(1, end - 1), std::nullopt, true};
    if (!rest.empty()) parts.port = rest.substr(1);
    return parts;
  }
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return Parts{text, std::nullopt};
  if (text.find(':', colon + 1) != text.npos) {
    return Error{Concat(Quoted(text),
                        " has more than one ':'; an IPv6 address stands in brackets, ",
                        "as in [::1]:8080")};
  }
  return Parts{text.substr(0, colon), text.substr(colon + 1)};
}

bool IsLabel(std::string_view label) {
  if (label.empty() || label.size() > kMaxLabelBytes) return false;
  if (label.front() == '-' || label.back() == '-') return false;
  return std::ranges::all_of(label, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

bool AreDigits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Rejects names whose last label is a number, because some parsers would read them as IP addresses.
bool IsHostName(std::string_view name) {
  if (name.size() > kMaxHostBytes) return false;
  for (;;) {
    const std::size_t dot = name.find('.');
    const std::string_view label = name.substr(0, dot);
    if (!IsLabel(label)) return false;
    if (dot == name.npos) return !AreDigits(label);
    name.remove_prefix(dot + 1);
  }
}

Result<TcpAddress> ReadHost(const Parts& parts, std::string_view text) {
  if (parts.host.empty()) {
    return Error{Concat(Quoted(text),
                        " needs a host; 0.0.0.0 or [::] stands for all addresses of this machine")};
  }
  const std::optional<IpAddress> ip = ParseIpAddress(parts.host);
  const bool v6_text = parts.host.find(':') != std::string_view::npos;
  if (ip && parts.bracketed == v6_text) return TcpAddress{FormatIpAddress(*ip), ip, 0};
  std::string name = LowerCase(parts.host);
  if (parts.bracketed || !IsHostName(name)) {
    return Error{Concat("the host of ", Quoted(text), " is neither an IP address nor a name")};
  }
  return TcpAddress{std::move(name), std::nullopt, 0};
}

Result<std::uint16_t> ReadPort(std::string_view port, std::int64_t min, std::string_view text) {
  const auto number = ReadWhole(port);
  const auto* value = std::get_if<std::int64_t>(&number);
  if (value == nullptr || *value < min || *value > kMaxPort) {
    return Error{
        Concat("the port of ", Quoted(text), " must be a number from ", min, " to ", kMaxPort)};
  }
  return static_cast<std::uint16_t>(*value);
}

Result<Address> ReadUnixPath(std::string_view path) {
  if (path.empty()) return Error{"'unix:' needs a path, as in unix:/run/sluice.sock"};
  if (path.starts_with('@') || path.find('\0') != path.npos) {
    return Error{Concat("the Unix socket ", Quoted(path),
                        " must be a path; abstract sockets are open to everyone")};
  }
  if (path.size() > kMaxUnixPathBytes) {
    return Error{Concat("the path of a Unix socket must have at most ", kMaxUnixPathBytes,
                        " bytes, found ", path.size())};
  }
  return Address(UnixAddress{std::string(path)});
}

bool IsLoopback(const IpAddress& ip) {
  return ip.IsV4() ? ip.V4() >> 24U == kV4LoopbackNet : ip == kV6Loopback;
}

// Returns whether `wide` is the wildcard address 0.0.0.0, or ::, which accepts IPv4 as well, and
// includes `other`.
bool Covers(const TcpAddress& wide, const TcpAddress& other) {
  if (!wide.ip) return false;
  if (*wide.ip == IpAddress{}) return true;
  return *wide.ip == IpAddress::FromV4(0) && (!other.ip || other.ip->IsV4());
}

}  // namespace

Result<Address> ParseAddress(std::string_view text) {
  if (text.starts_with(kUnixPrefix)) return ReadUnixPath(text.substr(kUnixPrefix.size()));
  if (text.find("://") != text.npos) {
    return Error{Concat(Quoted(text), " is a URL; expected HOST:PORT or unix:PATH")};
  }
  const Result<Parts> parts = Split(text);
  if (!parts.ok()) return parts.error();
  if (!parts.value().port) {
    const bool is_port = !text.empty() && AreDigits(text);
    return Error{Concat(Quoted(text), is_port ? " needs a host" : " needs a port",
                        "; expected HOST:PORT or unix:PATH",
                        is_port ? Concat(", for example 127.0.0.1:", text) : "")};
  }
  Result<TcpAddress> address = ReadHost(parts.value(), text);
  if (!address.ok()) return address.error();
  const Result<std::uint16_t> port = ReadPort(*parts.value().port, 0, text);
  if (!port.ok()) return port.error();
  address.value().port = port.value();
  return Address(std::move(address).value());
}

Result<TcpAddress> ParseHost(std::string_view text, std::uint16_t port_otherwise) {
  const Result<Parts> parts = Split(text);
  if (!parts.ok()) return parts.error();
  if (parts.value().host.empty()) return Error{Concat(Quoted(text), " needs a host")};
  Result<TcpAddress> address = ReadHost(parts.value(), text);
  if (!address.ok()) return address.error();
  address.value().port = port_otherwise;
  if (parts.value().port) {
    const Result<std::uint16_t> port = ReadPort(*parts.value().port, 1, text);
    if (!port.ok()) return port.error();
    address.value().port = port.value();
  }
  return address;
}

std::string FormatAddress(const Address& address) {
  if (const auto* socket = std::get_if<UnixAddress>(&address)) {
    return Concat(kUnixPrefix, socket->path);
  }
  const TcpAddress& tcp = *std::get_if<TcpAddress>(&address);
  const bool brackets = tcp.ip && !tcp.ip->IsV4();
  return Concat(brackets ? "[" : "", tcp.host, brackets ? "]:" : ":", tcp.port);
}

bool IsLocal(const Address& address) {
  const auto* tcp = std::get_if<TcpAddress>(&address);
  if (tcp == nullptr) return true;
  return tcp->ip ? IsLoopback(*tcp->ip) : tcp->host == "localhost";
}

bool Clash(const Address& one, const Address& other) {
  const auto* a = std::get_if<TcpAddress>(&one);
  const auto* b = std::get_if<TcpAddress>(&other);
  if (a == nullptr || b == nullptr) return one == other;
  if (a->port != b->port || a->port == 0) return false;
  return *a == *b || Covers(*a, *b) || Covers(*b, *a);
}

}  // namespace sluice
