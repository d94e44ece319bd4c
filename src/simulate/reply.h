// Reply: the reply to a step, and its JSON form.
#pragma once

#include <string>

#include "simulate/step.h"
#include "sluice/decision.h"
#include "sluice/time.h"

namespace sluice::cli {

// The reply to a step. `t` is the time used: time never goes back, so a step that is earlier than a
// previous one, on any key, is decided at the time of the latest.
struct Reply {
  Time t{};
  Op op = Op::kCheck;
  Decision decision;
};

// Appends the reply as one line of JSON with a line end. The order of the members is fixed:
//   {"t":0,"op":"check","allowed":true,"limit":5,"remaining":3,"retry_after":null,"reset_after":...
void AppendReply(const Reply& reply, std::string& text);

}  // namespace sluice::cli
