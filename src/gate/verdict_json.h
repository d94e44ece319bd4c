// A verdict as JSON.
#pragma once

#include <string>
#include <string_view>

#include "gate/verdict.h"

namespace sluice {

// Appends the members that every reply about a verdict has, without the braces around them:
//
//   "allowed":true,"retry_after_ms":null,"decisions":[{"rule":"posts","name":"m","allowed":true,
//   "limit":2,"remaining":1,"retry_after_ms":null,"reset_after_ms":30000,"mode":"enforce",
//   "source":"memory"}]
//
//   - retry_after_ms is null where allowed and "never" where waiting does not help.
//   - limit and remaining are null where the algorithm has no such number.
//   - name, that of the limit, is left out where it has none (in `descriptors`).
//   - wait_ms stands before the decisions where there is a delay to observe.
//
// Units: milliseconds, rounded up. Whatever the names are, it is JSON in UTF-8.
void AppendVerdictMembers(const Verdict& verdict, std::string& out);

// Appends the same as an object.
void WriteVerdictJson(const Verdict& verdict, std::string& out);

// What `mode` of a decision says: enforce, shadow or quota.
std::string_view ModeWord(Veto veto);

}  // namespace sluice
