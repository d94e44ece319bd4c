#include "net/seats.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "net/ip_text.h"

namespace sluice {
namespace {

constexpr std::size_t kNetworkBytes = 8;
// Of IPv6, before the IPv4 address that one stands for.
constexpr std::size_t kMappedBytes = 12;

// What connections from an address are counted under; empty where they are not counted.
std::string HostOf(std::string_view address) {
  std::string text(address);
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.c_str(), &v6) == 1) {
    if (IN6_IS_ADDR_LOOPBACK(&v6)) return {};
    const std::string_view bytes(reinterpret_cast<const char*>(&v6), sizeof v6);
    if (!IN6_IS_ADDR_V4MAPPED(&v6)) return std::string(bytes.substr(0, kNetworkBytes));
    text = IpText(bytes.substr(kMappedBytes));
  }
  return text.starts_with("127.") ? std::string() : text;
}

}  // namespace

bool Seats::HasRoom(Audience audience) const {
  const std::lock_guard lock(mutex_);
  return taken_[IndexOf(audience)] < most_[IndexOf(audience)];
}

std::optional<Seats::Seat> Seats::Take(Audience audience, std::string_view address) {
  std::string host = audience == Audience::kClients ? HostOf(address) : std::string();
  const std::lock_guard lock(mutex_);
  if (taken_[IndexOf(audience)] >= most_[IndexOf(audience)]) return std::nullopt;
  if (!host.empty()) {
    std::size_t& count = by_host_[host];
    if (count >= address_most_) return std::nullopt;
    ++count;
  }
  ++taken_[IndexOf(audience)];
  return Seat(*this, audience, std::move(host));
}

void Seats::GiveBack(Audience audience, const std::string& host) {
  const std::lock_guard lock(mutex_);
  --taken_[IndexOf(audience)];
  if (host.empty()) return;
  const auto found = by_host_.find(host);
  if (--found->second == 0) by_host_.erase(found);
}

std::size_t Seats::count(Audience audience) const {
  const std::lock_guard lock(mutex_);
  return taken_[IndexOf(audience)];
}

}  // namespace sluice
