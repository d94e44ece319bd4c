// The counters of the rules, as Prometheus metrics and as JSON.
#pragma once

#include <string>

#include "admin/metrics_text.h"
#include "gate/rule_counts.h"

namespace sluice {

// Appends sluice_decisions_total and sluice_units_total for the rules in force.
void AppendRuleMetrics(const RuleSums& sums, MetricsText& out);

// Appends a JSON list with an object for each limit and for each rule that counts by itself:
//
//   {"domain":"api","rule":"posts","limit":"m","allowed":2,"refused":1,"shadow_refused":0,
//    "failed":0,"fallback_allowed":0,"fallback_refused":0,"units":2}
//
// and {"domain":"api","unmatched":3} for requests of a domain to which no rule applied.
void AppendRuleCountsJson(const RuleSums& sums, std::string& out);

}  // namespace sluice
