#include "remote/first_terms.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "remote/leniency.h"

namespace sluice {

std::shared_ptr<const RemoteLimit> FirstTerms::OfTag(std::string_view tag, const Terms& like) {
  // A calendar has a zone, too.
  const bool has_more = last_ && std::holds_alternative<FixedWindow>(last_->terms());
  if (last_ && last_->tag() == tag && !has_more) return last_;
  std::optional<RemoteLimit> limit = RemoteLimit::OfTag(tag, like);
  if (!limit) return nullptr;
  last_ = std::make_shared<const RemoteLimit>(*std::move(limit));
  return last_;
}

KeptTerms FirstTerms::Find(const RemoteLimit& own, Time now) const {
  const auto found = std::ranges::find(entries_, own.shared_tag(), &Entry::tag);
  return found == entries_.end() || found->first.kept_until <= now ? KeptTerms{} : found->first;
}

FirstTerms::Entry& FirstTerms::EntryFor(const RemoteLimit& own) {
  const auto found = std::ranges::find(entries_, own.shared_tag(), &Entry::tag);
  if (found != entries_.end()) return *found;
  if (entries_.size() < kLimitsMost) return entries_.emplace_back();
  return *std::ranges::min_element(entries_, {},
                                   [](const Entry& entry) { return entry.first.kept_until; });
}

void FirstTerms::Note(const RemoteLimit& own, const KeptTerms& first, Time now) {
  Entry& entry = EntryFor(own);
  const bool is_known = entry.tag == own.shared_tag() && entry.first.kept_until > now;
  entry.tag = own.shared_tag();
  if (!is_known || IsMoreLenient(*first.limit, *entry.first.limit)) {
    entry.first = first;
  } else if (first.limit->tag() == entry.first.limit->tag()) {
    entry.first.kept_until = std::max(entry.first.kept_until, first.kept_until);
  }
}

}  // namespace sluice
