// RemoteStore: the redis of a server, for all of its workers.
#pragma once

#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admin/admin_front.h"
#include "admin/log.h"
#include "admin/metrics_text.h"
#include "cli/redis_store.h"
#include "cli/remote_metrics.h"
#include "cli/store_status.h"
#include "config/settings.h"
#include "gate/deciding.h"
#include "net/event_loop.h"
#include "remote/connect_pacer.h"
#include "remote/eviction_watch.h"
#include "remote/name_lookup.h"
#include "remote/node_count.h"
#include "remote/redis_nearby.h"
#include "remote/redis_remote.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice::cli {

// Each worker has a client of its own, on its loop; the first one also counts the nodes of the
// fleet, finds the secret of the keys and keeps leases and counts in order.
//
//   auto remote = RemoteStore::Make(settings, {.clock = clock, .log = log}).value();
//   Gate gate(store, clock, &remote->limits());
//   RemoteWay way = remote->Join(worker, loop);     // for each worker, before it runs
//   ...
//   remote->ReturnLeases(within);                   // while the workers run
//   server.Stop();
//   remote->End();                                  // when they do not
//
// Thread safety: Join and End while no loop runs, all else from any thread. Ownership: the clock
// and the log outlive it; it ends before the loops do.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): a process has one.
class RemoteStore {
 public:
  struct Parts {
    Clock& clock;
    Log& log;
  };
  // How many nodes are alive, this one among them. Called on a worker's thread; false: to be told
  // again.
  using Counted = std::function<bool(std::int64_t nodes)>;

  // An error where a file that the URL names cannot be used.
  static Result<std::unique_ptr<RemoteStore>> Make(const Settings& settings, const Parts& parts);

  RemoteStore(const RemoteStore&) = delete;
  RemoteStore& operator=(const RemoteStore&) = delete;
  ~RemoteStore();

  [[nodiscard]] const RemoteLimits& limits() const { return limits_; }
  // How many nodes are believed to live before they are counted: `store.nodes`, or more where more
  // were counted in the last run.
  [[nodiscard]] std::int64_t nodes_at_first() const { return nodes_at_first_; }

  // Writes down how many nodes were counted, where that has changed. It may wait for a disk, so no
  // worker calls it; one thread at a time.
  void KeepNodeCount();

  // To be set before the loops run.
  Counted on_counted;

  // Begins to connect. The same way for the same worker, each time.
  RemoteWay Join(std::size_t worker, EventLoop& loop);

  // Before the end: gives back all that is leased. Returns when all of it is back, or after that
  // long.
  void ReturnLeases(Nanos within);

  // Nobody waits for a verdict any more.
  void End();

  void AppendMetrics(MetricsText& out);

  // Appends a line for /readyz?verbose.
  void AppendStatus(Names names, std::string& out) const;

 private:
  class Worker;

  RemoteStore(RedisStore redis, const StoreSettings& settings, const Parts& parts);

  // The larger one of what the settings and the file say.
  [[nodiscard]] std::int64_t ReadNodesAtFirst(std::int64_t given);
  void Use(const FleetSecret& secret);
  void Count(std::int64_t nodes);
  void See(const EvictionLook& look);
  void SeeNothing();
  [[nodiscard]] RemoteTotals Totals() const;
  // Logs whether the store answers. `beats` are those of the node count.
  void Watch(const NodeCount& beats);

  const RedisStore redis_;
  const Parts parts_;
  const Nanos patience_;
  const std::string prefix_;
  const RedisSlots slots_;
  const std::string nodes_file_;       // empty: none
  std::int64_t nodes_kept_ = 0;        // what the file says; 0: nothing. Of KeepNodeCount.
  const std::int64_t nodes_at_first_;  // until they were counted
  std::optional<NameLookup> names_{std::in_place};
  ConnectPacer pacer_;
  RedisLimits limits_;
  RedisNearby nearby_;
  StoreStatus status_;
  std::atomic<std::int64_t> nodes_{0};  // as believed; 0: not counted yet
  std::atomic<bool> may_evict_{false};
  std::atomic<std::uint64_t> evicted_keys_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
  // Of the first worker's thread.
  std::bitset<kEvictionParts> evicting_;  // parts whose server forgets keys
  bool is_over_ = false;
};

}  // namespace sluice::cli
