#include "gate/gate.h"

#include <cassert>
#include <utility>

#include "core/limit_words.h"
#include "core/text.h"
#include "rules/check_limit_count.h"

namespace sluice {

// A set that passes CheckRules fits a store that holds nothing else.
static_assert(kRuleLimitsMost + LimitOverride::kPeriods <= MemoryStore::kLimitsMost);

namespace {

Error ErrorOf(const RuleLimit& limit, const Error& error) {
  return Error{Concat(limit.id, ": ", error.message)};
}

}  // namespace

Result<LimitHandle> Gate::Bind(const RuleLimit& limit, Time now, std::vector<Change>& changes) {
  const LimitSpec& spec = limit.limit->spec;
  // A limit of another algorithm is another limit: its states mean something else.
  const std::string name = Concat(limit.id, "#", WordOf(spec.algorithm));
  if (const auto known = known_.find(name); known != known_.end()) {
    KnownLimit& held = known->second;
    if (held.limit != *limit.limit) changes.push_back({&held, &limit});
    return held.handle;
  }
  Result<LimitHandle> handle = store_.Add(name, *limit.limit, now);
  if (!handle.ok()) return ErrorOf(limit, handle.error());
  known_.emplace(name, KnownLimit{handle.value(), *limit.limit});
  return handle;
}

// None is made before there is room for all: changing terms back would not bring back the
// units that a smaller limit has no room for.
Result<Done> Gate::MakeChanges(const std::vector<Change>& changes, Time now) {
  for (const auto& [known, limit] : changes) {
    const Result<Done> done = store_.Prepare(known->handle, *limit->limit, now);
    if (!done.ok()) return ErrorOf(*limit, done.error());
  }
  for (const auto& [known, limit] : changes) {
    const Result<Done> done = store_.Change(known->handle, *limit->limit, now);
    assert(done.ok());
    static_cast<void>(done);
    known->limit = *limit->limit;
  }
  return Done{};
}

Result<Done> Gate::AddBrought(Time now) {
  if (brought_) return Done{};
  const Result<LimitHandle> handle = store_.AddBrought("brought", now);
  if (!handle.ok()) return handle.error();
  brought_ = handle.value();
  return Done{};
}

Result<Done> Gate::Use(std::shared_ptr<const RuleSet> rules) {
  const std::lock_guard guard(use_mutex_);
  const Time now = clock_.Now();
  if (Result<Done> done = overrides_->AddTo(store_, now); !done.ok()) return done;
  if (Result<Done> done = AddBrought(now); !done.ok()) return done;
  auto bound = std::make_shared<BoundRules>();
  bound->overrides = overrides_;
  bound->brought = *brought_;
  std::vector<Change> changes;
  for (const RuleLimit& limit : rules->limits()) {
    Result<LimitHandle> handle = Bind(limit, now, changes);
    if (!handle.ok()) return handle.error();
    bound->handles.push_back(handle.value());
  }
  if (Result<Done> done = MakeChanges(changes, now); !done.ok()) return done;
  bound->series = std::make_shared<const RuleSeries>(*rules, *overrides_);
  counts_.Use(bound->series);
  bound->rules = std::move(rules);
  const std::lock_guard rules_guard(rules_mutex_);
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
