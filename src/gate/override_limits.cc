#include "gate/override_limits.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "base/text.h"

namespace sluice {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct PeriodWord {
  std::string_view word;
  Nanos length;
};

// In the order of LimitOverride::Period.
constexpr std::array<PeriodWord, LimitOverride::kPeriods> kPeriods = {{
    {"second", seconds{1}},
    {"minute", minutes{1}},
    {"hour", hours{1}},
    {"day", days{1}},
    {"week", days{7}},
    {"month", days{30}},
    {"year", days{365}},
}};

}  // namespace

OverrideLimits::OverrideLimits() {
  for (std::size_t i = 0; i < kPeriods.size(); ++i) {
    LimitSpec spec;
    spec.algorithm = Algorithm::kFixedWindow;
    spec.rate = Rate{kWindow, kPeriods[i].length};
    limits_[i] = std::get<Limit>(MakeLimit(spec, {}));
    names_[i] = {.id = Concat("override/", kPeriods[i].word),
                 .rule = "override",
                 .name = kPeriods[i].word,
                 .limit = &limits_[i]};
  }
}

Result<Done> OverrideLimits::AddTo(MemoryStore& store, const RemoteLimits* remote_limits,
                                   Time now) {
  for (; added_ < limits_.size(); ++added_) {
    LimitPlace place;
    if (remote_limits != nullptr) {
      Result<std::shared_ptr<const RemoteTerms>> terms = remote_limits->Bind(limits_[added_]);
      if (!terms.ok()) return terms.error();
      place.remote = std::move(terms).value();
      place.share_follows = true;
    }
    const Result<LimitHandle> handle = store.Add(names_[added_].id, limits_[added_], now);
    if (!handle.ok()) return handle.error();
    place.handle = handle.value();
    places_[added_] = std::move(place);
  }
  return Done{};
}

void OverrideLimits::Restate(const LimitOverride& limit, Decision& decision) {
  if (decision.limit == kNoUnits) return;
  decision.limit = limit.count;
  decision.remaining = std::max<std::int64_t>(0, decision.remaining - MinRemaining(limit).units);
}

}  // namespace sluice
