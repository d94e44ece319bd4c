#include "gate/gate_session.h"

#include <algorithm>
#include <cassert>
#include <string_view>

#include "base/enum_name.h"
#include "base/text.h"
#include "core/limit/limit_words.h"
#include "rules/check/check_limit_count.h"
#include "rules/compile/key_writer.h"

namespace sluice {

// Ensures that rules that pass CheckRules do not refuse every request.
static_assert(kMaxRequestLimits <= Local::kMaxCharges);

namespace {

// Whether a rule can refuse a set with this purpose.
bool CanRefuse(Purpose purpose) { return purpose == Purpose::kTake || purpose == Purpose::kLook; }

// Whether the request checks anything, instead of only giving back or forgetting.
bool IsCheck(const GateRequest& request) {
  return request.sets.empty() || std::ranges::any_of(request.sets, [](const AttributeSet& set) {
           return !LiftsLimits(set.purpose);
         });
}

// Writes the key of a caller's own limit: all attributes of the set.
void WriteOverrideKey(const GateRequest& request, const AttributeSet& set, std::string& key) {
  key.clear();
  KeyWriter writer(key);
  writer.Add(request.domain);
  for (const Attribute& attribute : set.attributes) {
    writer.Add(attribute.name);
    writer.Add(attribute.value);
  }
}

// The secret is the same on all nodes of a fleet, so that a key is enforced on all of them or on
// none.
HashSeed ShareSecretOf(const FleetSecret& fleet) {
  constexpr std::string_view kPurpose = "enforce_percent";
  return {SipHash(fleet.first).Finish(kPurpose), SipHash(fleet.second).Finish(kPurpose)};
}

// Without a fleet, the secret derives from the store's seed, which a snapshot keeps.
HashSeed ShareSecretOf(const MemoryStore& store) {
  return {store.HashPermit("enforce_percent low").value,
          store.HashPermit("enforce_percent high").value};
}

}  // namespace

GateSession::GateSession(Gate& gate, const RemoteAccess& access)
    : gate_(gate),
      access_(access),
      share_secret_(ShareSecretOf(gate.store_)),
      tally_(gate.counts_),
      pending_(TakePending()) {}

PendingRequest* GateSession::TakePending() {
  return &all_.Take([this] {
    PendingRequest::Owner& owner = *this;
    auto made = std::make_unique<PendingRequest>(gate_.store_, gate_.clock_, access_, owner);
    made->reports_growth = gate_.reports_growth_;
    return made;
  });
}

void GateSession::Refresh() {
  const std::uint64_t version = gate_.version_.load(std::memory_order_acquire);
  if (version != version_) {
    rules_ = gate_.rules();
    tally_.SwitchTo(rules_->series);
    version_ = version;
    secret_ = nullptr;
  }
  if (access_.remote == nullptr) return;
  const FleetSecret* const secret = gate_.remote_limits_->secret();
  if (secret != secret_) Hash(secret);
}

// Computes the hashes for remote keys. The secret may arrive after the rules, and changes if the
// remote store has lost all its data; until it is there the remote store cannot be asked.
void GateSession::Hash(const FleetSecret* secret) {
  if (rules_ == nullptr) return;
  hashes_.clear();
  const auto add = [&](const RuleLimit& limit) {
    hashes_.emplace_back(*secret, Concat(limit.id, "#", WordOf(limit.limit->spec.algorithm)));
  };
  for (const RuleLimit& limit : rules_->rules->limits()) add(limit);
  for (std::size_t i = 0; i < LimitOverride::kPeriods; ++i) {
    add(rules_->overrides->NameOf(static_cast<LimitOverride::Period>(i)));
  }
  share_secret_ = ShareSecretOf(*secret);
  secret_ = secret;
}

bool GateSession::MatchSets(const Domain& domain, const GateRequest& request, Verdict& verdict) {
  const std::size_t count = request.sets.size();
  if (count > kMaxSets) {
    verdict.SetFault("it has more than 1024 sets of attributes", nullptr);
    return false;
  }
  std::size_t charges = 0;
  // Keys are viewed in place, so nothing may move once the first is written.
  if (matches_.size() < count) {
    matches_.resize(count);
    override_keys_.resize(count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const AttributeSet& set = request.sets[i];
    Match& match = matches_[i];
    match.Clear();
    match.UseShareSecret(share_keys_ == ShareKeys::kAll ? nullptr : &share_secret_);
    domain.MatchRules(MatchedAttributes{.attributes = set.attributes,
                                        .strict_path = set.strict_path,
                                        .repeats = set.repeats,
                                        .lenient_attributes = set.lenient_attributes},
                      set.cost, match);
    SetVerdict& answer = verdict.sets_.emplace_back();
    if (match.bad_cost() != nullptr) answer.bad_cost = match.bad_cost()->spec;
    if (match.outcome() == MatchOutcome::kCharges) {
      // If the caller brings its own limit, the descriptors are not matched, so they replace
      // nothing.
      if (!set.limit) domain.MatchDescriptor(set.attributes, set.cost, match);
      answer.node = match.node();
      charges += match.charges().size();
      if (charges <= kMaxDecisions) continue;
      verdict.SetFault("more than 1024 limits apply to its sets of attributes", nullptr);
      return false;
    }
    if (!EndSet(request, i, verdict)) return false;
  }
  domain.DropReplacedDescriptors({matches_.data(), count}, replaced_names_);
  return true;
}

bool GateSession::EndSet(const GateRequest& request, std::size_t number, Verdict& verdict) {
  const Match& match = matches_[number];
  if (match.outcome() == MatchOutcome::kRepeated) {
    verdict.SetFault(
        "a header, cookie or query parameter that a rule uses comes twice with different "
        "values, or could be read in another way for '_' in the name of a header, ';' in the "
        "query, or an escape, a blank, a dot, '[' or a NUL in the name of a parameter or cookie",
        nullptr);
    return false;
  }
  constexpr std::string_view kBadCost =
      "the attribute that holds the cost is no whole number from 0 to 10^18";
  const RuleSpec* const rule = match.decided_by()->spec;
  const bool has_bad_cost = match.outcome() == MatchOutcome::kBadCost;
  if (has_bad_cost && request.bad_cost == BadCost::kFault) {
    tally_.Count(rules_->series->OfRule(*rule), RuleOutcome::kFailed);
    verdict.SetFault(kBadCost, rule);
    return false;
  }
  SetVerdict& answer = verdict.sets_[number];
  answer.decided_by = rule;
  const bool denies = has_bad_cost || match.outcome() == MatchOutcome::kDeny;
  const bool was_denied = verdict.kind_ == VerdictKind::kDenied;
  if (denies && CanRefuse(request.sets[number].purpose)) {
    answer.kind = VerdictKind::kDenied;
    verdict.kind_ = VerdictKind::kDenied;
    // A rule that denies is more specific than a bad cost.
    if (has_bad_cost && was_denied) return true;
    verdict.decided_by_ = rule;
    verdict.fault_ = has_bad_cost ? kBadCost : std::string_view();
  } else if (verdict.decided_by_ == nullptr) {
    verdict.decided_by_ = rule;
  }
  return true;
}

bool GateSession::AskSets(const Domain& domain, const GateRequest& request, Verdict& verdict) {
  PendingRequest& pending = *pending_;
  pending.Clear();
  pending.domain = &domain.spec();
  pending.answer_within = request.answer_within;
  pending.has_fleet_keys = secret_ != nullptr;
  for (std::uint32_t i = 0; i < request.sets.size(); ++i) {
    pending.AddPurpose(request.sets[i].purpose);
    AskSet(request, i, verdict);
  }
  const bool may_be_many = pending.charges.size() > Local::kMaxCharges;
  if (may_be_many && PendingRequest::CountOf(verdict, Purpose::kTake) > Local::kMaxCharges) {
    verdict.SetFault("more than 64 limits apply", nullptr);
    return false;
  }
  return true;
}

void GateSession::AskSet(const GateRequest& request, std::uint32_t number, Verdict& verdict) {
  const AttributeSet& set = request.sets[number];
  const Match& match = matches_[number];
  SetVerdict& answer = verdict.sets_[number];
  std::vector<PendingRequest::PendingCharge>& charges = pending_->charges;
  answer.first = static_cast<std::uint32_t>(charges.size());
  const bool is_charged = match.outcome() == MatchOutcome::kCharges;
  pending_->sets.push_back({.purpose = set.purpose,
                            .limit = set.limit,
                            .is_unmatched = is_charged && match.charges().empty() &&
                                            answer.node == nullptr && !set.limit});
  if (!is_charged) return;
  // A denied request takes only debts, so nothing else of it is looked up.
  const bool denied = verdict.kind_ == VerdictKind::kDenied && CanRefuse(set.purpose);
  for (const RuleCharge& charge : match.charges()) {
    const bool debt = charge.rule != nullptr && charge.rule->spec->debt;
    if (denied && !(debt && set.purpose == Purpose::kTake)) continue;
    Cost cost = charge.cost;
    // A debt may be larger than the limit, so a look only checks whether anything is left.
    if (debt && set.purpose == Purpose::kLook) cost.units = std::min<std::int64_t>(cost.units, 1);
    const LimitPlace& place = rules_->places[charge.limit];
    charges.push_back({.charge = {place.handle, match.Key(charge), cost},
                       .enforcement = debt ? Enforcement::kDebt : charge.enforcement,
                       .series = rules_->series->OfLimit(charge.limit),
                       .place = &place});
    if (secret_ != nullptr) AddFleetKey(&hashes_[charge.limit]);
    verdict.decisions_.push_back({.limit = &rules_->rules->limits()[charge.limit],
                                  .rule = charge.rule != nullptr ? charge.rule->spec : nullptr,
                                  .set = number,
                                  .purpose = set.purpose,
                                  .enforcement = charge.enforcement,
                                  .cost = cost,
                                  .decision = {}});
  }
  if (set.limit && !denied) AskOverride(request, number, verdict);
  answer.count = static_cast<std::uint32_t>(charges.size()) - answer.first;
}

void GateSession::AddFleetKey(const FleetHash* hash) {
  PendingRequest::PendingCharge& charges = pending_->charges.back();
  if (charges.place->remote == nullptr) return;
  charges.fleet_key = hash->Of(charges.charge.key);
  charges.route = RouteOf(*secret_, charges.charge.key);
}

void GateSession::AskOverride(const GateRequest& request, std::uint32_t number, Verdict& verdict) {
  const AttributeSet& set = request.sets[number];
  const LimitOverride& limit = *set.limit;
  std::string& key = override_keys_[number];
  WriteOverrideKey(request, set, key);
  const LimitPlace& place = rules_->overrides->PlaceOf(limit.period);
  pending_->charges.push_back({.charge = {place.handle, key, set.cost},
                               .min_remaining = OverrideLimits::MinRemaining(limit),
                               .series = rules_->series->OfOverride(limit.period),
                               .place = &place});
  const std::size_t hash = rules_->places.size() + static_cast<std::size_t>(limit.period);
  if (secret_ != nullptr) AddFleetKey(&hashes_[hash]);
  verdict.decisions_.push_back({.limit = &rules_->overrides->NameOf(limit.period),
                                .rule = nullptr,
                                .set = number,
                                .purpose = set.purpose,
                                .enforcement = Enforcement::kEnforce,
                                .cost = set.cost,
                                .decision = {}});
}

void GateSession::Count(const PendingRequest& pending, const Verdict& verdict) {
  for (std::size_t i = 0; i < pending.sets.size(); ++i) {
    const SetInfo& set = pending.sets[i];
    const SetVerdict& answer = verdict.sets_[i];
    if (!CanRefuse(set.purpose)) continue;
    if (answer.decided_by != nullptr) {
      const bool denied = answer.kind == VerdictKind::kDenied;
      const bool failed = answer.decided_by == answer.bad_cost;
      tally_.Count(rules_->series->OfRule(*answer.decided_by), failed   ? RuleOutcome::kFailed
                                                               : denied ? RuleOutcome::kRefused
                                                                        : RuleOutcome::kAllowed);
    } else if (set.is_unmatched) {
      tally_.Count(rules_->series->OfDomain(*pending.domain), RuleOutcome::kAllowed);
    }
    for (std::uint32_t j = answer.first; j < answer.first + answer.count; ++j) {
      CountDecision(pending.charges[j], verdict, verdict.decisions_[j]);
    }
  }
}

void GateSession::CountDecision(const PendingRequest::PendingCharge& charges,
                                const Verdict& verdict, const RuleDecision& each) {
  const Decision& decision = each.decision;
  const bool shadow = each.enforcement == Enforcement::kShadow;
  // A caller's smaller count cannot be decided on a shared state.
  const bool failed = decision.source == Source::kOverflow && charges.min_remaining.units != 0;
  const bool fell_back = decision.source == Source::kFallback;
  RuleOutcome outcome = RuleOutcome::kAllowed;
  if (decision.allowed) {
    if (fell_back) outcome = RuleOutcome::kFallbackAllowed;
  } else if (fell_back) {
    outcome = RuleOutcome::kFallbackRefused;
  } else {
    outcome = failed   ? RuleOutcome::kFailed
              : shadow ? RuleOutcome::kShadowRefused
                       : RuleOutcome::kRefused;
  }
  tally_.Count(charges.series, outcome);
  const bool taken =
      charges.enforcement == Enforcement::kDebt || (verdict.allowed() && decision.allowed);
  if (each.purpose == Purpose::kTake && taken) {
    tally_.CountUnits(charges.series, static_cast<std::uint64_t>(each.cost.units));
  }
}

void GateSession::ReleaseMemory(std::size_t sets) {
  if (sets > kSetsKept && matches_.size() > kSetsKept) {
    matches_.resize(kSetsKept);
    matches_.shrink_to_fit();
    override_keys_.resize(kSetsKept);
    override_keys_.shrink_to_fit();
  }
  for (std::size_t i = 0; i < std::min(sets, matches_.size()); ++i) {
    matches_[i].ReleaseMemory();
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
  struct Nobody final : VerdictWaiter {
    void OnVerdict(Verdict& /*verdict*/) override {}
  } nobody;
  assert(access_.remote == nullptr);
  static_cast<void>(Decide(request, verdict, nobody));
}

GateSession::Decided GateSession::Decide(const GateRequest& request, Verdict& verdict,
                                         VerdictWaiter& waiter) {
  Refresh();
  verdict.Clear();
  if (verdict.rules_ != rules_) verdict.rules_ = rules_;
  const Domain* const domain = rules_ ? rules_->rules->Find(request.domain) : nullptr;
  if (domain == nullptr) {
    verdict.kind_ = VerdictKind::kUnknownDomain;
  } else {
    pending_->waiter = &waiter;
    const Decided decided = DecideIn(*domain, request, verdict);
    ReleaseMemory(request.sets.size());
    if (decided == Decided::kLater) return decided;
  }
  if (IsCheck(request)) {
    ++verdict_counts_.checks[static_cast<std::size_t>(verdict.kind_)];
  } else {
    ++verdict_counts_.lifts;
  }
  return Decided::kNow;
}

GateSession::Decided GateSession::DecideIn(const Domain& domain, const GateRequest& request,
                                           Verdict& verdict) {
  if (!MatchSets(domain, request, verdict) || !AskSets(domain, request, verdict)) {
    return Decided::kNow;
  }
  if (pending_->Decide(verdict) == PendingRequest::Outcome::kDecided) {
    Count(*pending_, verdict);
    return Decided::kNow;
  }
  pending_ = TakePending();
  return Decided::kLater;
}

void GateSession::OnVerdict(PendingRequest& pending) {
  Verdict& verdict = pending.kept_verdict();
  if (verdict.rules_ == rules_) Count(pending, verdict);
  const bool is_check = std::ranges::any_of(
      pending.sets, [](const SetInfo& set) { return !LiftsLimits(set.purpose); });
  if (is_check) {
    ++verdict_counts_.checks[static_cast<std::size_t>(verdict.kind_)];
  } else {
    ++verdict_counts_.lifts;
  }
  pending.waiter->OnVerdict(verdict);
}

void GateSession::OnIdle(PendingRequest& pending) {
  using Then = ObjectPool<PendingRequest>::Then;
  pending.kept_verdict().ReleaseMemory();
  all_.GiveBack(pending, pending.is_large() ? Then::kFree : Then::kKeep);
}

}  // namespace sluice
