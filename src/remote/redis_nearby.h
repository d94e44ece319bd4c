// RedisNearby: what one process knows of the keys that Redis keeps.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "net/event_loop.h"
#include "remote/empty_keys.h"
#include "remote/eventual_view.h"
#include "remote/purse.h"
#include "remote/redis_observer.h"
#include "sluice/clock.h"
#include "sluice/time.h"
#include "store/nearby.h"
#include "store/remote.h"

namespace sluice {

struct RedisNearbySettings {
  // Keys that are remembered in each table.
  std::size_t lease_keys = 100'000;
  std::size_t eventual_keys = 100'000;
  std::size_t deny_cache_keys = 100'000;
  // Of all tables: a quarter for leases, a half for eventual counts, a quarter for the deny cache.
  std::int64_t bytes_max = std::int64_t{256} << 20U;
  Nanos sync_interval = std::chrono::milliseconds{100};
  // How long a sync waits before the remote counts as away.
  Nanos patience = std::chrono::milliseconds{50};
  // Of calls in the background. A node of Redis that lets deadlines pass is not asked for a while,
  // and these wait behind each other: so it is long.
  Nanos deadline = std::chrono::seconds{1};
};

// What all workers of a process share.
//
// Thread safety: every method from any thread. It outlives its workers.
class RedisNearby {
 public:
  explicit RedisNearby(const RedisNearbySettings& settings);

  // How many nodes share the limits, this one included.
  void SetLiveNodes(std::int64_t nodes) { purse_.SetLiveNodes(nodes); }

  // Before the end: nothing is leased any more. Then RedisNearbyWorker::ReturnAll.
  void Close() { purse_.Close(); }

  // Calls of all workers that are under way in the background.
  [[nodiscard]] std::int64_t CallsUnderWay() const {
    return calls_under_way_.load(std::memory_order_acquire);
  }
  // Leases whose reply was lost, and their units: they stay charged until they come back by
  // themselves. The same of returns.
  struct Lost {
    std::uint64_t leases = 0;
    std::uint64_t lease_units = 0;
    std::uint64_t returns = 0;
    std::uint64_t return_units = 0;
  };
  [[nodiscard]] Lost LostApprox() const;

  // Bytes that the tables take.
  struct TableBytes {
    std::int64_t leases = 0;
    std::int64_t eventual = 0;
    std::int64_t deny_cache = 0;
  };
  [[nodiscard]] TableBytes BytesApprox() const {
    return {purse_.BytesApprox(), view_.BytesApprox(), empty_.BytesApprox()};
  }

  // Units that are leased and not spent; units that were admitted and not pushed. As of the last
  // sweep, some seconds ago at most.
  [[nodiscard]] std::int64_t UnitsLeasedApprox() const { return purse_.UnitsApprox(); }
  [[nodiscard]] std::int64_t UnitsPendingApprox() const { return view_.PendingApprox(); }
  // The same now. They walk the tables.
  [[nodiscard]] std::int64_t UnitsLeasedForTest() { return purse_.UnitsForTest(); }
  [[nodiscard]] std::int64_t UnitsPendingForTest() { return view_.PendingForTest(); }

 private:
  friend class RedisNearbyWorker;

