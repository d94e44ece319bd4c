// NewTerms: handles keys whose first terms differ from those of a limit.
//
// For a while after a change, nodes have different terms. A key then has one state per terms
// (scripts/states.lua). All nodes charge the state of its first terms, the most lenient, so that in
// total no more is admitted than these allow; the other states decide in addition. The script that
// decides does not change a key that does not know the terms of the call yet. In that case the core
// converts the state for these terms, another script stores it, and the call is repeated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "remote/script/first_terms.h"
#include "remote/script/key_text.h"
#include "remote/script/script_request.h"
#include "sluice/result.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice {

// A state to be stored for a key.
struct NewState {
  // The kinds of scripts/new_terms.lua.
  enum class Place : std::uint8_t { kFirst, kBeside, kAlone };

  std::size_t key = 0;  // index in the call's keys
  Place place = Place::kFirst;
  std::string old_tag;  // current first terms of the key
  std::string tag;      // the terms of this state
  std::string text;
  Time unused_at{};
  // Until when the key's first terms are kept if only nodes with other terms use them; 0 if nodes
  // with these terms use them.
  Time first_kept_until{};
};

// The conclusions from a reply with ScriptStatus::kOtherTerms.
struct Meeting {
  std::vector<NewState> states;
  // Whether repeating the call makes sense: it has changed, or will once the states are written.
  bool is_new = false;
};

// Sets the first terms of the call's keys to those in the reply, returns the states that they need,
// and remembers the terms in `terms`. Returns an error if a text is not a state of its algorithm.
// REQUIRES: ReadScriptReply has read the reply.
Result<Meeting> MeetTerms(ScriptCall& call, std::span<const RespNode> reply, FirstTerms& terms);

// Returns the first terms of a key with their expiry, from the text that a script returned. They do
// not expire while more is booked ahead than they admit at once: a debt, or requests that wait.
KeptTerms KeptSince(KeptTerms first, const KeyText& text, Time now);

// Appends the command that stores the states of keys whose first terms have not changed since. Its
// reply is a number that can be ignored. REQUIRES: there is at least one state.
void WriteNewStates(const ScriptCall& call, std::span<const NewState> states, std::string& out);

}  // namespace sluice
