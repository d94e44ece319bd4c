// Names of limits for callers: in headers and in problem bodies.
#pragma once

#include <string>
#include <string_view>

#include "rules/compile/rule_limit.h"

namespace sluice {

// Appends the name of a limit in double quotes, "posts/m": its rule, and its own name if it has
// one. The result is both a structured-field string (RFC 8941) and a JSON string, and the same in
// all replies, so that a caller can match policies in headers and bodies.
//
// Invariants
//   (1) Only printable ASCII: other bytes become %xx, and so does the % itself. A quote or a
//       backslash has a backslash before it.
//   (2) A slash in the limit's own name becomes %2f, so that the text after the last slash is that
//       name.
//   (3) At most 64 bytes of the rule and 32 of the limit, the escapes of (1) included; the rest is
//       left out.
void AppendPolicyName(const RuleLimit& limit, std::string& out);

// Appends a name as a header value: as in (1), but without backslashes, and at most 64 bytes.
void AppendHeaderText(std::string_view name, std::string& out);

}  // namespace sluice
