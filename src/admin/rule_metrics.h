// What was counted of the rules, for programs that watch and for people.
#pragma once

#include <string>

#include "admin/metrics_text.h"
#include "gate/rule_counts.h"

namespace sluice {

// sluice_decisions_total and sluice_units_total, of the rules in force.
void AppendRuleMetrics(const RuleSums& sums, MetricsText& out);

// Appends a list, one object for each limit, and for each rule that counts by itself:
//
//   {"domain":"api","rule":"posts","limit":"m","allowed":2,"refused":1,"shadow_refused":0,
//    "failed":0,"units":2}
//
// and {"domain":"api","unmatched":3} for what no rule of a domain applied to.
void AppendRuleCountsJson(const RuleSums& sums, std::string& out);

}  // namespace sluice
