#include "gate/fallback.h"

namespace sluice {
namespace {

Decision WithoutNumbers() {
  Decision decision;
  decision.limit = decision.remaining = kNoUnits;
  decision.source = Source::kFallback;
  return decision;
}

Decision Denied() {
  Decision decision = WithoutNumbers();
  decision.allowed = false;
  decision.retry_after = Fallback::kDeniedFor;
  return decision;
}

bool Asks(Operation operation) {
  return operation == Operation::kCheck || operation == Operation::kPeek;
}

}  // namespace

void Fallback::SplitByLocation(Operation operation, std::span<const FallbackCharge> charges,
                               std::span<Decision> decisions) {
  shares_.clear();
  charges_.clear();
  enforcements_.clear();
  min_remaining_.clear();
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const FallbackCharge& each = charges[i];
    if (each.policy == OnStoreFailure::kLocal) {
      shares_.push_back(i);
      charges_.push_back(each.charge);
      enforcements_.push_back(each.enforcement);
      min_remaining_.push_back(each.min_remaining);
      continue;
    }
    const bool can_refuse = each.enforcement != Enforcement::kDebt && Asks(operation);
    const bool denies =
        each.policy == OnStoreFailure::kDeny && can_refuse && each.charge.cost.units != 0;
    decisions[i] = denies ? Denied() : WithoutNumbers();
  }
  decisions_.resize(shares_.size());
}

void Fallback::Tell(std::span<Decision> decisions) {
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    decisions[shares_[i]] = decisions_[i];
    decisions[shares_[i]].source = Source::kFallback;
  }
}

void Fallback::DecideTogether(std::span<const FallbackCharge> charges, ChargeMode charge_mode,
                              Time now, std::span<Decision> decisions) {
  SplitByLocation(Operation::kCheck, charges, decisions);
  bool quota_denied = false;
  bool quota_open = false;  // a quota limit passes, or is left to this node's share
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const bool is_share = charges[i].policy == OnStoreFailure::kLocal;
    const bool denied = !is_share && !decisions[i].allowed;
    if (denied && charges[i].enforcement == Enforcement::kEnforce) charge_mode = ChargeMode::kNone;
    if (charges[i].enforcement != Enforcement::kQuota) continue;
    quota_denied |= denied;
    quota_open |= !denied;
    if (is_share || denied) continue;
    // It is enough that one of the quota limits passes.
    for (Enforcement& enforcement : enforcements_) {
      enforcement = enforcement == Enforcement::kQuota ? Enforcement::kShadow : enforcement;
    }
  }
  if (quota_denied && !quota_open) charge_mode = ChargeMode::kNone;
  if (shares_.empty()) return;
  const Request request{charges_, enforcements_, min_remaining_, charge_mode};
  store_.Decide({&request, 1}, decisions_, now);
  Tell(decisions);
}

void Fallback::DecideEach(Operation operation, std::span<const FallbackCharge> charges, Time now,
                          std::span<Decision> decisions) {
  SplitByLocation(operation, charges, decisions);
  if (shares_.empty()) return;
  store_.DecideEach(operation, charges_, decisions_, now);
  Tell(decisions);
}

}  // namespace sluice
