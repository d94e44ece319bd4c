#include "server/remote_metrics.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::cli {
namespace {

std::string MetricsOf(const RemoteTotals& totals) {
  std::string text;
  MetricsText out(text);
  AppendRemoteMetrics(totals, out);
  return text;
}

// Every counter has a different value, so that a mix-up would be noticed.
TEST(RemoteMetricsTest, WritesEveryClientCounterUnderItsName) {
  RedisCounts counts;
  counts.overdue.Add(2);
  counts.late.Add(3);
  counts.connects.Add(4);
  counts.connect_failures.Add(5);
  counts.disconnects.Add(6);
  counts.breaker_opened.Add(7);
  counts.scripts_loaded.Add(8);
  counts.redirects.Add(9);
  counts.refreshes.Add(10);
  counts.refresh_failures.Add(11);
  counts.primary_switches.Add(12);
  RemoteTotals totals;
  totals.Add(counts);
  const std::string text = MetricsOf(totals);
  for (const std::string line :
       {"overdue_total 2", "late_replies_total 3", "connects_total 4", "connect_failures_total 5",
        "disconnects_total 6", "breaker_opened_total 7", "scripts_loaded_total 8",
        "redirects_total 9", "refreshes_total 10", "refresh_failures_total 11",
        "primary_switches_total 12"}) {
    EXPECT_NE(text.find("\nsluice_redis_" + line + "\n"), std::string::npos) << line << text;
  }
}

TEST(RemoteMetricsTest, SumsCountersOfWorkers) {
  RedisCounts counts;
  counts.refreshes.Add(1);
  RemoteTotals totals;
  totals.Add(counts);
  totals.Add(counts);
  EXPECT_NE(MetricsOf(totals).find("\nsluice_redis_refreshes_total 2\n"), std::string::npos);
}

TEST(RemoteMetricsTest, LabelsLostUnitsAndTableBytes) {
  RemoteTotals totals;
  totals.lost = {.leases = 2, .lease_units = 3, .returns = 4, .return_units = 5};
  totals.table_bytes = {.leases = 6, .eventual = 7, .deny_cache = 8};
  const std::string text = MetricsOf(totals);
  for (const std::string line :
       {"lease_replies_lost_total{call=\"lease\"} 2", "lease_units_lost_total{call=\"lease\"} 3",
        "lease_replies_lost_total{call=\"return\"} 4", "lease_units_lost_total{call=\"return\"} 5",
        "node_cache_bytes{table=\"leases\"} 6", "node_cache_bytes{table=\"eventual\"} 7",
        "node_cache_bytes{table=\"deny_cache\"} 8"}) {
    EXPECT_NE(text.find("\nsluice_" + line + "\n"), std::string::npos) << line << text;
  }
}

}  // namespace
}  // namespace sluice::cli
