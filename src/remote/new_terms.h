// NewTerms: keys whose first terms are others than those of a limit.
//
// For a while after a change nodes have different terms. A key then has a state for each of them
// (scripts/states.lua): the one of its first terms, the most lenient, is charged by all, so that in
// all no more passes than these allow; the others decide beside it. The script that decides touches
// no key that has not met the terms of the call. Here the core converts the state that is to be
// theirs, another script puts it where it belongs, and the call is made again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "remote/first_terms.h"
#include "remote/key_text.h"
#include "remote/script_request.h"
#include "sluice/result.h"
#include "wire/resp_value_reader.h"

namespace sluice {

// A state that a key is to get.
struct NewState {
  // As scripts/new_terms.lua tells them apart.
  enum class Place : std::uint8_t { kFirst, kBeside, kAlone };

  std::size_t key = 0;  // its place in the call
  Place place = Place::kFirst;
  std::string old_tag;  // of the first terms that the key has
  std::string tag;      // of the terms that it is of
  std::string text;
  Time unused_at{};
  // Until when the key's first terms are kept, where only others ask for them; 0: their own do.
  Time first_kept_until{};
};

// What a reply with ScriptStatus::kOtherTerms says of the keys of a call.
struct Meeting {
  std::vector<NewState> states;
  // Whether the call is another one now, or will be once the states are written.
  bool is_new = false;
};

// Sets the first terms of the call's keys to those that the reply tells of, and says what states
// they need; `terms` remember them. An error if one is no state of its algorithm. REQUIRES:
// ReadScriptReply has read the reply.
Result<Meeting> MeetTerms(ScriptCall& call, std::span<const RespNode> reply, FirstTerms& terms);

// The first terms of a key, as kept since a script answered with their text. They are not over
// while more is booked ahead than they let pass at once: a debt, or requests that wait.
KeptTerms KeptSince(KeptTerms first, const KeyText& text, Time now);

// Appends the command that writes them, as far as the keys' first terms are still the same. It
// answers with a number, which need not be looked at. REQUIRES: there is one.
void WriteNewStates(const ScriptCall& call, std::span<const NewState> states, std::string& out);

}  // namespace sluice
