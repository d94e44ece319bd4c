#include "gate/gate.h"

#include <cassert>
#include <utility>

#include "core/limit_words.h"
#include "core/text.h"

namespace sluice {

Result<LimitHandle> Gate::Bind(const RuleLimit& limit, Time now, std::vector<Changed>& changed) {
  const LimitSpec& spec = limit.limit->spec;
  // A limit of another algorithm is another limit: its states mean something else.
  const std::string name = Concat(limit.id, "#", WordOf(spec.algorithm));
  if (const auto known = known_.find(name); known != known_.end()) {
    KnownLimit& held = known->second;
    if (held.limit == *limit.limit) return held.handle;
    if (Result<Done> done = store_.Change(held.handle, *limit.limit, now); !done.ok()) {
      return done.error();
    }
    changed.push_back({&held, std::exchange(held.limit, *limit.limit)});
    return held.handle;
  }
  Result<LimitHandle> handle = store_.Add(name, *limit.limit, now);
  if (handle.ok()) known_.emplace(name, KnownLimit{handle.value(), *limit.limit});
  return handle;
}

// To terms that the store knows already, so it cannot fail.
void Gate::TakeBack(std::vector<Changed>& changed, Time now) {
  for (Changed& each : changed) {
    const Result<Done> done = store_.Change(each.known->handle, each.before, now);
    assert(done.ok());
    each.known->limit = std::move(each.before);
  }
}

Result<Done> Gate::AddOverrides(Time now) {
  if (overrides_ != nullptr) return Done{};
  auto added = std::make_shared<OverrideLimits>();
  if (Result<Done> done = added->AddTo(store_, now); !done.ok()) return done;
  overrides_ = std::move(added);
  return Done{};
}

Result<Done> Gate::Use(std::shared_ptr<const RuleSet> rules) {
  const std::lock_guard guard(use_mutex_);
  const Time now = clock_.Now();
  if (Result<Done> done = AddOverrides(now); !done.ok()) return done;
  auto bound = std::make_shared<BoundRules>();
  bound->overrides = overrides_;
  std::vector<Changed> changed;
  for (const RuleLimit& limit : rules->limits()) {
    Result<LimitHandle> handle = Bind(limit, now, changed);
    if (!handle.ok()) {
      TakeBack(changed, now);
      return Error{Concat(limit.id, ": ", handle.error().message)};
    }
    bound->handles.push_back(handle.value());
  }
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
