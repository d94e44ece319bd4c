#include "admin/rule_metrics.h"

#include <array>
#include <cstddef>
#include <string_view>

#include "base/json_string.h"
#include "base/text.h"

namespace sluice {
namespace {

// Indexed by RuleOutcome.
constexpr std::array<std::string_view, kRuleOutcomes> kOutcomes = {
    "allowed", "refused", "shadow_refused", "failed", "fallback_allowed", "fallback_refused"};
constexpr std::string_view kUnmatched = "unmatched";

// Returns whether the labels are those of unmatched requests, which have only one counter.
bool IsUnmatched(const RuleLabels& labels) { return labels.rule.empty(); }

void AppendMember(std::string_view name, std::string_view text, std::string& out) {
  out += Concat("\"", name, "\":");
  AppendJsonString(text, out);
  out += ',';
}

void AppendMember(std::string_view name, std::uint64_t number, std::string& out) {
  out += Concat("\"", name, "\":", number, ",");
}

void AppendCounts(const RuleLabels& labels, const RuleTotals& totals, std::string& out) {
  out += '{';
  AppendMember("domain", labels.domain, out);
  if (IsUnmatched(labels)) {
    AppendMember(kUnmatched, totals[RuleOutcome::kAllowed], out);
  } else {
    AppendMember("rule", labels.rule, out);
    AppendMember("limit", labels.limit, out);
    for (std::size_t i = 0; i < kRuleOutcomes; ++i) {
      AppendMember(kOutcomes[i], totals.decisions[i], out);
    }
    AppendMember("units", totals.units, out);
  }
  out.back() = '}';
}

}  // namespace

void AppendRuleMetrics(const RuleSums& sums, MetricsText& out) {
  if (sums.series == nullptr) return;
  const std::span<const RuleLabels> labels = sums.series->labels();
  out.Begin("sluice_decisions_total", MetricKind::kCounter,
            "Decisions of each limit, and of rules that decide by themselves.");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const RuleLabels& each = labels[i];
    const auto sample = [&](std::string_view outcome, std::uint64_t count) {
      out.Sample({{"domain", each.domain},
                  {"rule", each.rule},
                  {"limit", each.limit},
                  {"outcome", outcome}},
                 count);
    };
    if (IsUnmatched(each)) {
      sample(kUnmatched, sums.totals[i][RuleOutcome::kAllowed]);
      continue;
    }
    for (std::size_t j = 0; j < kRuleOutcomes; ++j) {
      sample(kOutcomes[j], sums.totals[i].decisions[j]);
    }
  }
  out.Begin("sluice_units_total", MetricKind::kCounter, "Units that were taken of each limit.");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto& [domain, rule, limit] = labels[i];
    if (IsUnmatched(labels[i])) continue;
    out.Sample({{"domain", domain}, {"rule", rule}, {"limit", limit}}, sums.totals[i].units);
  }
}

void AppendRuleCountsJson(const RuleSums& sums, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < sums.totals.size(); ++i) {
    if (i != 0) out += ',';
    AppendCounts(sums.series->labels()[i], sums.totals[i], out);
  }
  out += ']';
}

}  // namespace sluice
