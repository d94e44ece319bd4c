#include "remote/script/first_terms.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

#include "remote/script/leniency.h"

namespace sluice {

std::shared_ptr<const RemoteLimit> FirstTerms::OfTag(std::string_view tag, const Terms& like) {
  // A calendar window also depends on its zone, which the tag does not determine.
  const bool has_more = last_ && std::holds_alternative<FixedWindow>(last_->terms());
  if (last_ && last_->tag() == tag && !has_more) return last_;
  std::optional<RemoteLimit> limit = RemoteLimit::OfTag(tag, like);
  if (!limit) return nullptr;
  last_ = std::make_shared<const RemoteLimit>(*std::move(limit));
  return last_;
}

KeptTerms FirstTerms::Find(const RemoteLimit& own, Time now) const {
  const auto found = entries_.find(own.shared_tag().get());
  const bool is_kept = found != entries_.end() && now < found->second.first.kept_until;
  return is_kept ? found->second.first : KeptTerms{};
}

bool FirstTerms::MakeRoom(Time now) {
  if (entries_.size() < kMaxLimits) return true;
  if (now < next_over_) return false;
  std::erase_if(entries_, [now](const auto& each) { return each.second.first.kept_until <= now; });
  next_over_ = kLatestTime;
  for (const auto& [_, entry] : entries_) {
    next_over_ = std::min(next_over_, entry.first.kept_until);
  }
  return entries_.size() < kMaxLimits;
}

void FirstTerms::Note(const RemoteLimit& own, const KeptTerms& first, Time now) {
  assert(IsMoreLenient(*first.limit, own));
  const auto found = entries_.find(own.shared_tag().get());
  if (found == entries_.end()) {
    if (!MakeRoom(now)) return;
    entries_.emplace(own.shared_tag().get(), Entry{own.shared_tag(), first});
    next_over_ = std::min(next_over_, first.kept_until);
    return;
  }
  KeptTerms& known = found->second.first;
  if (known.kept_until <= now || IsMoreLenient(*first.limit, *known.limit)) {
    known = first;
  } else if (first.limit->tag() == known.limit->tag()) {
    known.kept_until = std::max(known.kept_until, first.kept_until);
  }
  next_over_ = std::min(next_over_, known.kept_until);
}

}  // namespace sluice
