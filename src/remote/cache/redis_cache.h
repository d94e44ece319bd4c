// RedisCache: what one process knows about the keys that Redis keeps.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "net/loop/event_loop.h"
#include "remote/cache/deny_cache.h"
#include "remote/cache/eventual_counters.h"
#include "remote/cache/lease_table.h"
#include "remote/script/redis_observer.h"
#include "sluice/clock.h"
#include "sluice/time.h"
#include "store/node_cache.h"
#include "store/remote_store.h"

namespace sluice {

struct RedisCacheSettings {
  // Maximum number of keys in each table.
  std::size_t lease_keys = 100'000;
  std::size_t eventual_keys = 100'000;
  std::size_t deny_cache_keys = 100'000;
  // For all tables together: a quarter for leases, half for eventual counts, a quarter for the deny
  // cache.
  std::int64_t bytes_max = std::int64_t{256} << 20U;
  Nanos sync_interval = std::chrono::milliseconds{100};
  // How long a sync may take before the remote counts as away.
  Nanos timeout = std::chrono::milliseconds{50};
  // Deadline of background calls. It is long because these calls queue behind each other, and
  // missed deadlines open the breaker of a Redis node.
  Nanos deadline = std::chrono::seconds{1};
};

// The part that all workers of a process share.
//
// Thread safety: every method may be called from any thread. It must outlive its workers.
class RedisCache {
 public:
  explicit RedisCache(const RedisCacheSettings& settings);

  // Sets the number of nodes that share the limits, including this one.
  void SetLiveNodes(std::int64_t nodes) { leases_.SetLiveNodes(nodes); }

  // Stops leasing, before shutdown. RedisCacheWorker::ReturnAll follows.
  void Close() { leases_.Close(); }

  // Returns the number of background calls of all workers that are in flight.
  [[nodiscard]] std::int64_t CallsUnderWay() const {
    return calls_under_way_.load(std::memory_order_acquire);
  }
  // Leases whose reply was lost, and their units, which stay charged until they come back by
  // themselves. The same for returns.
  struct Lost {
    std::uint64_t leases = 0;
    std::uint64_t lease_units = 0;
    std::uint64_t returns = 0;
    std::uint64_t return_units = 0;
  };
  [[nodiscard]] Lost LostApprox() const;

  // Memory used by the tables, in bytes.
  struct TableBytes {
    std::int64_t leases = 0;
    std::int64_t eventual = 0;
    std::int64_t deny_cache = 0;
  };
  [[nodiscard]] TableBytes BytesApprox() const {
    return {leases_.BytesApprox(), view_.BytesApprox(), empty_.BytesApprox()};
  }

  // Units that are leased and not spent, and units that were admitted and not pushed, as of the
  // last sweep (a few seconds ago at most).
  [[nodiscard]] std::int64_t UnitsLeasedApprox() const { return leases_.UnitsApprox(); }
  [[nodiscard]] std::int64_t UnitsPendingApprox() const { return view_.PendingApprox(); }
  // Return the same numbers as of now. They walk the tables.
  [[nodiscard]] std::int64_t UnitsLeasedForTest() { return leases_.UnitsForTest(); }
  [[nodiscard]] std::int64_t UnitsPendingForTest() { return view_.PendingForTest(); }

 private:
  friend class RedisCacheWorker;

