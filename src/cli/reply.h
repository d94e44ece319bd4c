// Reply: the answer to one step, and its line of JSON.
#pragma once

#include <string>

#include "cli/step.h"
#include "sluice/decision.h"
#include "sluice/time.h"

namespace sluice::cli {

// The answer to a step. `t` is the time used: a step earlier than one before it, on whatever key,
// is taken at the time of that one.
struct Reply {
  Time t{};
  Op op = Op::kCheck;
  Decision decision;
};

// Appends the reply as one line of JSON, line end included; the order of members is fixed:
//   {"t":0,"op":"check","allowed":true,"limit":5,"remaining":3,"retry_after":null,"reset_after":...
void AppendReply(const Reply& reply, std::string& text);

}  // namespace sluice::cli
