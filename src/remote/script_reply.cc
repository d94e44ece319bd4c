#include "remote/script_reply.h"

#include <array>
#include <cassert>
#include <optional>
#include <utility>
#include <vector>

namespace sluice {
namespace {

// What comes before the states.
constexpr std::size_t kHeadNodes = 4;

bool IsNumber(const RespNode& node, std::int64_t most) {
  return node.type == RespType::kInteger && node.integer >= 0 && node.integer <= most;
}

// The status, seconds, microseconds, and a text for each key.
bool IsReply(const ScriptCall& call, std::span<const RespNode> reply) {
  if (reply.size() != ScriptReplyNodes(call) || reply[0].type != RespType::kArray) return false;
  for (const RespNode& node : reply.subspan(kHeadNodes)) {
    if (node.type != RespType::kBulk) return false;
  }
  constexpr std::int64_t kSecondsMost = 6'000'000'000;  // kLatestTime
  return IsNumber(reply[1], 3) && IsNumber(reply[2], kSecondsMost) && IsNumber(reply[3], 999'999);
}

// Goes the way of the script again, with the core.
//
// The same as MemoryStore::DecideTogether does it, so that every decision is what it would be
// there.
class Replay {
 public:
  Replay(const ScriptCall& call, Time now, std::vector<KeyState>& states)
      : call_(call), now_(now), states_(states) {}

  // False where a text is no state.
  bool ReadStates(std::span<const RespNode> texts) {
    states_.reserve(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::optional<KeyState> state = KeyState::Read(call_, i, texts[i].text);
      if (!state) return false;
      states_.push_back(*std::move(state));
    }
    return true;
  }

  // Whether the request goes ahead. REQUIRES: ReadStates answered true.
  bool Run() {
    bool is_refused = false;
    bool quota_asked = false;
    bool quota_passed = false;
    for (std::size_t i = 0; i < call_.items().size(); ++i) {
      const ScriptItem& item = call_.items()[i];
      decisions_[i] = Start(item);
      is_refused |= item.is_enforced && !decisions_[i].allowed;
      quota_asked |= item.is_quota;
      quota_passed |= item.is_quota && decisions_[i].allowed;
    }
    const bool goes_ahead = !is_refused && (!quota_asked || quota_passed);
    for (std::size_t i = 0; i < call_.items().size(); ++i) {
      const ScriptItem& item = call_.items()[i];
      const bool runs = decisions_[i].allowed ? goes_ahead : item.left_alone.units == 0;
      if (item.kind != ItemKind::kCheck || !runs) continue;
      decisions_[i] = states_[item.key].Check(item.cost, now_);
    }
    return goes_ahead;
  }

  [[nodiscard]] const Decision& DecisionOf(std::size_t charge) const {
    return decisions_[call_.ItemOf(charge)];
  }

 private:
  // What is done before it is known whether the request goes ahead.
  Decision Start(const ScriptItem& item) {
    KeyState& state = states_[item.key];
    switch (item.kind) {
      case ItemKind::kCheck:
      case ItemKind::kAsk:
        break;
      case ItemKind::kDebt:
        return state.TakeDebt(item.cost, now_);
      case ItemKind::kRefund:
        if (item.until && now_ >= *item.until) return state.Peek(Cost{0}, now_);
        return state.Refund(item.cost, now_, item.until);
      case ItemKind::kReset:
        return state.Reset(now_);
    }
    return state.Peek(item.asked(), now_);
  }

  const ScriptCall& call_;
  Time now_;
  std::vector<KeyState>& states_;
  std::array<Decision, Local::kChargesMost> decisions_{};
};

Time TimeOf(std::span<const RespNode> reply) {
  return Time{std::chrono::seconds{reply[2].integer} + std::chrono::microseconds{reply[3].integer}};
}

}  // namespace

std::uint32_t ScriptReplyNodes(const ScriptCall& call) {
  return static_cast<std::uint32_t>(kHeadNodes + call.keys().size());
}

Result<ScriptOutcome> ReadScriptReply(const ScriptCall& call, std::span<const RespNode> reply,
                                      std::span<Decision> decisions,
                                      std::vector<KeyState>& states) {
  states.clear();
  assert(decisions.size() >= call.charges());
  if (!IsReply(call, reply)) return Error{"Redis answered with something else than a decision"};
  ScriptOutcome outcome;
  outcome.now = TimeOf(reply);
  if (reply[1].integer >= 2) {
    outcome.status = reply[1].integer == 2 ? ScriptStatus::kOtherTerms : ScriptStatus::kOtherTime;
    return outcome;
  }
  Replay replay(call, outcome.now, states);
  if (!replay.ReadStates(reply.subspan(kHeadNodes))) {
    return Error{"Redis holds something else than a state under a key"};
  }
  outcome.goes_ahead = replay.Run();
  if (outcome.goes_ahead != (reply[1].integer == 1)) {
    return Error{"Redis decided otherwise than its answer says"};
  }
  for (std::size_t i = 0; i < call.charges(); ++i) decisions[i] = replay.DecisionOf(i);
  return outcome;
}

Result<ScriptOutcome> ReadScriptReply(const ScriptCall& call, std::span<const RespNode> reply,
                                      std::span<Decision> decisions) {
  std::vector<KeyState> states;
  return ReadScriptReply(call, reply, decisions, states);
}

}  // namespace sluice
