#include "gate/headers.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/int128.h"
#include "base/text.h"
#include "core/algorithm/until_more.h"
#include "gate/policy_name.h"

namespace sluice {
namespace {

using std::chrono::ceil;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Maximum number of limits in one header.
constexpr std::size_t kMaxPolicies = 16;

// The largest integer of structured fields (RFC 8941, 3.3.1).
constexpr std::int64_t kMaxFieldInteger = 999'999'999'999'999;

std::int64_t FieldInteger(std::int64_t number) { return std::min(number, kMaxFieldInteger); }

bool Shows(const RuleDecision& each) { return each.enforcement != Enforcement::kShadow; }

bool HasUnits(const Decision& decision) { return decision.limit != kNoUnits; }

// The names of the fields of draft-ietf-httpapi-ratelimit-headers-11 and of their parameters.
struct IetfNames {
  std::string_view policy_field = "RateLimit-Policy";
  std::string_view quota = ";q=";
  std::string_view window = ";w=";
  std::string_view limit_field = "RateLimit";
  std::string_view remaining = ";r=";
  std::string_view until_more = ";t=";
};
constexpr IetfNames kIetf;

// Returns the time until more units are available; for a decision that allows, until all are.
Nanos ResetOf(const Decision& decision) {
  const bool comes_back = !decision.allowed && decision.retry_after != kNever;
  return comes_back ? decision.retry_after : decision.reset_after;
}

// COUNT and PERIOD; the window is missing if the limit has no rate.
struct Policy {
  std::int64_t quota = 0;
  std::optional<seconds> window;
};

Policy PolicyOf(const RuleDecision& each) {
  const LimitSpec& spec = each.limit->limit->spec;
  if (!spec.rate) return {each.decision.limit, std::nullopt};
  const auto window = std::max(ceil<seconds>(spec.rate->period), seconds{1});
  // The limit that a caller brings is part of a larger window.
  const bool is_window = spec.algorithm == Algorithm::kFixedWindow;
  return {is_window ? each.decision.limit : spec.rate->count, window};
}

// Formats "1h0m0s", "1m30.5s", "120ms", as in OpenAI's headers.
void AppendDuration(milliseconds length, std::string& out) {
  if (length < seconds{1} && length != milliseconds{0}) {
    AppendPart(length.count(), out);
    out += "ms";
    return;
  }
  const std::chrono::hh_mm_ss parts(length);
  if (parts.hours().count() > 0) {
    AppendPart(parts.hours().count(), out);
    out += 'h';
  }
  if (length >= std::chrono::minutes{1}) {
    AppendPart(parts.minutes().count(), out);
    out += 'm';
  }
  AppendPart(parts.seconds().count(), out);
  if (parts.subseconds().count() != 0) {
    std::string decimals = std::to_string(1000 + parts.subseconds().count());
    decimals.front() = '.';
    decimals.erase(decimals.find_last_not_of('0') + 1);
    out += decimals;
  }
  out += 's';
}

bool SaysTokens(std::string_view name) {
  constexpr std::string_view kWord = "tokens";
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::search(name.begin(), name.end(), kWord.begin(), kWord.end(), same) != name.end();
}

bool CountsTokens(const RuleDecision& each) {
  return SaysTokens(each.limit->rule) || SaysTokens(each.limit->name);
}

// The header names of one family.
struct Names {
  std::string_view limit;
  std::string_view remaining;
  std::string_view reset;
};

constexpr Names kXRateLimit = {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"};
constexpr Names kRequests = {"x-ratelimit-limit-requests", "x-ratelimit-remaining-requests",
                             "x-ratelimit-reset-requests"};
constexpr Names kTokens = {"x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens",
                           "x-ratelimit-reset-tokens"};

// Writes the headers of one verdict; must not outlive it.
class HeaderWriter {
 public:
  HeaderWriter(const Verdict& verdict, HeaderList& out) : verdict_(verdict), out_(out) {
    nearest_ = verdict.nearest();
    if (nearest_ != nullptr && !Shows(*nearest_)) nearest_ = nullptr;
  }

  // `retry_after` is set if the request is refused.
  void WriteIetf(std::optional<seconds> retry_after) {
    if (nearest_ == nullptr) return;
    std::string& policies = out_.Start(kIetf.policy_field);
    std::string_view separator;
    ForEachPolicy([&](const RuleDecision& each) {
      const Policy policy = PolicyOf(each);
      policies += separator;
      AppendPolicyName(*each.limit, policies);
      AppendParameter(kIetf.quota, policy.quota, policies);
      if (policy.window) AppendParameter(kIetf.window, policy.window->count(), policies);
      separator = ", ";
    });
    const Decision& decision = nearest_->decision;
    if (!HasUnits(decision)) return;
    std::string& limit = out_.Start(kIetf.limit_field);
    AppendPolicyName(*nearest_->limit, limit);
    AppendParameter(kIetf.remaining, decision.remaining, limit);
    const seconds until_more = retry_after ? *retry_after : ceil<seconds>(UntilMoreUnits());
    if (until_more > seconds{0}) AppendParameter(kIetf.until_more, until_more.count(), limit);
  }

  void WriteXRateLimit() {
    if (nearest_ == nullptr) return;
    WriteUnits(kXRateLimit, nearest_->decision);
    WriteReset();
  }

  void WriteEnvoy() {
    if (nearest_ == nullptr) return;
    const Decision& decision = nearest_->decision;
    if (HasUnits(decision)) {
      std::string& limit = out_.Start(kXRateLimit.limit);
      AppendPart(decision.limit, limit);
      ForEachPolicy([&](const RuleDecision& each) {
        const Policy policy = PolicyOf(each);
        AppendParameter(", ", policy.quota, limit);
        if (policy.window) AppendParameter(";w=", policy.window->count(), limit);
        limit += ";name=";
        AppendPolicyName(*each.limit, limit);
      });
      AppendPart(decision.remaining, out_.Start(kXRateLimit.remaining));
    }
    WriteReset();
  }

  void WriteGithub() {
    if (nearest_ == nullptr) return;
    const Decision& decision = nearest_->decision;
    WriteUnits(kXRateLimit, decision);
    const auto reset_at = ceil<seconds>(verdict_.decided_at() + ResetOf(decision));
    AppendPart(reset_at.time_since_epoch().count(), out_.Start(kXRateLimit.reset));
    if (HasUnits(decision)) {
      AppendPart(decision.limit - decision.remaining, out_.Start("X-RateLimit-Used"));
    }
    AppendHeaderText(nearest_->limit->rule, out_.Start("X-RateLimit-Resource"));
  }

  void WriteOpenAi() {
    for (const bool tokens : {false, true}) {
      DecisionSelector speaker = verdict_.MakeSelector();
      for (const RuleDecision& each : verdict_.decisions()) {
        if (Shows(each) && CountsTokens(each) == tokens) speaker.Add(each);
      }
      const RuleDecision* const nearest = speaker.Pick();
      if (nearest == nullptr) continue;
      const Names& names = tokens ? kTokens : kRequests;
      WriteUnits(names, nearest->decision);
      AppendDuration(ceil<milliseconds>(ResetOf(nearest->decision)), out_.Start(names.reset));
    }
  }

 private:
  static void AppendParameter(std::string_view before, std::int64_t number, std::string& out) {
    out += before;
    AppendPart(FieldInteger(number), out);
  }

  // Returns 0 if unknown.
  [[nodiscard]] Nanos UntilMoreUnits() const {
    if (verdict_.more_after() > Nanos{0}) return verdict_.more_after();
    if (!SaysGrowth(*nearest_)) return Nanos{0};
    return UntilMore(nearest_->limit->limit->terms, nearest_->decision);
  }

  // Visits the first kMaxPolicies limits that apply, always including the nearest.
  template <typename Visit>
  void ForEachPolicy(Visit visit) const {
    std::size_t left = kMaxPolicies;
    std::size_t kept = 1;  // reserved for the nearest, until it is visited
    for (const RuleDecision& each : verdict_.decisions()) {
      if (!Shows(each)) continue;
      if (&each == nearest_) {
        kept = 0;
      } else if (left == kept) {
        continue;
      }
      visit(each);
      --left;
    }
  }

  void WriteUnits(const Names& names, const Decision& decision) {
    if (!HasUnits(decision)) return;
    AppendPart(decision.limit, out_.Start(names.limit));
    AppendPart(decision.remaining, out_.Start(names.remaining));
  }

  void WriteReset() {
    AppendPart(ceil<seconds>(ResetOf(nearest_->decision)).count(), out_.Start(kXRateLimit.reset));
  }

  const Verdict& verdict_;
  HeaderList& out_;
  const RuleDecision* nearest_ = nullptr;  // null if no decision is shown
};

seconds RetryAfter(const HeaderOptions& options, Nanos wait) {
  if (options.jitter > Nanos(0)) {
    assert(options.draw);
    const auto max = static_cast<std::uint64_t>(options.jitter.count());
    wait += Nanos{static_cast<std::int64_t>((Uint128{max} * options.draw()) >> 64U)};
  }
  return ceil<seconds>(wait);
}

}  // namespace

bool SaysGrowth(const RuleDecision& each) {
  const Source source = each.decision.source;
  const bool is_of_the_limit =
      source == Source::kMemory || source == Source::kRemote || source == Source::kEventual;
  return is_of_the_limit && TellsMore(each.limit->limit->terms);
}

void WriteHeaders(const HeaderOptions& options, const Verdict& verdict, HeaderList& out) {
  // Drawn once, so that RateLimit and Retry-After agree.
  std::optional<seconds> retry_after;
  if (options.profile != HeaderProfile::kNone && verdict.kind() == VerdictKind::kRefused &&
      verdict.retry_after() != kNever) {
    retry_after = RetryAfter(options, verdict.retry_after());
  }
  HeaderWriter writer(verdict, out);
  switch (options.profile) {
    case HeaderProfile::kIetf:
      writer.WriteIetf(retry_after);
      break;
    case HeaderProfile::kXRateLimit:
      writer.WriteXRateLimit();
      break;
    case HeaderProfile::kEnvoy:
      writer.WriteEnvoy();
      break;
    case HeaderProfile::kGithub:
      writer.WriteGithub();
      break;
    case HeaderProfile::kOpenAi:
      writer.WriteOpenAi();
      break;
    case HeaderProfile::kNone:
      return;
  }
  if (!retry_after) return;
  AppendPart(retry_after->count(), out.Start("Retry-After"));
  if (options.profile == HeaderProfile::kXRateLimit) {
    AppendPart(retry_after->count(), out.Start("X-RateLimit-Retry-After"));
  }
}

}  // namespace sluice
