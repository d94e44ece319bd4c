// Parses the replies of the deciding script.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "remote/script/key_state.h"
#include "remote/script/script_request.h"
#include "sluice/decision.h"
#include "sluice/result.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice {

// The result of a call.
enum class ScriptStatus : std::uint8_t {
  kDecided,
  // A state was written under other terms. Nothing was changed.
  kOtherTerms,
  // The time in Redis is outside of the calendar windows that were passed. Nothing was changed; the
  // same call, written again for that time, will be decided.
  kOtherTime,
};

struct ScriptOutcome {
  ScriptStatus status = ScriptStatus::kDecided;
  Time now{};               // the time in Redis
  bool goes_ahead = false;  // set if kDecided
};

// Returns the number of nodes in a reply to the call, whatever its status.
std::uint32_t ScriptReplyNodes(const ScriptCall& call);

// Returns the time in Redis at the reply. REQUIRES: ReadScriptReply has read the reply.
Time TimeOfReply(std::span<const RespNode> reply);

// Accesses the texts of a reply by the key's index in the call. Keeps a view of the reply, not of
// the call. REQUIRES: ReadScriptReply has read the reply.
class ReplyTexts {
 public:
  ReplyTexts(const ScriptCall& call, std::span<const RespNode> reply);

  // Returns the state of the key's limit.
  [[nodiscard]] std::string_view own(std::size_t key) const { return nodes_[key].text; }
  // Returns the state of the key's first terms. REQUIRES: they differ from its limit's.
  [[nodiscard]] std::string_view first(std::size_t key) const { return nodes_[place_[key]].text; }

 private:
  std::span<const RespNode> nodes_;
  std::array<std::size_t, Local::kMaxCharges> place_{};  // indexes of first terms in nodes_
};

// The states after a decided call.
struct ScriptStates {
  // One per key. If a key's first terms leave less than its limit, its state is reduced to that.
  std::vector<KeyState> keys;
  // One per charge if some key has other first terms; otherwise empty.
  std::vector<ReturnBound> bounds;
};

// Parses a reply. If the call was decided, writes a decision for each of its charges, in order. An
// error, which is a store failure, means that it is no reply to this call; the error contains no
// text of the reply.
//
// `states` receives the current states of the keys; its previous contents are discarded. It is
// empty if the call was not decided. REQUIRES: decisions.size() >= call.charges().
Result<ScriptOutcome> ReadScriptReply(const ScriptCall& call, std::span<const RespNode> reply,
                                      std::span<Decision> decisions, ScriptStates& states);
// Same, without the states.
Result<ScriptOutcome> ReadScriptReply(const ScriptCall& call, std::span<const RespNode> reply,
                                      std::span<Decision> decisions);

}  // namespace sluice
