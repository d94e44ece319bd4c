#include "server/remote_metrics.h"

#include <cstddef>
#include <numeric>
#include <string_view>

namespace sluice::cli {
namespace {

void AddEach(const auto& counts, auto& sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += counts[i].ReadApprox();
}

void AppendOne(std::string_view name, std::string_view help, std::uint64_t value,
               MetricsText& out) {
  out.Begin(name, MetricKind::kCounter, help);
  out.Sample({}, value);
}

void AppendCauses(std::string_view name, std::string_view help,
                  const std::array<std::uint64_t, kRedisCauses>& causes, MetricsText& out) {
  out.Begin(name, MetricKind::kCounter, help);
  for (std::size_t i = 1; i < causes.size(); ++i) {
    out.Sample({{"cause", NameOf(static_cast<RedisAnswer::Cause>(i))}}, causes[i]);
  }
}

void AppendTables(const RemoteTotals& totals, MetricsText& out) {
  out.Begin("sluice_lease_replies_lost_total", MetricKind::kCounter,
            "Leases, and returns of leases, whose reply was lost.");
  out.Sample({{"call", "lease"}}, totals.lost.leases);
  out.Sample({{"call", "return"}}, totals.lost.returns);
  out.Begin("sluice_lease_units_lost_total", MetricKind::kCounter,
            "Units of these. They stay charged in Redis until they come back by themselves.");
  out.Sample({{"call", "lease"}}, totals.lost.lease_units);
  out.Sample({{"call", "return"}}, totals.lost.return_units);
  out.Begin("sluice_node_cache_bytes", MetricKind::kGauge,
            "Memory for what this node remembers of keys in Redis, by table.");
  out.Sample({{"table", "leases"}}, totals.table_bytes.leases);
  out.Sample({{"table", "eventual"}}, totals.table_bytes.eventual);
  out.Sample({{"table", "deny_cache"}}, totals.table_bytes.deny_cache);
}

}  // namespace

void RemoteTotals::Add(const RedisCounts& counts) {
  AddEach(counts.errors, replies);
  AddEach(counts.unsent, unsent);
  AddEach(counts.unknown, unknown);
  overdue += counts.overdue.ReadApprox();
  late += counts.late.ReadApprox();
  connects += counts.connects.ReadApprox();
  connect_failures += counts.connect_failures.ReadApprox();
  disconnects += counts.disconnects.ReadApprox();
  breaker_opened += counts.breaker_opened.ReadApprox();
  scripts_loaded += counts.scripts_loaded.ReadApprox();
  redirects += counts.redirects.ReadApprox();
  refreshes += counts.refreshes.ReadApprox();
  refresh_failures += counts.refresh_failures.ReadApprox();
  primary_switches += counts.primary_switches.ReadApprox();
}

void RemoteTotals::Add(const RedisRemoteCounts& counts) {
  decided += counts.decided.ReadApprox();
  not_done += counts.not_done.ReadApprox();
  maybe_done += counts.unknown.ReadApprox();
  not_taken += counts.not_taken.ReadApprox();
  new_terms += counts.new_terms.ReadApprox();
  other_time += counts.other_time.ReadApprox();
  bad_replies += counts.bad_replies.ReadApprox();
  given_back += counts.given_back.ReadApprox();
  not_given_back += counts.not_given_back.ReadApprox();
}

std::uint64_t RemoteTotals::Failures() const {
  return std::accumulate(unsent.begin(), unsent.end(), overdue + not_done + maybe_done + not_taken);
}

void AppendRemoteMetrics(const RemoteTotals& totals, MetricsText& out) {
  out.Begin("sluice_redis_nodes", MetricKind::kGauge,
            "Nodes that are believed to share the limits; 0: they were not counted yet.");
  out.Sample({}, totals.nodes);
  out.Begin("sluice_leased_units", MetricKind::kGauge, "Units that are leased and not spent.");
  out.Sample({}, totals.leased_units);
  out.Begin("sluice_eventual_pending_units", MetricKind::kGauge,
            "Units that were admitted here and not pushed yet.");
  out.Sample({}, totals.pending_units);
  AppendTables(totals, out);
  out.Begin("sluice_redis_may_evict", MetricKind::kGauge,
            "1 where a server of Redis evicts keys when its memory is full.");
  out.Sample({}, std::int64_t{totals.may_evict ? 1 : 0});
  AppendOne("sluice_redis_evicted_keys_total", "Keys that Redis evicted while it was looked at.",
            totals.evicted_keys, out);
  out.Begin("sluice_redis_calls_total", MetricKind::kCounter,
            "Requests for Redis, by what became of them.");
  out.Sample({{"outcome", "decided"}}, totals.decided);
  out.Sample({{"outcome", "not_done"}}, totals.not_done);
  out.Sample({{"outcome", "unknown"}}, totals.maybe_done);
  out.Sample({{"outcome", "not_asked"}}, totals.not_taken);
  out.Begin("sluice_redis_replies_total", MetricKind::kCounter,
            "Replies of Redis, by the kind of error; none: good ones.");
  for (std::size_t i = 0; i < totals.replies.size(); ++i) {
    out.Sample({{"error", NameOf(static_cast<RedisErrorKind>(i))}}, totals.replies[i]);
  }
  AppendCauses("sluice_redis_unsent_total", "Commands that were not sent, by why.", totals.unsent,
               out);
  AppendCauses("sluice_redis_unanswered_total",
               "Commands that were sent and never answered, by why.", totals.unknown, out);
  AppendOne("sluice_redis_overdue_total", "Commands whose deadline passed.", totals.overdue, out);
  AppendOne("sluice_redis_late_replies_total", "Replies that came after that.", totals.late, out);
  AppendOne("sluice_redis_connects_total", "Connections that were opened.", totals.connects, out);
  AppendOne("sluice_redis_connect_failures_total", "Connections that could not be opened.",
            totals.connect_failures, out);
  AppendOne("sluice_redis_disconnects_total", "Connections that broke.", totals.disconnects, out);
  AppendOne("sluice_redis_breaker_opened_total", "Times that a breaker opened.",
            totals.breaker_opened, out);
  AppendOne("sluice_redis_scripts_loaded_total", "Scripts that were loaded.", totals.scripts_loaded,
            out);
  AppendOne("sluice_redis_redirects_total", "Commands sent to another node, or again.",
            totals.redirects, out);
  AppendOne("sluice_redis_refreshes_total",
            "Times that a cluster or sentinels said which servers are to be asked.",
            totals.refreshes, out);
  AppendOne("sluice_redis_refresh_failures_total", "Times that they were asked and did not say.",
            totals.refresh_failures, out);
  AppendOne("sluice_redis_primary_switches_total", "Times that sentinels named another primary.",
            totals.primary_switches, out);
  out.Begin("sluice_redis_repeats_total", MetricKind::kCounter,
            "Scripts that were sent again because nothing had been decided, by why.");
  out.Sample({{"cause", "new_terms"}}, totals.new_terms);
  out.Sample({{"cause", "other_time"}}, totals.other_time);
  AppendOne("sluice_redis_bad_replies_total", "Replies that are no decisions.", totals.bad_replies,
            out);
  AppendOne("sluice_redis_given_back_total",
            "Groups of charges that were given back, because another slot refused.",
            totals.given_back, out);
  AppendOne("sluice_redis_not_given_back_total",
            "Those whose give-back failed, so that their cost stays charged.",
            totals.not_given_back, out);
}

}  // namespace sluice::cli
