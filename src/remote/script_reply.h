// What the script that decides answered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "remote/key_state.h"
#include "remote/script_request.h"
#include "sluice/decision.h"
#include "sluice/result.h"
#include "wire/resp_value_reader.h"

namespace sluice {

// What became of a call.
enum class ScriptStatus : std::uint8_t {
  kDecided,
  // A state was written under other terms. Nothing was changed.
  kOtherTerms,
  // The time in Redis is outside of the windows that were handed over. Nothing was changed: the
  // same call, written again about that time, is decided.
  kOtherTime,
};

struct ScriptOutcome {
  ScriptStatus status = ScriptStatus::kDecided;
  Time now{};               // in Redis
  bool goes_ahead = false;  // kDecided
};

// How many nodes a reply to the call has, whatever became of it.
std::uint32_t ScriptReplyNodes(const ScriptCall& call);

// When Redis answered. REQUIRES: ReadScriptReply has read the reply.
Time TimeOfReply(std::span<const RespNode> reply);

// The texts of a reply, by the place of the key in the call. Views the reply, not the call.
// REQUIRES: ReadScriptReply has read the reply.
class ReplyTexts {
 public:
  ReplyTexts(const ScriptCall& call, std::span<const RespNode> reply);

  // The state of the key's limit.
  [[nodiscard]] std::string_view own(std::size_t key) const { return nodes_[key].text; }
  // That of its first terms. REQUIRES: they were others than its limit's.
  [[nodiscard]] std::string_view first(std::size_t key) const { return nodes_[place_[key]].text; }

 private:
  std::span<const RespNode> nodes_;
  std::array<std::size_t, Local::kChargesMost> place_{};  // of first terms
};

// What a decided call left.
struct ScriptStates {
  // Of each key. Where the first terms of a key leave less than its limit, its state says so, too.
  std::vector<KeyState> keys;
  // Of each charge, where a key has other first terms; else empty.
  std::vector<ReturnBound> bounds;
};

// Reads a reply; where the call was decided, writes a decision for each of its charges, in order.
// An error if it is no reply to this call: that is a store failure. No text of the reply is in it.
//
// `states` are those of the keys as they are now; what they were before is forgotten. They are
// empty where the call was not decided. REQUIRES: decisions.size() >= call.charges().
Result<ScriptOutcome> ReadScriptReply(const ScriptCall& call, std::span<const RespNode> reply,
                                      std::span<Decision> decisions, ScriptStates& states);
// The same, without the states.
Result<ScriptOutcome> ReadScriptReply(const ScriptCall& call, std::span<const RespNode> reply,
                                      std::span<Decision> decisions);

}  // namespace sluice
