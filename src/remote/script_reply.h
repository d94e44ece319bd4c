// What the script that decides answered.
#pragma once

#include <cstdint>
#include <span>
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

// Reads a reply; where the call was decided, writes a decision for each of its charges, in order.
// An error if it is no reply to this call: that is a store failure. No text of the reply is in it.
//
// `states` become those of the keys as they are now, one a key; what they were before is forgotten.
// Nothing where the call was not decided. REQUIRES: decisions.size() >= call.charges().
Result<ScriptOutcome> ReadScriptReply(const ScriptCall& call, std::span<const RespNode> reply,
                                      std::span<Decision> decisions, std::vector<KeyState>& states);
// The same, without the states.
Result<ScriptOutcome> ReadScriptReply(const ScriptCall& call, std::span<const RespNode> reply,
                                      std::span<Decision> decisions);

}  // namespace sluice