  Purse purse_;
  EventualView view_;
  EmptyKeys empty_;
  std::atomic<std::int64_t> calls_under_way_{0};
  // Written where a call failed, so seldom.
  std::atomic<std::uint64_t> leases_lost_{0};
  std::atomic<std::uint64_t> lease_units_lost_{0};
  std::atomic<std::uint64_t> returns_lost_{0};
  std::atomic<std::uint64_t> return_units_lost_{0};
  const Nanos patience_;
  const Nanos deadline_;
};

// The part of one worker: what is asked in the background is sent through its remote. One of them
// keeps the shared part in order.
//
//   RedisNearby nearby(settings);                          // one
//   RedisNearbyWorker near(nearby, loop, clock);           // for each worker, on its thread
//   RedisRemote remote(client, clock, options, &near);
//   near.Begin(remote);
//   near.Keep();                                           // one of them
//
// Thread safety: that of its loop. Calls that are under way end before it does; it
// is freed while the loop does not run.
//
// Invariants
//   (1) Of each errand at most kUnderWayMost calls are under way. What has no room follows as
//       answers come.
//   (2) A call is of one key, so that it has a fate of its own.
//   (3) A walk goes on in another round of the loop after kUnderWayMost calls, also in vain ones.
//   (4) After a reload only leases whose terms are retired are returned, those of at most
//       kRetiredPerLook keys per kLookEvery, behind what callers sent in the same round.
class RedisNearbyWorker final : public Nearby,
                                public RedisObserver,
                                private RemoteListener,
                                private EventLoop::Watcher {
 public:
  RedisNearbyWorker(RedisNearby& shared, EventLoop& loop, Clock& clock);
  ~RedisNearbyWorker() override;

  // What it sends goes here. REQUIRES: before anything else.
  void Begin(Remote& remote) { remote_ = &remote; }
  // Starts the timers that end leases and synchronise counts.
  void Keep();

  [[nodiscard]] Answer Take(const RemoteItem& item, Nearness nearness, Time now,
                            Decision& decision) override;
  void GiveBack(const RemoteItem& item, const Hold& hold, Time now, Decision& decision) override;
  [[nodiscard]] Nanos UntilMore(const RemoteItem& item, const Decision& decision,
                                Time now) override;
  [[nodiscard]] bool Refund(const RemoteItem& item, Nearness nearness, Time now,
                            Decision& decision) override;
  void Forget(const FleetKey& key, Operation operation) override;

  void OnDecided(const RedisSight& sight) override;

  // Before the end, of the worker that keeps: gives back what is leased and pushes what is pending.
  // `done` is called once no worker has anything under way, not before this returns; what fails is
  // not tried again. REQUIRES: RedisNearby::Close.
  void ReturnAll(EventLoop::Call done);

  // What the timers call, and how often the second.
  void EndLeases();
  void SyncCounts();
  [[nodiscard]] Nanos sync_every() const { return shared_.view_.sync_every(); }

 private:
  enum class Errand : std::uint8_t { kLease, kReturn, kSync };

  // What calls of one kind are for.
  struct Task {
    Errand errand = Errand::kLease;
    Operation operation = Operation::kCheck;
    Time since{};  // their units were taken out of what is known here then
  };

  // Of one key: what becomes of it is nothing to others.
  struct Background final : RemoteCall {
    Errand errand = Errand::kLease;
    Time since{};
    Time sent_at{};
    bool is_late = false;
  };

  static constexpr Nanos kLookEvery = std::chrono::milliseconds{10};
  // Keys with leases that are looked at every kLookEvery: about half a millisecond. Of more keys
  // units go back so much later.
  static constexpr std::size_t kLeasesPerLook = 2048;
  // 6,400 keys per second, which is less than a tenth of what a Redis decides, and adds less than a
  // millisecond to a call behind them.
  static constexpr std::size_t kRetiredPerLook = 64;
  // Keys with counts that are looked at in one go, and that are synchronised in vain each time.
  static constexpr std::size_t kKeysAtOnce = 4096;
  // Calls of one errand: those of callers share the connection, and have their own deadlines.
  static constexpr std::size_t kUnderWayMost = 256;
  // Over all keys: a walk that is half done is ended first.
  static constexpr int kReturnWalks = 2;
  static constexpr int kSyncWalks = 2;

  void OnOverdue(RemoteCall& /*call*/) override {}
  void OnAnswer(RemoteCall& call, RemoteFate fate) override;
  void OnReady(const EventLoop::Readiness& /*ready*/) override {}
  void OnAgain() override;

  void Wish(const RemoteItem& item, Cost lease);
  void WantAgain();
  void SendWishes();
  void DropWishes();
  void SendReturns();
  void SendSyncs();
  void NoteLateSyncs();
  [[nodiscard]] std::size_t RoomFor(Errand errand) const;
  std::size_t& UnderWay(Errand errand) { return under_way_[static_cast<std::size_t>(errand)]; }
  Background& Make(const Task& task, RemoteItem item);
  bool Send(Background& background);
  void SendOne(const Task& task, RemoteItem item);
  void SendAll(const Task& task, std::vector<RemoteItem>& items);
  // What became of it; then it is free.
  void End(Background& background, RemoteFate fate);
  void EndLease(const Background& background, RemoteFate fate);
  void EndReturn(const Background& background, RemoteFate fate);
  void TellReturned();

  RedisNearby& shared_;
  EventLoop& loop_;
  Clock& clock_;
  Remote* remote_ = nullptr;
  LoopTimer look_;
  LoopTimer sync_;

  std::deque<RemoteItem> wishes_;
  bool is_wanting_again_ = false;
  bool is_look_due_ = false;
  bool needs_room_for_returns_ = false;
  std::size_t retired_keys_left_ = 0;  // that may be returned before the next look
  // The last walk ended before the last key.
  bool has_more_counts_ = false;
  std::array<std::size_t, 3> under_way_{};  // by errand
  std::vector<std::unique_ptr<Background>> backgrounds_;
  std::vector<Background*> free_;
  std::unordered_map<const RemoteCall*, Background*> syncs_;  // under way
  std::vector<RemoteItem> returns_;
  EventualView::Sync sync_items_;
  std::size_t syncs_not_taken_ = 0;  // since they were last due

  // Walks over all keys that are still to be made.
  int return_walks_ = 0;
  int sync_walks_ = 0;
  // Of ReturnAll.
  EventLoop::Call returned_;
  bool was_last_walk_ = false;
};

}  // namespace sluice
