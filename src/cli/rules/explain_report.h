// The reports of `sluice explain`.
#pragma once

#include <string>

#include "cli/rules/explained_request.h"
#include "console/terminal.h"

namespace sluice::cli {

// Formats the answer for people: the verdict, a table of all rules, a table of all charges, and the
// headers.
std::string ExplainText(const ExplainedRequest& request, ColorMode ink);

// Formats the answer for programs, as one line of JSON. `decisions` and `charges` are in the same
// order.
std::string ExplainJson(const ExplainedRequest& request);

}  // namespace sluice::cli
