#include "net/loop/connection_limits.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>

#include "net/loop/ip_text.h"

namespace sluice {
namespace {

// Bytes of an IPv6 address that are the /64 network.
constexpr std::size_t kNetworkBytes = 8;
// Bytes of an IPv4-mapped IPv6 address before the IPv4 address.
constexpr std::size_t kMappedBytes = 12;

// Suffix of the key for a proxy's connections that are not counted to their clients yet.
constexpr std::string_view kBehindProxy = " PROXY";

constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

// Returns the key under which connections from an address are counted; empty for this machine.
std::string KeyOf(std::string_view address) {
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

bool ConnectionLimits::HasRoom(Audience audience) const {
  const std::lock_guard lock(mutex_);
  return taken_[IndexOf(audience)] < max_[IndexOf(audience)];
}

std::optional<ConnectionLimits::Slot> ConnectionLimits::Take(Audience audience,
                                                             std::string_view address,
                                                             PeerKind kind) {
  std::string key = KeyOf(address);
  std::size_t max_count = MaxCountOf(audience, key);
  if (kind == PeerKind::kTrustedProxy && !key.empty()) {
    // Counted apart from the proxy's own connections to other listeners, without PROXY headers.
    key += kBehindProxy;
    max_count = kUnbounded;
  }
  const std::lock_guard lock(mutex_);
  if (taken_[IndexOf(audience)] >= max_[IndexOf(audience)]) return std::nullopt;
  Addresses::value_type* counted = Count(audience, key, max_count);
  if (counted == nullptr) return std::nullopt;
  ++taken_[IndexOf(audience)];
  Record& record = records_.emplace_back();
  record.id = ++last_id_;
  record.audience = audience;
  record.address = counted;
  return Slot(*this, std::prev(records_.end()));
}

void ConnectionLimits::GiveBack(Records::iterator record) {
  const std::lock_guard lock(mutex_);
  --taken_[IndexOf(record->audience)];
  Uncount(record->audience, *record->address);
  records_.erase(record);
}

bool ConnectionLimits::Move(Record& record, std::string_view address) {
  const std::string key = KeyOf(address);
  const std::lock_guard lock(mutex_);
  Addresses::value_type* counted = Count(record.audience, key, MaxCountOf(record.audience, key));
  if (counted == nullptr) return false;
  Uncount(record.audience, *std::exchange(record.address, counted));
  return true;
}

std::size_t ConnectionLimits::MaxCountOf(Audience audience, const std::string& key) const {
  return audience == Audience::kClients && !key.empty() ? max_per_address_ : kUnbounded;
}

ConnectionLimits::Addresses::value_type* ConnectionLimits::Count(Audience audience,
                                                                 const std::string& key,
                                                                 std::size_t max_count) {
  Addresses::value_type& counted = *addresses_[IndexOf(audience)].try_emplace(key).first;
  if (counted.second >= max_count) return nullptr;
  ++counted.second;
  return &counted;
}

void ConnectionLimits::Uncount(Audience audience, Addresses::value_type& address) {
  // The key is copied because it goes with the entry.
  const std::string key = address.first;
  if (--address.second == 0) addresses_[IndexOf(audience)].erase(key);
}

std::size_t ConnectionLimits::ShareOf(Audience audience) const {
  const std::size_t addresses = addresses_[IndexOf(audience)].size() + 1;
  return std::max<std::size_t>(max_[IndexOf(audience)] / addresses, 1);
}

std::vector<std::uint64_t> ConnectionLimits::ChooseToLeave(Audience audience,
                                                           std::size_t max_count) {
  const std::lock_guard lock(mutex_);
  const std::size_t share = ShareOf(audience);
  std::vector<Candidate> idle;
  std::vector<Candidate> unfinished;
  std::size_t highest_count = 0;
  for (Record& record : records_) {
    if (record.audience != audience) continue;
    if (record.leaves.load(std::memory_order_relaxed)) return {};
    const ConnectionWait wait = record.wait.load(std::memory_order_relaxed);
    const std::size_t count = record.address->second;
    if (wait == ConnectionWait::kNone) continue;
    if (wait == ConnectionWait::kTransfer && count <= share) continue;
    // This machine ranks below all others.
    const std::size_t rank = record.address->first.empty() ? 0 : count;
    if (rank < highest_count) continue;
    if (rank > highest_count) {
      highest_count = rank;
      idle.clear();
      unfinished.clear();
    }
    std::vector<Candidate>& kind = wait == ConnectionWait::kRequest ? idle : unfinished;
    kind.push_back({record.waits_since.load(std::memory_order_relaxed), &record});
  }
  return Choose(unfinished.size() > idle.size() ? unfinished : idle, max_count);
}

std::vector<std::uint64_t> ConnectionLimits::Choose(std::vector<Candidate>& candidates,
                                                    std::size_t max_count) {
  const std::size_t count = std::min(max_count, (candidates.size() + 1) / 2);
  std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(count), {},
                            &Candidate::since);
  std::vector<std::uint64_t> chosen;
  for (const Candidate& candidate : std::span(candidates).first(count)) {
    candidate.record->leaves.store(true, std::memory_order_relaxed);
    chosen.push_back(candidate.record->id);
  }
  return chosen;
}

std::size_t ConnectionLimits::count(Audience audience) const {
  const std::lock_guard lock(mutex_);
  return taken_[IndexOf(audience)];
}

}  // namespace sluice
