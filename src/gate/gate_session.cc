#include "gate/gate_session.h"

#include <algorithm>

#include "rules/check_limit_count.h"
#include "rules/key_writer.h"

namespace sluice {

// So that rules which pass CheckRules do not refuse every request.
static_assert(kRequestLimitsMost <= Local::kChargesMost);

namespace {

// A rule that can refuse this set.
bool CanRefuse(Purpose purpose) { return purpose == Purpose::kTake || purpose == Purpose::kLook; }

unsigned BitOf(Purpose purpose) { return 1U << static_cast<unsigned>(purpose); }

// Whether it asks for anything, and does not only give back or forget.
bool IsCheck(const GateRequest& request) {
  return request.sets.empty() || std::ranges::any_of(request.sets, [](const AttributeSet& set) {
           return !LiftsLimits(set.purpose);
         });
}

// Entries of a caller's limit tell states apart by all that they say.
void WriteOverrideKey(const GateRequest& request, const AttributeSet& set, std::string& key) {
  key.clear();
  KeyWriter writer(key);
  writer.Add(request.domain);
  for (const Attribute& attribute : set.attributes) {
    writer.Add(attribute.name);
    writer.Add(attribute.value);
  }
}

}  // namespace

void GateSession::Refresh() {
  const std::uint64_t version = gate_.version_.load(std::memory_order_acquire);
  if (version == version_) return;
  rules_ = gate_.rules();
  tally_.Follow(rules_->series);
  version_ = version;
}

bool GateSession::MatchSets(const Domain& domain, const GateRequest& request, Verdict& verdict) {
  const std::size_t count = request.sets.size();
  if (count > kSetsMost) {
    verdict.SetFault("it has more than 1024 sets of attributes", nullptr);
    return false;
  }
  std::size_t charges = 0;
  // Keys are viewed where they are, so nothing may move once the first is written.
  if (matches_.size() < count) {
    matches_.resize(count);
    override_keys_.resize(count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const AttributeSet& set = request.sets[i];
    Match& match = matches_[i];
    match.Clear();
    domain.MatchRules(set.attributes, set.cost, match);
    SetVerdict& answer = verdict.sets_.emplace_back();
    if (match.outcome() == MatchOutcome::kCharges) {
      // What the caller's own limit stands in place of replaces nothing either.
      if (!set.limit) domain.MatchDescriptor(set.attributes, set.cost, match);
      answer.node = match.node();
      charges += match.charges().size();
      if (charges <= kDecisionsMost) continue;
      verdict.SetFault("more than 1024 limits apply to its sets of attributes", nullptr);
      return false;
    }
    answer.decided_by = match.decided_by()->spec;
    if (match.outcome() == MatchOutcome::kBadCost) {
      tally_.Count(rules_->series->OfRule(*match.decided_by()->spec), RuleOutcome::kFailed);
      verdict.SetFault("the attribute that holds the cost is no whole number from 0 to 10^18",
                       match.decided_by()->spec);
      return false;
    }
    if (match.outcome() == MatchOutcome::kDeny && CanRefuse(set.purpose)) {
      answer.kind = VerdictKind::kDenied;
      verdict.kind_ = VerdictKind::kDenied;
    }
    if (verdict.decided_by_ == nullptr || answer.kind == VerdictKind::kDenied) {
      verdict.decided_by_ = answer.decided_by;
    }
  }
  domain.DropReplacedDescriptors({matches_.data(), count}, replaced_names_);
  return true;
}

bool GateSession::AskSets(const GateRequest& request, Verdict& verdict) {
  asked_.clear();
  purposes_ = 0;
  for (std::uint32_t i = 0; i < request.sets.size(); ++i) {
    purposes_ |= BitOf(request.sets[i].purpose);
    AskSet(request, i, verdict);
  }
  if (Pick(verdict, Purpose::kTake) && picked_.size() > Local::kChargesMost) {
    verdict.SetFault("more than 64 limits apply", nullptr);
    return false;
  }
  return true;
}

void GateSession::AskSet(const GateRequest& request, std::uint32_t number, Verdict& verdict) {
  const AttributeSet& set = request.sets[number];
  const Match& match = matches_[number];
  SetVerdict& answer = verdict.sets_[number];
  answer.first = static_cast<std::uint32_t>(asked_.size());
  if (match.outcome() != MatchOutcome::kCharges) return;
  // A request that is denied takes nothing but debts, so nothing else of it is worth a look.
  const bool denied = verdict.kind_ == VerdictKind::kDenied && CanRefuse(set.purpose);
  for (const RuleCharge& charge : match.charges()) {
    const bool debt = charge.rule != nullptr && charge.rule->spec->debt;
    if (denied && !(debt && set.purpose == Purpose::kTake)) continue;
    Cost cost = charge.cost;
    // A debt may be larger than the limit, so what counts is whether anything is left.
    if (debt && set.purpose == Purpose::kLook) cost.units = std::min<std::int64_t>(cost.units, 1);
    asked_.push_back({.charge = {rules_->handles[charge.limit], match.Key(charge), cost},
                      .veto = debt ? Veto::kDebt : charge.veto,
                      .series = rules_->series->OfLimit(charge.limit)});
    verdict.decisions_.push_back({.limit = &rules_->rules->limits()[charge.limit],
                                  .rule = charge.rule != nullptr ? charge.rule->spec : nullptr,
                                  .set = number,
                                  .purpose = set.purpose,
                                  .veto = charge.veto,
                                  .cost = cost,
                                  .decision = {}});
  }
  if (set.limit && !denied) AskOverride(request, number, verdict);
  answer.count = static_cast<std::uint32_t>(asked_.size()) - answer.first;
}

void GateSession::AskOverride(const GateRequest& request, std::uint32_t number, Verdict& verdict) {
  const AttributeSet& set = request.sets[number];
  const LimitOverride& limit = *set.limit;
  std::string& key = override_keys_[number];
  WriteOverrideKey(request, set, key);
  asked_.push_back({.charge = {rules_->overrides->HandleOf(limit.period), key, set.cost},
                    .left_alone = OverrideLimits::LeftAlone(limit),
                    .series = rules_->series->OfOverride(limit.period)});
  verdict.decisions_.push_back({.limit = &rules_->overrides->NameOf(limit.period),
                                .rule = nullptr,
                                .set = number,
                                .purpose = set.purpose,
                                .veto = Veto::kEnforce,
                                .cost = set.cost,
                                .decision = {}});
}

bool GateSession::Pick(const Verdict& verdict, Purpose purpose) {
  if ((purposes_ & BitOf(purpose)) == 0) return false;
  picked_.clear();
  for (std::uint32_t i = 0; i < asked_.size(); ++i) {
    if (verdict.decisions_[i].purpose == purpose) picked_.push_back(i);
  }
  return !picked_.empty();
}

void GateSession::DecidePicked(Operation operation, Verdict& verdict) {
  charges_.clear();
  for (const std::uint32_t i : picked_) {
    charges_.push_back(asked_[i].charge);
    // To ask whether a charge passes and leaves that much is to ask for both. A cost of 0 passes.
    Cost& cost = charges_.back().cost;
    const bool leaves = operation == Operation::kPeek && cost.units != 0;
    if (leaves) cost.units += asked_[i].left_alone.units;
  }
  decisions_.resize(charges_.size());
  gate_.store_.DecideEach(operation, charges_, decisions_, now_);
  for (std::size_t i = 0; i < picked_.size(); ++i) {
    verdict.decisions_[picked_[i]].decision = decisions_[i];
  }
}

Taking GateSession::SumUpLooks(const Verdict& verdict) {
  bool quota_refused = false;
  bool quota_open = false;  // a quota limit passed, or is still to be asked
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    const RuleDecision& each = verdict.decisions_[i];
    const bool looked = each.purpose == Purpose::kLook;
    if (!looked && each.purpose != Purpose::kTake) continue;
    if (looked && each.veto == Veto::kEnforce && !each.decision.allowed) return Taking::kNone;
    if (each.veto != Veto::kQuota) continue;
    const bool passed = looked && each.decision.allowed;
    quota_refused |= looked && !passed;
    quota_open |= !looked || passed;
    // Of the quota limits one that passes is enough.
    if (passed) LiftQuota();
  }
  return quota_refused && !quota_open ? Taking::kNone : Taking::kAllOrNone;
}

void GateSession::LiftQuota() {
  for (Asked& asked : asked_) {
    if (asked.veto == Veto::kQuota) asked.veto = Veto::kShadow;
  }
}

void GateSession::TakePicked(Taking taking, Verdict& verdict) {
  charges_.clear();
  vetoes_.clear();
  left_alone_.clear();
  for (const std::uint32_t i : picked_) {
    charges_.push_back(asked_[i].charge);
    vetoes_.push_back(asked_[i].veto);
    left_alone_.push_back(asked_[i].left_alone);
  }
  decisions_.resize(charges_.size());
  const Request request{charges_, vetoes_, left_alone_, taking};
  gate_.store_.Decide({&request, 1}, decisions_, now_);
  for (std::size_t i = 0; i < picked_.size(); ++i) {
    verdict.decisions_[picked_[i]].decision = decisions_[i];
  }
}

void GateSession::RestateOverrides(const GateRequest& request, Verdict& verdict) const {
  for (RuleDecision& each : verdict.decisions_) {
    const std::optional<LimitOverride>& limit = request.sets[each.set].limit;
    if (!limit || each.limit != &rules_->overrides->NameOf(limit->period)) continue;
    OverrideLimits::Restate(*limit, each.decision);
  }
}

void GateSession::CountSets(const Domain& domain, const GateRequest& request,
                            const Verdict& verdict) {
  for (std::size_t i = 0; i < request.sets.size(); ++i) {
    const AttributeSet& set = request.sets[i];
    const SetVerdict& answer = verdict.sets_[i];
    if (!CanRefuse(set.purpose)) continue;
    if (answer.decided_by != nullptr) {
      const bool denied = answer.kind == VerdictKind::kDenied;
      tally_.Count(rules_->series->OfRule(*answer.decided_by),
                   denied ? RuleOutcome::kRefused : RuleOutcome::kAllowed);
    } else if (matches_[i].charges().empty() && answer.node == nullptr && !set.limit) {
      tally_.Count(rules_->series->OfDomain(domain.spec()), RuleOutcome::kAllowed);
    }
    for (std::uint32_t j = 0; j < answer.count; ++j) CountDecision(verdict, answer.first + j);
  }
}

void GateSession::CountDecision(const Verdict& verdict, std::uint32_t number) {
  const RuleDecision& each = verdict.decisions_[number];
  const Asked& asked = asked_[number];
  const bool shadow = each.veto == Veto::kShadow;
  // A small count of a caller's cannot be told from a state that is shared.
  const bool failed = each.decision.source == Source::kOverflow && asked.left_alone.units != 0;
  tally_.Count(asked.series, each.decision.allowed ? RuleOutcome::kAllowed
                             : failed              ? RuleOutcome::kFailed
                             : shadow              ? RuleOutcome::kShadowRefused
                                                   : RuleOutcome::kRefused);
  const bool taken = asked.veto == Veto::kDebt || (verdict.allowed() && each.decision.allowed);
  if (each.purpose == Purpose::kTake && taken) {
    tally_.CountUnits(asked.series, static_cast<std::uint64_t>(each.cost.units));
  }
}

void GateSession::LetGo(std::size_t sets) {
  if (sets > kSetsKept && matches_.size() > kSetsKept) {
    matches_.resize(kSetsKept);
    matches_.shrink_to_fit();
    override_keys_.resize(kSetsKept);
    override_keys_.shrink_to_fit();
  }
  for (std::size_t i = 0; i < std::min(sets, matches_.size()); ++i) {
    matches_[i].LetGo();
    std::string& key = override_keys_[i];
    if (key.capacity() > Match::kKeyBytesKept) std::string().swap(key);
  }
}

std::size_t GateSession::BytesKeptForTest() const {
  std::size_t bytes = matches_.capacity() * sizeof(Match);
  for (const Match& match : matches_) bytes += match.KeyBytesKeptForTest();
  for (const std::string& key : override_keys_) bytes += key.capacity();
  return bytes;
}

void GateSession::Decide(const GateRequest& request, Verdict& verdict) {
  Refresh();
  verdict.Clear();
  if (verdict.rules_ != rules_) verdict.rules_ = rules_;
  const Domain* const domain = rules_ ? rules_->rules->Find(request.domain) : nullptr;
  if (domain == nullptr) {
    verdict.kind_ = VerdictKind::kUnknownDomain;
  } else {
    DecideIn(*domain, request, verdict);
    LetGo(request.sets.size());
  }
  if (IsCheck(request)) {
    ++verdict_counts_.checks[static_cast<std::size_t>(verdict.kind_)];
  } else {
    ++verdict_counts_.lifts;
  }
}

void GateSession::DecideIn(const Domain& domain, const GateRequest& request, Verdict& verdict) {
  if (!MatchSets(domain, request, verdict) || !AskSets(request, verdict)) return;
  now_ = verdict.decided_at_ = gate_.clock_.Now();
  if (Pick(verdict, Purpose::kGiveBack)) DecidePicked(Operation::kRefund, verdict);
  if (Pick(verdict, Purpose::kForget)) DecidePicked(Operation::kReset, verdict);
  Taking taking = Taking::kAllOrNone;
  if (Pick(verdict, Purpose::kLook)) {
    DecidePicked(Operation::kPeek, verdict);
    taking = SumUpLooks(verdict);
  }
  if (Pick(verdict, Purpose::kTake)) TakePicked(taking, verdict);
  RestateOverrides(request, verdict);
  verdict.SumUp();
  CountSets(domain, request, verdict);
}

}  // namespace sluice
