#include "redis/place_order.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace sluice {
namespace {

using Place = ServerAddress::Place;

bool IsSame(const Place& one, const Place& other) {
  return one.size == other.size && std::memcmp(&one.storage, &other.storage, one.size) == 0;
}

// Each family keeps the resolver's order. The family of the first address goes first.
void AlternateFamilies(std::vector<Place>& places) {
  if (places.empty()) return;
  const auto family = places.front().storage.ss_family;
  std::vector<Place> one;
  std::vector<Place> other;
  for (const Place& place : places) {
    (place.storage.ss_family == family ? one : other).push_back(place);
  }
  places.clear();
  for (std::size_t i = 0; i < std::max(one.size(), other.size()); ++i) {
    if (i < one.size()) places.push_back(one[i]);
    if (i < other.size()) places.push_back(other[i]);
  }
}

}  // namespace

void PlaceOrder::Arrange(ServerAddress& address) const {
  std::vector<Place>& places = address.places;
  AlternateFamilies(places);
  if (!first_) return;
  const auto first = std::find_if(places.begin(), places.end(),
                                  [this](const Place& place) { return IsSame(place, *first_); });
  if (first != places.end()) std::rotate(places.begin(), first, places.end());
}

void PlaceOrder::Succeeded(const ServerAddress& address, std::size_t index) {
  first_ = address.places[index];
}

void PlaceOrder::Failed(const ServerAddress& address, std::size_t index) {
  const std::size_t next = index == 0 ? 1 : index;
  first_ = address.places[next % address.places.size()];
}

}  // namespace sluice