  LeaseTable leases_;
  EventualCounters view_;
  DenyCache empty_;
  std::atomic<std::int64_t> calls_under_way_{0};
  // Written only after a call has failed, so rarely.
  std::atomic<std::uint64_t> leases_lost_{0};
  std::atomic<std::uint64_t> lease_units_lost_{0};
  std::atomic<std::uint64_t> returns_lost_{0};
  std::atomic<std::uint64_t> return_units_lost_{0};
  const Nanos timeout_;
  const Nanos deadline_;
};

// The part of one worker, which sends its background calls through the worker's remote store. One
// of the workers also maintains the shared part.
//
//   RedisCache nearby(settings);                          // one
//   RedisCacheWorker near(nearby, loop, clock);           // for each worker, on its thread
//   RedisRemote remote(client, clock, options, &near);
//   near.Begin(remote);
//   near.Keep();                                          // one of them
//
// Thread safety: use only on its loop's thread. Its calls must have ended before it is destroyed,
// and it must be destroyed while the loop is not running.
//
// Invariants
//   (1) At most kMaxUnderWay calls of each BackgroundTask are in flight. Others are sent as replies
//       arrive.
//   (2) A background call has one key, so that each key has its own outcome.
//   (3) After kMaxUnderWay calls a walk continues in another loop round, even if the calls were not
//       accepted.
//   (4) After a reload only leases with retired terms are returned, for at most kRetiredPerLook
//       keys per kLookEvery, after what callers sent in the same round.
class RedisCacheWorker final : public NodeCache,
                               public RedisObserver,
                               private RemoteListener,
                               private EventLoop::Watcher {
 public:
  RedisCacheWorker(RedisCache& shared, EventLoop& loop, Clock& clock);
  ~RedisCacheWorker() override;

  // Sets the store to which it sends calls. REQUIRES: called before any other method.
  void Begin(RemoteStore& remote) { remote_ = &remote; }
  // Starts the timers that end leases and synchronize counts. Call it for one worker only.
  void Keep();

  [[nodiscard]] Answer Take(const RemoteItem& item, CacheMode cache_mode, Time now,
                            Decision& decision) override;
  void GiveBack(const RemoteItem& item, const Hold& hold, Time now, Decision& decision) override;
  [[nodiscard]] Nanos UntilMore(const RemoteItem& item, const Decision& decision,
                                Time now) override;
  [[nodiscard]] bool Refund(const RemoteItem& item, CacheMode cache_mode, Time now,
                            Decision& decision) override;
  void Forget(const FleetKey& key, Operation operation) override;

  void OnDecided(const RedisDecisionEvent& sight) override;

  // Returns all leases and pushes all pending units, before shutdown. Call it for the worker that
  // runs Keep. `done` is called once no worker has a background call in flight, and not before this
  // returns. Calls that fail are not repeated. REQUIRES: RedisCache::Close was called.
  void ReturnAll(EventLoop::Call done);

  // Called by the timers; sync_every is the interval of SyncCounts.
  void EndLeases();
  void SyncCounts();
  [[nodiscard]] Nanos sync_every() const { return shared_.view_.sync_every(); }

 private:
  enum class BackgroundTask : std::uint8_t { kLease, kReturn, kSync };

  // The purpose of background calls of one kind.
  struct Task {
    BackgroundTask task = BackgroundTask::kLease;
    Operation operation = Operation::kCheck;
    Time since{};  // when the units were taken out of the local tables
  };

  // A background call for one key.
  struct Background final : RemoteCall {
    BackgroundTask task = BackgroundTask::kLease;
    Time since{};
    Time sent_at{};
    bool is_late = false;
  };

  static constexpr Nanos kLookEvery = std::chrono::milliseconds{10};
  // Keys with leases that are visited per kLookEvery, which takes about half a millisecond. With
  // more keys, units are returned correspondingly later.
  static constexpr std::size_t kLeasesPerLook = 2048;
  // 6,400 keys per second: less than a tenth of what one Redis decides, and less than a millisecond
  // of delay for a call behind them.
  static constexpr std::size_t kRetiredPerLook = 64;
  // Keys with counts that are visited per step, and rejected syncs after which a round is given up.
  static constexpr std::size_t kKeysAtOnce = 4096;
  // Calls in flight per BackgroundTask. Callers share the connection and have their own deadlines.
  static constexpr std::size_t kMaxUnderWay = 256;
  // Walks over all keys at shutdown; two, because a walk in progress is completed first.
  static constexpr int kReturnWalks = 2;
  static constexpr int kSyncWalks = 2;

  void OnOverdue(RemoteCall& /*call*/) override {}
  void OnAnswer(RemoteCall& call, RemoteOutcome outcome) override;
  void OnReady(const EventLoop::Readiness& /*ready*/) override {}
  void OnAgain() override;

  void LeaseRequest(const RemoteItem& item, Cost lease);
  void WantAgain();
  void SendLeaseRequests();
  void DropLeaseRequests();
  void SendReturns();
  void SendSyncs();
  void NoteLateSyncs();
  [[nodiscard]] std::size_t RoomFor(BackgroundTask task) const;
  std::size_t& UnderWay(BackgroundTask task) { return under_way_[static_cast<std::size_t>(task)]; }
  Background& Make(const Task& task, RemoteItem item);
  bool Send(Background& background);
  void SendOne(const Task& task, RemoteItem item);
  void SendAll(const Task& task, std::vector<RemoteItem>& items);
  // Processes the outcome of a background call and frees the call.
  void End(Background& background, RemoteOutcome outcome);
  void EndLease(const Background& background, RemoteOutcome outcome);
  void EndReturn(const Background& background, RemoteOutcome outcome);
  void TellReturned();

  RedisCache& shared_;
  EventLoop& loop_;
  Clock& clock_;
  RemoteStore* remote_ = nullptr;
  LoopTimer look_;
  LoopTimer sync_;

  std::deque<RemoteItem> lease_requests_;
  bool is_wanting_again_ = false;
  bool is_look_due_ = false;
  bool needs_room_for_returns_ = false;
  std::size_t retired_keys_left_ = 0;  // keys that may be returned before the next look
  // The last walk ended before the last key.
  bool has_more_counts_ = false;
  std::array<std::size_t, 3> under_way_{};  // by BackgroundTask
  std::vector<std::unique_ptr<Background>> backgrounds_;
  std::vector<Background*> free_;
  std::unordered_map<const RemoteCall*, Background*> syncs_;  // syncs in flight
  std::vector<RemoteItem> returns_;
  EventualCounters::Sync sync_items_;
  std::size_t syncs_not_taken_ = 0;  // since SyncCounts last ran

  // Walks over all keys that remain for ReturnAll.
  int return_walks_ = 0;
  int sync_walks_ = 0;
  // State of ReturnAll.
  EventLoop::Call returned_;
  bool was_last_walk_ = false;
};

}  // namespace sluice
