// RedisBackend: connects the workers of a server to Redis.
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
#include "config/settings/settings.h"
#include "gate/pending_request.h"
#include "net/loop/event_loop.h"
#include "redis/connect_pacer.h"
#include "redis/name_lookup.h"
#include "remote/cache/redis_cache.h"
#include "remote/fleet/eviction_watch.h"
#include "remote/fleet/node_count.h"
#include "remote/script/redis_remote.h"
#include "server/redis_connector.h"
#include "server/remote_metrics.h"
#include "server/store_status.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice::cli {

// Each worker has a client of its own on its event loop. The first worker also counts the nodes of
// the fleet, fetches the secret that keys are hashed under, and maintains leases and counts.
//
//   auto remote = RedisBackend::Make(settings, {.clock = clock, .log = log}).value();
//   Gate gate(store, clock, &remote->limits());
//   RemoteAccess access = remote->Join(worker, loop);  // for each worker, before it runs
//   ...
//   remote->ReturnLeases(within);                      // while the workers run
//   server.Stop();
//   remote->End();                                     // after they have stopped
//
// Thread safety: Join and End only while no loop runs, everything else from any thread. Ownership:
// the clock and the log must outlive it; it must be destroyed before the loops.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): a process has one.
class RedisBackend {
 public:
  struct Parts {
    Clock& clock;
    Log& log;
  };
  // Called with the number of nodes that are alive, including this one, on a worker's thread. If it
  // returns false, it is called again with the next count.
  using Counted = std::function<bool(std::int64_t nodes)>;

  // Returns an error if a file that the URL names cannot be used.
  static Result<std::unique_ptr<RedisBackend>> Make(const Settings& settings, const Parts& parts);

  RedisBackend(const RedisBackend&) = delete;
  RedisBackend& operator=(const RedisBackend&) = delete;
  ~RedisBackend();

  [[nodiscard]] const RemoteLimits& limits() const { return limits_; }
  // Returns the number of nodes to assume until they have been counted: `store.nodes` or the number
  // that the last run counted, whichever is larger.
  [[nodiscard]] std::int64_t nodes_at_first() const { return nodes_at_first_; }

  // Writes the number of nodes to the file if it has changed. May block on the disk, so it must not
  // run on a worker's thread. Called by one thread at a time.
  void KeepNodeCount();

  // Must be set before the loops run.
  Counted on_counted;

  // Starts to connect. Every call for the same worker returns the same access.
  RemoteAccess Join(std::size_t worker, EventLoop& loop);

  // Returns all leased units to the store before the shutdown, and waits for that for at most
  // `within`. REQUIRES: the loops of the workers are running.
  void ReturnLeases(Nanos within);

  // Destroys the clients. Verdicts that are still pending are discarded, because no caller waits
  // for them.
  void End();

  void AppendMetrics(MetricsText& out);

  // Appends a line about the store for /readyz?verbose.
  void AppendStatus(Names names, std::string& out) const;

 private:
  class Worker;

  RedisBackend(RedisConnector redis, const StoreSettings& settings, const Parts& parts);

  // Returns the larger of the number in the settings and the number in the file.
  [[nodiscard]] std::int64_t ReadNodesAtFirst(std::int64_t given);
  void Use(const FleetSecret& secret);
  void Count(std::int64_t nodes);
  void See(const EvictionSample& look);
  void SeeNothing();
  [[nodiscard]] RemoteTotals Totals() const;
  // Logs whether the store answers. `beats` counts the probes of the node count.
  void Watch(const NodeCount& beats);

  const RedisConnector redis_;
  const Parts parts_;
  const Nanos timeout_;
  const std::string prefix_;
  const RedisSlots slots_;
  const std::string nodes_file_;       // empty if there is none
  std::int64_t nodes_kept_ = 0;        // in the file; 0: none; not for the workers' threads
  const std::int64_t nodes_at_first_;  // assumed until the first count
  std::optional<NameLookup> names_{std::in_place};
  ConnectPacer pacer_;
  RedisLimits limits_;
  RedisCache nearby_;
  StoreStatus status_;
  std::atomic<std::int64_t> nodes_{0};  // as last counted; 0: not counted yet
  std::atomic<bool> may_evict_{false};
  std::atomic<std::uint64_t> evicted_keys_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
  // Used on the first worker's thread only.
  std::bitset<kEvictionParts> evicting_;  // parts of the store whose server may evict
  bool is_over_ = false;
};

}  // namespace sluice::cli
