// WriteVerdictJson: writes a verdict as JSON.
#pragma once

#include <string>
#include <string_view>

#include "gate/verdict.h"

namespace sluice {

// Appends the members that every reply about a verdict has, without the enclosing braces:
//
//   "allowed":true,"retry_after_ms":null,"decisions":[{"rule":"posts","name":"m","allowed":true,
//   "limit":2,"remaining":1,"retry_after_ms":null,"reset_after_ms":30000,"mode":"enforce",
//   "source":"memory"}]
//
//   - retry_after_ms is null if allowed, and "never" if waiting does not help.
//   - limit and remaining are null if the algorithm has no such number.
//   - name is the limit's; it is left out if the limit has none (in `descriptors`).
//   - wait_ms comes before the decisions if there is a delay to observe.
//
// Units: milliseconds, rounded up. The output is valid JSON in UTF-8 whatever the names are.
void AppendVerdictMembers(const Verdict& verdict, std::string& out);

// Appends the members as a JSON object.
void WriteVerdictJson(const Verdict& verdict, std::string& out);

// Returns the word for `mode` of a decision: enforce, shadow, quota or debt.
std::string_view ModeWord(Enforcement enforcement);

}  // namespace sluice
