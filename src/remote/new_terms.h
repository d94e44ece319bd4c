// NewTerms: states in Redis that were written under terms that the limit no longer has.
//
// The script that decides touches no such state. Here it is converted by the core, and a second
// script puts the result in its place, if nobody else has done so since; then the call is made
// again. Nodes that still have the old terms would convert it back: so whoever calls bounds the
// number of tries, and what is left then is a store failure.
#pragma once

#include <cstddef>
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
};

// The states of a reply with ScriptStatus::kOtherTerms under the terms of the call, at the time of
// the reply; used units carry over. An error if one is no state of its algorithm.
// REQUIRES: ReadScriptReply has read the reply.
Result<std::vector<Replacement>> ConvertStates(const ScriptCall& call,
                                               std::span<const RespNode> reply);

// Appends the command that replaces them; it answers with a number, which need not be looked at.
// REQUIRES: there is one.
void WriteReplacements(const ScriptCall& call, std::span<const Replacement> replacements,
                       std::string& out);

}  // namespace sluice
