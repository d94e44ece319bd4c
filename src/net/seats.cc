#include "net/seats.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <iterator>
#include <span>

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
  Record& record = records_.emplace_back();
  record.id = ++last_id_;
  record.audience = audience;
  record.host = std::move(host);
  return Seat(*this, std::prev(records_.end()));
}

void Seats::GiveBack(Records::iterator record) {
  const std::lock_guard lock(mutex_);
  --taken_[IndexOf(record->audience)];
  const auto found = by_host_.find(record->host);
  if (found != by_host_.end() && --found->second == 0) by_host_.erase(found);
  records_.erase(record);
}

std::size_t Seats::CountOf(const std::string& host) const {
  const auto found = by_host_.find(host);
  return found == by_host_.end() ? 0 : found->second;
}

std::vector<std::uint64_t> Seats::ChooseToLeave(Audience audience, std::size_t count) {
  struct Candidate {
    std::size_t host_count = 0;
    std::int64_t since = 0;
    Record* record = nullptr;
  };
  const std::lock_guard lock(mutex_);
  std::vector<Candidate> candidates;
  for (Record& record : records_) {
    const std::int64_t since = record.waits_since.load(std::memory_order_relaxed);
    if (record.audience == audience && record.leaves.load(std::memory_order_relaxed)) return {};
    if (record.audience != audience || since == Record::kBusy) continue;
    candidates.push_back({CountOf(record.host), since, &record});
  }
  const auto goes_before = [](const Candidate& a, const Candidate& b) {
    return a.host_count != b.host_count ? a.host_count > b.host_count : a.since < b.since;
  };
  count = std::min(count, candidates.size());
  std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(count),
                            goes_before);
  std::vector<std::uint64_t> chosen;
  for (const Candidate& candidate : std::span(candidates).first(count)) {
    candidate.record->leaves.store(true, std::memory_order_relaxed);
    chosen.push_back(candidate.record->id);
  }
  return chosen;
}

std::size_t Seats::count(Audience audience) const {
  const std::lock_guard lock(mutex_);
  return taken_[IndexOf(audience)];
}

}  // namespace sluice
