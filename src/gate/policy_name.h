// Names of limits for callers: in headers and in problem bodies.
#pragma once

#include <string>
#include <string_view>

#include "rules/rule_limit.h"

namespace sluice {

// Appends the name of a limit in double quotes, "posts/m": its rule, and its own name if it has
// one. What is written is both a string of structured fields (RFC 8941) and one of JSON, and the
// same in all replies, so that a caller finds a policy of one in the other.
//
// Invariants
//   (1) Printable ASCII alone: other bytes become %xx, and so does the % itself. A quote or a
//       backslash has a backslash before it.
//   (2) A slash in the limit's own name becomes %2f: what follows the last slash is that name.
//   (3) At most 64 bytes of the rule and 32 of the limit, the escapes of (1) counted as
//       written; the rest is left out.
void AppendPolicyName(const RuleLimit& limit, std::string& out);

// Appends a name as the value of a header: by (1), but without backslashes, and at most 64 bytes.
void AppendHeaderText(std::string_view name, std::string& out);

}  // namespace sluice
