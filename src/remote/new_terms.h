// NewTerms: states in Redis that were written under terms that the limit no longer has.
//
// The script that decides touches no such state. It is converted by the core, and the call is
// decided on the result. A call that changes nothing (a peek, a refusal) ends there, and Redis is
// not written. Otherwise a second script puts the converted state in its place, if nobody else has
// done so since, and the call is made again. Other nodes may convert it back, so the caller bounds
// the number of tries.
//
// Invariant: no used unit is lost while nodes with different terms take turns. A check passes only
// if the used units and its cost fit the terms of its node, so the conversion that precedes it cuts
// none of them. Where a conversion would cut some (a debt, a refund or a reset by a node with
// stricter terms), the state keeps its terms and the call is made under these instead (`stored`).
// Units come back at the pace of the terms of the state, which is never faster than that of the
// most lenient terms. Of window algorithms this holds for terms with the same PERIOD; a window that
// is converted to a shorter one ends with that.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "remote/script_request.h"
#include "sluice/result.h"
#include "wire/resp_value_reader.h"

namespace sluice {

// One state that is to be replaced.
struct Replacement {
  std::size_t key = 0;  // its place in the call
  std::string before;   // as the script answered it
  std::string after;    // empty for a key that is as if unused
  Time unused_at{};
  // The conversion cuts used units that the stored terms count. Then the stored terms, if a call
  // can be made under them.
  bool cuts_units = false;
  std::shared_ptr<const RemoteLimit> stored;
};

// The states of a reply with ScriptStatus::kOtherTerms under the terms of the call, at the time of
// the reply; used units carry over. An error if one is no state of its algorithm.
// REQUIRES: ReadScriptReply has read the reply.
Result<std::vector<Replacement>> ConvertStates(const ScriptCall& call,
                                               std::span<const RespNode> reply);

// Whether the call writes anything, given what was decided on the converted states.
bool ChangesStates(const ScriptCall& call, std::span<const Decision> decisions, bool goes_ahead);

// Appends the command that replaces them; it answers with a number, which need not be looked at.
// REQUIRES: there is one.
void WriteReplacements(const ScriptCall& call, std::span<const Replacement> replacements,
                       std::string& out);

}  // namespace sluice
