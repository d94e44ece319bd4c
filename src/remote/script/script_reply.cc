#include "remote/script/script_reply.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <utility>
#include <vector>

#include "core/algorithm/window_end.h"

namespace sluice {
namespace {

// Number of nodes before the states.
constexpr std::size_t kHeadNodes = 4;

bool IsNumber(const RespNode& node, std::int64_t max) {
  return node.type == RespType::kInteger && node.integer >= 0 && node.integer <= max;
}

// Layout: the status, seconds, microseconds, and a text for each key.
bool IsReply(const ScriptCall& call, std::span<const RespNode> reply) {
  if (reply.size() != ScriptReplyNodes(call) || reply[0].type != RespType::kArray) return false;
  for (const RespNode& node : reply.subspan(kHeadNodes)) {
    if (node.type != RespType::kBulk) return false;
  }
  constexpr std::int64_t kMaxSeconds = 6'000'000'000;  // kLatestTime
  return IsNumber(reply[1], 3) && IsNumber(reply[2], kMaxSeconds) && IsNumber(reply[3], 999'999);
}

// Combines the decisions of both terms about one cost. `first_ends`: how long the first terms count
// at most, unless other nodes use them.
Decision Joined(const Decision& own, const Decision& first, Nanos first_ends) {
  Decision both = own;
  both.allowed = own.allowed && first.allowed;
  both.remaining = std::min(own.remaining, first.remaining);
  // A cost that only the limit itself can admit passes once the first terms have expired.
  const bool is_too_much = first.retry_after == kNever && own.retry_after != kNever;
  both.retry_after = std::max(own.retry_after, is_too_much ? first_ends : first.retry_after);
  both.reset_after = std::max(own.reset_after, first.reset_after);
  both.wait = std::max(own.wait, first.wait);
  return both;
}

// Repeats the script's decision with the core.
//
// It works like MemoryStore::DecideTogether, so that every decision is the same as there. If a key
// has other first terms, their state is processed in the same way, and both decide.
class Replay {
 public:
  Replay(const ScriptCall& call, Time now, std::vector<KeyState>& states)
      : call_(call), now_(now), states_(states) {}

  // Returns false if a text is not a state.
  bool ReadStates(const ReplyTexts& texts) {
    states_.reserve(call_.keys().size());
    for (std::size_t i = 0; i < call_.keys().size(); ++i) {
      std::optional<KeyState> state = KeyState::Read(call_, i, texts.own(i));
      if (!state) return false;
      states_.push_back(*std::move(state));
    }
    return call_.firsts() == 0 || ReadFirsts(texts);
  }

  // Returns whether the request goes ahead. REQUIRES: ReadStates returned true.
  bool Run() {
    bool is_refused = false;
    bool quota_asked = false;
    bool quota_passed = false;
    for (std::size_t i = 0; i < call_.items().size(); ++i) {
      const ScriptItem& item = call_.items()[i];
      decisions_[i] = OfBoth(item, [&](KeyState& state) { return Start(item, state); });
      is_refused |= item.is_enforced && !decisions_[i].allowed;
      quota_asked |= item.is_quota;
      quota_passed |= item.is_quota && decisions_[i].allowed;
    }
    const bool goes_ahead = !is_refused && (!quota_asked || quota_passed);
    for (std::size_t i = 0; i < call_.items().size(); ++i) {
      const ScriptItem& item = call_.items()[i];
      if (item.kind == ItemKind::kCheck && IsTaken(item, decisions_[i], goes_ahead)) {
        const bool is_allowed = decisions_[i].allowed;
        // A refusal is recorded under the limit's own terms only.
        decisions_[i] = OfBoth(item, [&](KeyState& state) {
          const bool is_own = &state == &states_[item.key];
          return is_allowed || is_own ? state.Check(item.cost, now_) : Start(item, state);
        });
        decisions_[i].allowed = is_allowed;
      }
    }
    return goes_ahead;
  }

  // Returns until when the units of a charge can be refunded to its limit and to the first terms of
  // its key. REQUIRES: Run was called, and TellFirsts was not.
  [[nodiscard]] ReturnBound BoundOf(std::size_t charge) {
    const std::size_t place = call_.items()[call_.ItemOf(charge)].key;
    const ScriptKey& key = call_.keys()[place];
    ReturnBound bound{Until(*key.limit, states_[place])};
    if (KeyState* const first = FirstOf(place)) {
      bound.other = key.first.limit->tag_hash();
      bound.other_until = Until(key.first.asked(), *first);
    }
    return bound;
  }

  // Reduces the states to what the first terms leave, for code that decides on them later.
  void TellFirsts() {
    for (std::size_t i = 0; i < firsts_.size(); ++i) {
      KeyState* const first = FirstOf(i);
      if (first == nullptr) continue;
      const std::int64_t more =
          states_[i].Peek(Cost{0}, now_).remaining - first->Peek(Cost{0}, now_).remaining;
      if (more > 0) states_[i].TakeDebt({more}, now_);
    }
  }

  [[nodiscard]] const Decision& DecisionOf(std::size_t charge) const {
    return decisions_[call_.ItemOf(charge)];
  }

 private:
  bool ReadFirsts(const ReplyTexts& texts) {
    firsts_.resize(call_.keys().size());
    for (std::size_t i = 0; i < firsts_.size(); ++i) {
      const ScriptKey& key = call_.keys()[i];
      if (!key.HasFirst()) continue;
      const Terms& terms = key.first.asked().terms();
      firsts_[i].emplace(terms, key.stagger);
      if (!texts.first(i).empty()) {
        firsts_[i] = KeyState::ReadText(terms, texts.first(i), key.stagger);
        if (!firsts_[i]) return false;
      }
    }
    return true;
  }

  KeyState* FirstOf(std::size_t key) {
    return firsts_.empty() || !firsts_[key] ? nullptr : &*firsts_[key];
  }

  // Combines decide(state) for an item's state and for the first terms of its key.
  template <typename F>
  Decision OfBoth(const ScriptItem& item, F decide) {
    const Decision own = decide(states_[item.key]);
    KeyState* const first = FirstOf(item.key);
    const ScriptKey& key = call_.keys()[item.key];
    if (first == nullptr || !IsOfFirst(key, item)) return own;
    const Nanos ends = std::max(Nanos{1}, key.first.kept_until - now_);
    return Joined(own, decide(*first), ends);
  }

  // Returns whether a check changes its states. If one of two states refuses it, the other may take
  // it only if refusals are recorded.
  bool IsTaken(const ScriptItem& item, const Decision& decision, bool goes_ahead) {
    if (decision.allowed) return goes_ahead;
    const bool records = call_.keys()[item.key].limit->limit().spec.count_refused.value_or(false);
    return item.min_remaining.units == 0 && (records || FirstOf(item.key) == nullptr);
  }

  [[nodiscard]] Time Until(const RemoteLimit& limit, KeyState& state) const {
    return ReturnableUntil(limit.limit(), state.Peek(Cost{0}, now_), now_);
  }

  // Applies what does not depend on whether the request goes ahead.
  Decision Start(const ScriptItem& item, KeyState& state) {
    switch (item.kind) {
      case ItemKind::kCheck:
      case ItemKind::kAsk:
        break;
      case ItemKind::kDebt:
        return state.TakeDebt(item.cost, now_);
      case ItemKind::kRefund:
        return GiveBack(item, state);
      case ItemKind::kReset:
        return state.Reset(now_);
    }
    return state.Peek(item.asked(), now_);
  }

  Decision GiveBack(const ScriptItem& item, KeyState& state) const {
    if (!item.bound) return state.Refund(item.cost, now_);
    const bool is_own = &state == &states_[item.key];
    const Time until = is_own ? item.bound->until : item.bound->other_until;
    if (now_ >= until) return state.Peek(Cost{0}, now_);
    return state.Refund(item.cost, now_, until);
  }

  const ScriptCall& call_;
  Time now_;
  std::vector<KeyState>& states_;
  std::vector<std::optional<KeyState>> firsts_;  // empty if no key has first terms
  std::array<Decision, Local::kMaxCharges> decisions_{};
};

}  // namespace

std::uint32_t ScriptReplyNodes(const ScriptCall& call) {
  return static_cast<std::uint32_t>(kHeadNodes + call.keys().size() + call.firsts());
}

Time TimeOfReply(std::span<const RespNode> reply) {
  return Time{std::chrono::seconds{reply[2].integer} + std::chrono::microseconds{reply[3].integer}};
}

ReplyTexts::ReplyTexts(const ScriptCall& call, std::span<const RespNode> reply)
    : nodes_(reply.subspan(kHeadNodes)) {
  std::size_t place = call.keys().size();
  for (std::size_t i = 0; call.firsts() > 0 && i < call.keys().size(); ++i) {
    if (call.keys()[i].HasFirst()) place_[i] = place++;
  }
}

Result<ScriptOutcome> ReadScriptReply(const ScriptCall& call, std::span<const RespNode> reply,
                                      std::span<Decision> decisions, ScriptStates& states) {
  states.keys.clear();
  states.bounds.clear();
  assert(decisions.size() >= call.charges());
  if (!IsReply(call, reply)) return Error{"Redis answered with something else than a decision"};
  ScriptOutcome outcome;
  outcome.now = TimeOfReply(reply);
  if (reply[1].integer >= 2) {
    outcome.status = reply[1].integer == 2 ? ScriptStatus::kOtherTerms : ScriptStatus::kOtherTime;
    return outcome;
  }
  Replay replay(call, outcome.now, states.keys);
  if (!replay.ReadStates(ReplyTexts(call, reply))) {
    return Error{"Redis holds something else than a state under a key"};
  }
  outcome.goes_ahead = replay.Run();
  if (outcome.goes_ahead != (reply[1].integer == 1)) {
    return Error{"Redis decided otherwise than its answer says"};
  }
  for (std::size_t i = 0; i < call.charges(); ++i) decisions[i] = replay.DecisionOf(i);
  if (call.firsts() == 0) return outcome;
  for (std::size_t i = 0; i < call.charges(); ++i) states.bounds.push_back(replay.BoundOf(i));
  replay.TellFirsts();
  return outcome;
}

Result<ScriptOutcome> ReadScriptReply(const ScriptCall& call, std::span<const RespNode> reply,
                                      std::span<Decision> decisions) {
  ScriptStates states;
  return ReadScriptReply(call, reply, decisions, states);
}

}  // namespace sluice
