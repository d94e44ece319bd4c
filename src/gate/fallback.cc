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

void Fallback::Part(Operation operation, std::span<const FallbackCharge> charges,
                    std::span<Decision> decisions) {
  shares_.clear();
  charges_.clear();
  vetoes_.clear();
  left_alone_.clear();
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const FallbackCharge& each = charges[i];
    if (each.policy == OnStoreFailure::kLocal) {
      shares_.push_back(i);
      charges_.push_back(each.charge);
      vetoes_.push_back(each.veto);
      left_alone_.push_back(each.left_alone);
      continue;
    }
    const bool denies = each.policy == OnStoreFailure::kDeny && each.veto != Veto::kDebt &&
                        each.charge.cost.units != 0 && Asks(operation);
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

void Fallback::DecideTogether(std::span<const FallbackCharge> charges, Taking taking, Time now,
                              std::span<Decision> decisions) {
  Part(Operation::kCheck, charges, decisions);
  bool quota_denied = false;
  bool quota_open = false;  // one passes, or is this node's to decide
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const bool is_share = charges[i].policy == OnStoreFailure::kLocal;
    const bool denied = !is_share && !decisions[i].allowed;
    if (denied && charges[i].veto == Veto::kEnforce) taking = Taking::kNone;
    if (charges[i].veto != Veto::kQuota) continue;
    quota_denied |= denied;
    quota_open |= !denied;
    if (is_share || denied) continue;
    // Of the quota limits one that passes is enough.
    for (Veto& veto : vetoes_) veto = veto == Veto::kQuota ? Veto::kShadow : veto;
  }
  if (quota_denied && !quota_open) taking = Taking::kNone;
  if (shares_.empty()) return;
  const Request request{charges_, vetoes_, left_alone_, taking};
  store_.Decide({&request, 1}, decisions_, now);
  Tell(decisions);
}

void Fallback::DecideEach(Operation operation, std::span<const FallbackCharge> charges, Time now,
                          std::span<Decision> decisions) {
  Part(operation, charges, decisions);
  if (shares_.empty()) return;
  store_.DecideEach(operation, charges_, decisions_, now);
  Tell(decisions);
}

}  // namespace sluice
