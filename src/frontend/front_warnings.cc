#include "frontend/front_warnings.h"

#include <algorithm>

#include "base/text.h"

namespace sluice {

FrontWarnings::Seen& FrontWarnings::Count(WarningCause cause, std::string_view subject) {
  const Time now = clock_.Now();
  Seen& seen = FindOrAdd(cause, subject, now);
  ++seen.calls;
  seen.last = now;
  return seen;
}

FrontWarnings::Seen& FrontWarnings::FindOrAdd(WarningCause cause, std::string_view subject,
                                              Time now) {
  if (Seen* const known = Find(cause, subject)) return *known;
  std::erase_if(seen_, [&](const Seen& each) { return now - each.last > kRemembered; });
  const auto named = std::ranges::count_if(
      seen_, [&](const Seen& each) { return each.cause == cause && !each.subject.empty(); });
  if (static_cast<std::size_t>(named) >= kMaxSubjects) {
    subject = {};
    if (Seen* const others = Find(cause, subject)) return *others;
  }
  return seen_.emplace_back(Seen{.cause = cause, .subject = std::string(subject)});
}

FrontWarnings::Seen* FrontWarnings::Find(WarningCause cause, std::string_view subject) {
  const auto found = std::ranges::find_if(
      seen_, [&](const Seen& each) { return each.cause == cause && each.subject == subject; });
  return found == seen_.end() ? nullptr : &*found;
}

bool FrontWarnings::IsToBeLogged(const Seen& seen) {
  return seen.logged_calls == 0 || seen.last - seen.logged >= kLogInterval;
}

void FrontWarnings::Log(Seen& seen, std::string text) {
  const std::uint64_t unlogged = seen.calls - seen.logged_calls - 1;
  seen.logged_calls = seen.calls;
  seen.logged = seen.last;
  if (unlogged > 0) {
    text += Concat("; ", unlogged, unlogged == 1 ? " more was" : " more were", " not logged");
  }
  log_(seen.cause, text);
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

void ReportUnknownDomain(std::string_view domain, FrontWarnings& warnings) {
  warnings.Report(WarningCause::kUnknownDomain, domain, [domain] {
    return Concat("the domain ", Quoted(domain),
                  " has no rules, so `unknown_domain` decides its requests");
  });
}

void ReportBadCost(std::string_view rule, std::string_view attribute, FrontWarnings& warnings) {
  warnings.Report(WarningCause::kBadCost, rule, [&] {
    return Concat("the attribute ", Quoted(attribute), ", which holds the cost of the rule ",
                  Quoted(rule),
                  ", is no whole number from 0 to 10^18; the rule refuses such RLS calls unless it "
                  "is in shadow");
  });
}

}  // namespace sluice
