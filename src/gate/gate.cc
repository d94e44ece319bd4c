#include "gate/gate.h"

#include <bit>
#include <cassert>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/enum_name.h"
#include "base/text.h"
#include "core/limit/limit_words.h"
#include "rules/check/check_limit_count.h"

namespace sluice {

// A rule set that passes CheckRules fits a store that holds nothing else.
static_assert(kMaxRuleLimits + LimitOverride::kPeriods <= MemoryStore::kMaxLimits);

namespace {

// This node's share of a limit is not the same limit as one that is kept on this node only.
constexpr const char* kShare = "#share";

// A limit that changes its algorithm becomes another limit, because its states have another
// meaning.
std::string NameOf(const RuleLimit& limit) {
  return Concat(limit.id, "#", WordOf(limit.limit->spec.algorithm));
}

Error ErrorOf(const RuleLimit& limit, const Error& error) {
  return Error{Concat(limit.id, ": ", error.message)};
}

std::optional<CacheMode> CacheModeOf(const RuleSpec& rule) {
  if (rule.consistency == Consistency::kLeased) return CacheMode::kLeased;
  if (rule.consistency == Consistency::kEventual) return CacheMode::kEventual;
  if (rule.deny_cache) return CacheMode::kRefusals;
  return std::nullopt;
}

// Whether the share of a limit is charged with what passes elsewhere. Not for count_refused,
// because a charge that does not fit in the share must leave no trace there; nor for permits, whose
// ids are not known here. Eventual counts continue without the remote store and need the share only
// for keys that have never been synchronized.
bool ShareFollows(const LimitPlace& place, const Limit& limit) {
  return place.on_failure == OnStoreFailure::kLocal && place.cache_mode != CacheMode::kEventual &&
         !limit.spec.count_refused.value_or(false) &&
         limit.spec.algorithm != Algorithm::kConcurrency;
}

// Returns leases whose terms are no longer leased under; all others stay.
void RetireTerms(const BoundRules* before, const BoundRules& now) {
  std::unordered_set<const RemoteTerms*> leased;
  for (const LimitPlace& place : now.places) {
    if (place.cache_mode == CacheMode::kLeased) leased.insert(place.remote.get());
  }
  for (const RemoteTerms* const terms : leased) terms->SetRetired(false);
  if (before == nullptr) return;
  for (const LimitPlace& place : before->places) {
    const bool is_retired = place.remote != nullptr && !leased.contains(place.remote.get());
    if (is_retired) place.remote->SetRetired(true);
  }
}

}  // namespace

Result<LimitPlace> Gate::Place(const RuleLimit& limit, Time now, std::vector<Change>& changes) {
  LimitPlace place;
  const std::string name = NameOf(limit);
  const RuleSpec* const rule = limit.spec;
  const Consistency consistency = rule != nullptr ? rule->consistency : Consistency::kExact;
  const bool is_far = remote_limits_ != nullptr && consistency != Consistency::kLocal;
  const Change wanted{nullptr, is_far ? ShareOf(*limit.limit, fleet_size_) : *limit.limit, &limit};
  Result<LimitHandle> handle = Bind(is_far ? name + kShare : name, wanted, now, changes);
  if (!handle.ok()) return handle.error();
  place.handle = handle.value();
  if (!is_far) return place;
  // Unchanged terms keep the same object, so that cached knowledge about them stays valid, too.
  KnownLimit& known = known_.at(name + kShare);
  if (known.remote == nullptr || known.remote->limit() != *limit.limit) {
    Result<std::shared_ptr<const RemoteTerms>> terms = remote_limits_->Bind(*limit.limit);
    if (!terms.ok()) return ErrorOf(limit, terms.error());
    known.remote = std::move(terms).value();
  }
  place.remote = known.remote;
  if (rule != nullptr) {
    place.on_failure = rule->on_store_failure;
    place.cache_mode = CacheModeOf(*rule);
  }
  place.share_follows = ShareFollows(place, *limit.limit);
  return place;
}

Result<LimitHandle> Gate::Bind(const std::string& name, const Change& wanted, Time now,
                               std::vector<Change>& changes) {
  if (const auto known = known_.find(name); known != known_.end()) {
    KnownLimit& held = known->second;
    if (held.limit != wanted.to) changes.push_back({&held, wanted.to, wanted.named});
    return held.handle;
  }
  Result<LimitHandle> handle = store_.Add(name, wanted.to, now);
  if (!handle.ok()) return ErrorOf(*wanted.named, handle.error());
  known_.emplace(name, KnownLimit{handle.value(), wanted.to, nullptr});
  return handle;
}

// Changes nothing until there is room for all changes: changing terms back would not bring back the
// units that a smaller limit has no room for.
Result<Done> Gate::MakeChanges(const std::vector<Change>& changes, Time now) {
  for (const auto& [known, to, named] : changes) {
    const Result<Done> done = store_.Prepare(known->handle, to, now);
    if (!done.ok()) return ErrorOf(*named, done.error());
  }
  for (const auto& [known, to, named] : changes) {
    const Result<Done> done = store_.Change(known->handle, to, now);
    assert(done.ok());
    static_cast<void>(done);
    known->limit = to;
  }
  return Done{};
}

void Gate::ChangeShare(KnownLimit& known, const RuleLimit& limit, Time now) {
  for (std::uint32_t nodes = fleet_size_.nodes; nodes <= kFleetMax;
       nodes = std::bit_ceil(nodes + 1)) {
    Limit share = ShareOf(*limit.limit, {nodes});
    if (known.limit == share) return;
    if (MakeChanges({{&known, std::move(share), &limit}}, now).ok()) return;
  }
}

bool Gate::SetFleetSize(FleetSize fleet) {
  const std::unique_lock guard(use_mutex_, std::try_to_lock);
  if (!guard.owns_lock()) return false;
  fleet = RoundUpFleet(fleet);
  if (fleet == fleet_size_) return true;
  fleet_size_ = fleet;
  const std::shared_ptr<const BoundRules> bound = rules();
  if (bound == nullptr) return true;
  const Time now = clock_.Now();
  for (std::size_t i = 0; i < bound->places.size(); ++i) {
    if (bound->places[i].remote == nullptr) continue;
    const RuleLimit& limit = bound->rules->limits()[i];
    ChangeShare(known_.at(NameOf(limit) + kShare), limit, now);
  }
  return true;
}

Result<Done> Gate::AddCallerLimit(Time now) {
  if (caller_limit_) return Done{};
  const Result<LimitHandle> handle = store_.AddCallerLimit("brought", now);
  if (!handle.ok()) return handle.error();
  caller_limit_ = handle.value();
  return Done{};
}

Result<Done> Gate::Use(std::shared_ptr<const RuleSet> rules) {
  const std::lock_guard guard(use_mutex_);
  const Time now = clock_.Now();
  if (Result<Done> done = overrides_->AddTo(store_, remote_limits_, now); !done.ok()) return done;
  if (Result<Done> done = AddCallerLimit(now); !done.ok()) return done;
  auto bound = std::make_shared<BoundRules>();
  bound->overrides = overrides_;
  bound->caller_limit = *caller_limit_;
  std::vector<Change> changes;
  for (const RuleLimit& limit : rules->limits()) {
    Result<LimitPlace> place = Place(limit, now, changes);
    if (!place.ok()) return place.error();
    bound->places.push_back(std::move(place).value());
  }
  if (Result<Done> done = MakeChanges(changes, now); !done.ok()) return done;
  bound->series = std::make_shared<const RuleSeries>(*rules, *overrides_);
  counts_.Use(bound->series);
  bound->rules = std::move(rules);
  const std::lock_guard rules_guard(rules_mutex_);
  RetireTerms(rules_.get(), *bound);
  rules_ = std::move(bound);
  // Pairs with the acquire in Refresh.
  version_.fetch_add(1, std::memory_order_release);
  return Done{};
}

std::shared_ptr<const BoundRules> Gate::rules() const {
  const std::lock_guard guard(rules_mutex_);
  return rules_;
}

}  // namespace sluice
