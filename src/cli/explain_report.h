// What `sluice explain` prints.
#pragma once

#include <string>

#include "cli/explained_request.h"
#include "cli/terminal.h"

namespace sluice::cli {

// For people: the verdict, a table of all rules, one of what is charged, and the headers.
std::string ExplainText(const ExplainedRequest& request, Ink ink);

// For programs: the same as one line of JSON. `decisions` and `charges` are in the same order.
std::string ExplainJson(const ExplainedRequest& request);

}  // namespace sluice::cli
