#include "server/serve_metrics.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/text.h"

namespace sluice::cli {

void AppendFrontMetrics(const FrontSums& sums, MetricsText& out) {
  out.Begin("sluice_checks_total", MetricKind::kCounter,
            "Checks by what became of them; a list of checks counts each.");
  for (std::size_t front = 0; front < sums.size(); ++front) {
    for (std::size_t i = 0; i < kCheckOutcomeWords.size(); ++i) {
      out.Sample({{"frontend", kFrontEndWords[front]}, {"outcome", kCheckOutcomeWords[i]}},
                 sums[front].checks[i]);
    }
  }
  out.Begin("sluice_request_duration_seconds", MetricKind::kHistogram,
            "From a request being whole to its reply being ready to leave.");
  for (std::size_t front = 0; front < sums.size(); ++front) {
    out.Histogram({"frontend", kFrontEndWords[front]},
                  {kTimeBounds, sums[front].requests, sums[front].nanos});
  }
}

void AppendLiftMetrics(const AuditLog& audit, MetricsText& out) {
  out.Begin("sluice_lifts_total", MetricKind::kCounter,
            "Resets, refunds and limit overrides by callers with permission.");
  out.Sample({}, audit.count());
}

void AppendWarningMetrics(const FrontWarnings& warnings, MetricsText& out) {
  out.Begin("sluice_warnings_total", MetricKind::kCounter,
            "Calls that show a wrong configuration or lack permission; the log names them.");
  const FrontWarnings::Counts counts = warnings.counts();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    out.Sample({{"cause", kWarningCauseWords[i]}}, counts[i]);
  }
}

void AppendWarningLines(const FrontWarnings& warnings, Names names, std::string& out) {
  const std::vector<FrontWarnings::Seen> recent = warnings.Recent();
  for (std::size_t i = 0; i < kWarningCauseWords.size(); ++i) {
    std::uint64_t calls = 0;
    std::string named;
    for (const FrontWarnings::Seen& each : recent) {
      if (static_cast<std::size_t>(each.cause) != i) continue;
      calls += each.calls;
      named += Concat(named.empty() ? " (" : ", ",
                      each.subject.empty() ? "others" : Quoted(each.subject));
    }
    if (calls == 0) continue;
    out += Concat(kWarningCauseWords[i], ": ", calls, calls == 1 ? " call" : " calls",
                  names == Names::kTold ? named + ")" : "", "\n");
  }
}

void AppendStoreMetrics(const MemoryStoreStats& stats, MetricsText& out) {
  out.Begin("sluice_keys", MetricKind::kGauge, "Keys that have a state.");
  out.Sample({}, stats.keys);
  out.Begin("sluice_key_memory_bytes", MetricKind::kGauge, "Memory that states take.");
  out.Sample({}, stats.bytes);
  out.Begin("sluice_overflow_decisions_total", MetricKind::kCounter,
            "Decisions by states that keys share, because the memory is used up.");
  out.Sample({}, stats.overflow_decisions);
}

}  // namespace sluice::cli
