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

Result<Done> Gate::Use(std::shared_ptr<const RuleSet> rules) {
  const std::lock_guard guard(use_mutex_);
  const Time now = clock_.Now();
  auto bound = std::make_shared<BoundRules>();
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

void GateSession::Refresh() {
  const std::uint64_t version = gate_.version_.load(std::memory_order_acquire);
  if (version == version_) return;
  rules_ = gate_.rules();
  version_ = version;
}

bool GateSession::MatchRequest(const GateRequest& request, Verdict& verdict) {
  const Domain* const domain = rules_ ? rules_->rules->Find(request.domain) : nullptr;
  if (domain == nullptr) {
    verdict.kind_ = VerdictKind::kUnknownDomain;
    return false;
  }
  match_.Clear();
  domain->MatchRules(request.attributes, request.cost, match_);
  switch (match_.outcome()) {
    case MatchOutcome::kCharges:
      domain->MatchDescriptor(request.attributes, request.cost, match_);
      break;
    case MatchOutcome::kAllow:
      verdict.decided_by_ = match_.decided_by()->spec;
      return false;
    case MatchOutcome::kDeny:
      verdict.kind_ = VerdictKind::kDenied;
      verdict.decided_by_ = match_.decided_by()->spec;
      verdict.retry_after_ = kNever;
      return false;
    case MatchOutcome::kBadCost:
      verdict.kind_ = VerdictKind::kBadRequest;
      verdict.decided_by_ = match_.decided_by()->spec;
      verdict.fault_ = "the attribute that holds the cost is no whole number from 0 to 10^18";
      return false;
  }
  if (match_.charges().size() > Local::kChargesMost) {
    verdict.kind_ = VerdictKind::kBadRequest;
    verdict.fault_ = "more than 64 limits apply";
    return false;
  }
  return true;
}

void GateSession::DecideCharges(Operation operation) {
  charges_.clear();
  vetoes_.clear();
  for (const RuleCharge& charge : match_.charges()) {
    charges_.push_back({rules_->handles[charge.limit], match_.Key(charge), charge.cost});
    vetoes_.push_back(charge.veto);
  }
  decisions_.resize(charges_.size());
  const Time now = gate_.clock_.Now();
  if (operation == Operation::kCheck) {
    const Request request{charges_, vetoes_};
    gate_.store_.Decide({&request, 1}, decisions_, now);
  } else {
    gate_.store_.DecideEach(operation, charges_, decisions_, now);
  }
}

void GateSession::Decide(Operation operation, const GateRequest& request, Verdict& verdict) {
  Refresh();
  verdict.Clear();
  if (verdict.rules_ != rules_) verdict.rules_ = rules_;
  if (!MatchRequest(request, verdict) || match_.charges().empty()) return;
  DecideCharges(operation);
  for (std::size_t i = 0; i < decisions_.size(); ++i) {
    const RuleCharge& charge = match_.charges()[i];
    verdict.decisions_.push_back({.limit = &rules_->rules->limits()[charge.limit],
                                  .rule = charge.rule != nullptr ? charge.rule->spec : nullptr,
                                  .veto = charge.veto,
                                  .cost = charge.cost,
                                  .decision = decisions_[i]});
  }
  if (!GoesAhead(decisions_, vetoes_)) verdict.kind_ = VerdictKind::kRefused;
  verdict.SumUp();
}

}  // namespace sluice
