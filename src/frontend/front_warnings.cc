#include "frontend/front_warnings.h"

#include <algorithm>

#include "core/text.h"

namespace sluice {

void FrontWarnings::Report(WarningCause cause, std::string_view subject) {
  counts_[static_cast<std::size_t>(cause)].fetch_add(1, std::memory_order_relaxed);
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const Time now = clock_.Now();
  Seen* const seen = Find(cause, subject.substr(0, kSubjectBytesMax), now);
  if (seen == nullptr) return;
  ++seen->calls;
  seen->last = now;
  if (seen->calls > 1 && now - seen->logged < kLogInterval) return;
  seen->logged = now;
  log_(cause, DescribeWarning(cause, seen->subject));
}

FrontWarnings::Seen* FrontWarnings::Find(WarningCause cause, std::string_view subject, Time now) {
  const auto found = std::ranges::find_if(
      seen_, [&](const Seen& each) { return each.cause == cause && each.subject == subject; });
  if (found != seen_.end()) return &*found;
  std::erase_if(seen_, [&](const Seen& each) { return now - each.last > kRemembered; });
  const auto known = std::ranges::count(seen_, cause, &Seen::cause);
  if (static_cast<std::size_t>(known) >= kSubjectsMax) return nullptr;
  return &seen_.emplace_back(Seen{.cause = cause, .subject = std::string(subject)});
}

FrontWarnings::Counts FrontWarnings::counts() const {
  Counts counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = counts_[i].load(std::memory_order_relaxed);
  }
  return counts;
}

std::vector<FrontWarnings::Seen> FrontWarnings::Recent() const {
  const Time now = clock_.Now();
  const std::lock_guard lock(mutex_);
  std::vector<Seen> recent;
  for (const Seen& each : seen_) {
    if (now - each.last <= kRemembered) recent.push_back(each);
  }
  std::ranges::stable_sort(recent, {}, &Seen::cause);
  return recent;
}

std::string DescribeWarning(WarningCause cause, std::string_view subject) {
  switch (cause) {
    case WarningCause::kUnknownDomain:
      return Concat("the domain ", Quoted(subject),
                    " has no rules, so `unknown_domain` decides its requests");
    case WarningCause::kUntrustedProxy:
      return Concat(Quoted(subject),
                    " sends headers of a proxy and is not in `trusted_proxies`, so they are "
                    "ignored and its clients are taken for one");
    case WarningCause::kNoOriginal:
      return Concat(Quoted(subject),
                    " calls forward auth without the path of the original request, and is "
                    "refused; expected X-Forwarded-Uri, X-Original-URI or a path after the domain");
  }
  return {};
}

}  // namespace sluice
