#include "redis/connect_pacer.h"

#include <algorithm>

namespace sluice {

Nanos ConnectPacer::Reserve(std::string_view server, Nanos wait, Time now) {
  const std::lock_guard guard(mutex_);
  auto found = free_from_.find(server);
  if (found == free_from_.end()) {
    if (free_from_.size() >= kServersMax) {
      free_from_.erase(std::ranges::min_element(free_from_, [](const auto& one, const auto& other) {
        return one.second < other.second;
      }));
    }
    found = free_from_.emplace(server, Time{}).first;
  }
  const Time at = std::max(now + wait, found->second);
  found->second = at + spacing_;
  return at - now;
}

}  // namespace sluice
