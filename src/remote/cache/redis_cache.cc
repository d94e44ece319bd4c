#include "remote/cache/redis_cache.h"

#include <cassert>
#include <utility>

namespace sluice {

RedisCache::RedisCache(const RedisCacheSettings& settings)
    : leases_(settings.lease_keys, settings.bytes_max / 4),
      view_({.max_keys = settings.eventual_keys,
             .bytes_max = settings.bytes_max / 2,
             .sync_interval = settings.sync_interval}),
      empty_(settings.deny_cache_keys, settings.bytes_max / 4),
      timeout_(settings.timeout),
      deadline_(settings.deadline) {}

RedisCache::Lost RedisCache::LostApprox() const {
  return {.leases = leases_lost_.load(std::memory_order_relaxed),
          .lease_units = lease_units_lost_.load(std::memory_order_relaxed),
          .returns = returns_lost_.load(std::memory_order_relaxed),
          .return_units = return_units_lost_.load(std::memory_order_relaxed)};
}

RedisCacheWorker::RedisCacheWorker(RedisCache& shared, EventLoop& loop, Clock& clock)
    : shared_(shared),
      loop_(loop),
      clock_(clock),
      look_(loop, [this] { EndLeases(); }),
      sync_(loop, [this] { SyncCounts(); }) {}

RedisCacheWorker::~RedisCacheWorker() {
  assert(free_.size() == backgrounds_.size());  // no call is in flight
}

void RedisCacheWorker::Keep() {
  look_.SetEvery(kLookEvery);
  sync_.SetEvery(shared_.view_.sync_every());
}

NodeCache::Answer RedisCacheWorker::Take(const RemoteItem& item, CacheMode cache_mode, Time now,
                                         Decision& decision) {
  if (cache_mode == CacheMode::kLeased) {
    const LeaseTable::Taken taken = shared_.leases_.Take(item, now, decision);
    if (taken.lease.units > 0) LeaseRequest(item, taken.lease);
    if (taken.answer == Answer::kDecided) return taken.answer;
  } else if (cache_mode == CacheMode::kEventual) {
    const Answer answer = shared_.view_.Take(item, now, decision);
    if (answer == Answer::kDecided) return answer;
  }
  return shared_.empty_.Take(item, now, decision);
}

void RedisCacheWorker::GiveBack(const RemoteItem& item, const Hold& hold, Time now,
                                Decision& decision) {
  if (hold.cache_mode == CacheMode::kLeased) {
    shared_.leases_.GiveBack(item, hold.since, now, decision);
  } else if (hold.cache_mode == CacheMode::kEventual) {
    shared_.view_.GiveBack(item, hold.since, now, decision);
  }
}

Nanos RedisCacheWorker::UntilMore(const RemoteItem& item, const Decision& decision, Time now) {
  if (decision.source == Source::kLease) return shared_.leases_.UntilMore(item, now);
  if (decision.source == Source::kEventual) return shared_.view_.UntilMore(item, decision, now);
  return Nanos{0};
}

// Leased units are already charged in the remote, so the remote refunds them.
bool RedisCacheWorker::Refund(const RemoteItem& item, CacheMode cache_mode, Time now,
                              Decision& decision) {
  return cache_mode == CacheMode::kEventual && shared_.view_.Refund(item, now, decision);
}

void RedisCacheWorker::Forget(const FleetKey& key, Operation operation) {
  const Time now = clock_.Now();
  shared_.empty_.Forget(key, now);
  // Leased units stay leased, and the eventual counters learn of a refund from its reply.
  if (operation != Operation::kReset) return;
  shared_.leases_.Forget(key, now);
  shared_.view_.Forget(key);
}

void RedisCacheWorker::OnDecided(const RedisDecisionEvent& sight) {
  const Time now = clock_.Now();
  shared_.empty_.OnReply(sight, now);
  using Heard = EventualCounters::Heard;
  const bool is_own = !syncs_.empty() && syncs_.contains(&sight.call);
  shared_.view_.OnReply(sight, is_own ? Heard::kOwnSync : Heard::kOther, now);
  if (sight.call.operation == Operation::kReset) shared_.leases_.Forget(sight.item.key, now);
  if (sight.call.operation != Operation::kCheck) return;
  const Cost lease = shared_.leases_.OnReply(
      {sight.item, sight.decision, sight.sent_at, sight.decided_at, sight.more_after}, now);
  if (lease.units > 0) LeaseRequest(sight.item, lease);
}

void RedisCacheWorker::LeaseRequest(const RemoteItem& item, Cost lease) {
  lease_requests_.push_back(shared_.leases_.AskFor(item, lease));
  WantAgain();
}

// Sends in a later loop step what was requested during a call of a remote store or a gate.
void RedisCacheWorker::WantAgain() {
  if (is_wanting_again_) return;
  is_wanting_again_ = true;
  loop_.Again(*this);
}

void RedisCacheWorker::OnAgain() {
  is_wanting_again_ = false;
  const bool is_look_due = std::exchange(is_look_due_, false);
  if (is_look_due || needs_room_for_returns_ || return_walks_ > 0) SendReturns();
  if (has_more_counts_ || sync_walks_ > 0) SendSyncs();
  SendLeaseRequests();
  TellReturned();
}

void RedisCacheWorker::SendLeaseRequests() {
  if (shared_.leases_.is_closed()) DropLeaseRequests();
  while (!lease_requests_.empty() && RoomFor(BackgroundTask::kLease) > 0) {
    SendOne({BackgroundTask::kLease, Operation::kCheck, clock_.Now()},
            std::move(lease_requests_.front()));
    lease_requests_.pop_front();
  }
}

void RedisCacheWorker::DropLeaseRequests() {
  for (const RemoteItem& item : lease_requests_) shared_.leases_.NotGranted(item, clock_.Now());
  lease_requests_.clear();
}

std::size_t RedisCacheWorker::RoomFor(BackgroundTask task) const {
  return kMaxUnderWay - under_way_[static_cast<std::size_t>(task)];
}

RedisCacheWorker::Background& RedisCacheWorker::Make(const Task& task, RemoteItem item) {
  if (free_.empty()) {
    free_.push_back(backgrounds_.emplace_back(std::make_unique<Background>()).get());
  }
  Background& background = *free_.back();
  free_.pop_back();
  background.task = task.task;
  background.operation = task.operation;
  background.since = task.since;
  background.wants_growth = task.task == BackgroundTask::kLease;
  background.items.push_back(std::move(item));
  background.is_late = false;
  return background;
}

bool RedisCacheWorker::Send(Background& background) {
  background.sent_at = clock_.Now();
  background.deadline = background.sent_at + shared_.deadline_;
  if (remote_ == nullptr || !remote_->Decide(background, *this)) return false;
  shared_.calls_under_way_.fetch_add(1, std::memory_order_acq_rel);
  ++UnderWay(background.task);
  if (background.task == BackgroundTask::kSync) syncs_.emplace(&background, &background);
  return true;
}

// REQUIRES: there is room for one more call of the task.
void RedisCacheWorker::SendOne(const Task& task, RemoteItem item) {
  Background& background = Make(task, std::move(item));
  if (!Send(background)) End(background, RemoteOutcome::kNotApplied);
}

void RedisCacheWorker::SendAll(const Task& task, std::vector<RemoteItem>& items) {
  for (RemoteItem& item : items) SendOne(task, std::move(item));
  items.clear();
}

void RedisCacheWorker::EndLeases() {
  retired_keys_left_ = kRetiredPerLook;
  is_look_due_ = true;
  WantAgain();
  NoteLateSyncs();
  const Time now = clock_.Now();
  shared_.leases_.Sweep(now);
  shared_.view_.Sweep(now);
  shared_.empty_.Sweep(now);
  TellReturned();  // replies to other workers do not call it
}

// A walk continues with the next look, or when replies arrive if there was no room. A walk over all
// leases continues in the next loop round, because callers wait for it.
void RedisCacheWorker::SendReturns() {
  const auto has_room = [this] {
    return RoomFor(BackgroundTask::kReturn) >= LeaseTable::kItemsOfKey;
  };
  if (!has_room()) return;
  const Time now = clock_.Now();
  const bool is_all = return_walks_ > 0;
  LeaseTable::ReturnBounds max{
      .walk = {.keys = kLeasesPerLook, .items = RoomFor(BackgroundTask::kReturn)},
      .retired_keys = retired_keys_left_};
  const bool is_end = shared_.leases_.TakeReturns(
      is_all ? LeaseTable::Which::kAll : LeaseTable::Which::kEnded, max, now, returns_);
  retired_keys_left_ = max.retired_keys;
  SendAll({BackgroundTask::kReturn, Operation::kRefund, now}, returns_);
  if (is_all && is_end) --return_walks_;
  needs_room_for_returns_ = !is_end && !has_room();
  if (return_walks_ > 0) WantAgain();
}

void RedisCacheWorker::SyncCounts() {
  syncs_not_taken_ = 0;
  SendSyncs();
}

void RedisCacheWorker::SendSyncs() {
  using Which = EventualCounters::Which;
  // At shutdown the counts of other nodes are no longer needed.
  const Which which = shared_.leases_.is_closed() ? Which::kPending : Which::kAll;
  const bool is_in_vain = syncs_not_taken_ >= kKeysAtOnce;
  if (is_in_vain) sync_walks_ = 0;
  const WalkBounds max{.keys = kKeysAtOnce, .items = RoomFor(BackgroundTask::kSync)};
  if (max.items == 0 || is_in_vain) return;
  const Time now = clock_.Now();
  has_more_counts_ = !shared_.view_.TakeSync(which, max, now, sync_items_);
  SendAll({BackgroundTask::kSync, Operation::kDebt, now}, sync_items_.debts);
  SendAll({BackgroundTask::kSync, Operation::kRefund, now}, sync_items_.refunds);
  if (sync_walks_ > 0 && !has_more_counts_) --sync_walks_;
  if (has_more_counts_ || sync_walks_ > 0) WantAgain();
}

void RedisCacheWorker::NoteLateSyncs() {
  const Time since = clock_.Now() - shared_.timeout_;
  for (const auto& [call, sync] : syncs_) {
    if (sync->is_late || sync->sent_at > since) continue;
    sync->is_late = true;
    shared_.view_.SyncIsOverdue(sync->items.front());
  }
}

void RedisCacheWorker::ReturnAll(EventLoop::Call done) {
  returned_ = std::move(done);
  was_last_walk_ = false;
  syncs_not_taken_ = 0;
  sync_walks_ = kSyncWalks;
  return_walks_ = kReturnWalks;
  DropLeaseRequests();
  WantAgain();
}

void RedisCacheWorker::TellReturned() {
  const bool is_walking = return_walks_ > 0 || sync_walks_ > 0;
  if (!returned_ || is_walking || shared_.CallsUnderWay() > 0) return;
  // Leases that were granted meanwhile must be returned, too, and units that were admitted during a
  // sync of their key must be pushed.
  if (!std::exchange(was_last_walk_, true)) {
    return_walks_ = kReturnWalks;
    sync_walks_ = kSyncWalks;
    WantAgain();
    return;
  }
  std::exchange(returned_, nullptr)();
}

void RedisCacheWorker::OnAnswer(RemoteCall& call, RemoteOutcome outcome) {
  auto& background = static_cast<Background&>(call);
  shared_.calls_under_way_.fetch_sub(1, std::memory_order_acq_rel);
  --UnderWay(background.task);
  WantAgain();  // there is room for another call
  End(background, outcome);
}

void RedisCacheWorker::End(Background& background, RemoteOutcome outcome) {
  const RemoteItem& item = background.items.front();
  switch (background.task) {
    case BackgroundTask::kLease:
      EndLease(background, outcome);
      break;
    case BackgroundTask::kReturn:
      EndReturn(background, outcome);
      break;
    case BackgroundTask::kSync:
      syncs_not_taken_ += 1 - syncs_.erase(&background);
      shared_.view_.Synced(item, background.operation, outcome);
  }
  background.items.clear();  // releases the terms, too
  free_.push_back(&background);
}

void RedisCacheWorker::EndReturn(const Background& background, RemoteOutcome outcome) {
  const RemoteItem& item = background.items.front();
  if (outcome == RemoteOutcome::kDecided) return;
  const bool is_kept = outcome == RemoteOutcome::kNotApplied &&
                       shared_.leases_.NotReturned(item, background.since, clock_.Now());
  if (is_kept) return;
  shared_.returns_lost_.fetch_add(1, std::memory_order_relaxed);
  shared_.return_units_lost_.fetch_add(static_cast<std::uint64_t>(item.cost.units),
                                       std::memory_order_relaxed);
}

void RedisCacheWorker::EndLease(const Background& background, RemoteOutcome outcome) {
  const Time now = clock_.Now();
  const RemoteItem& item = background.items.front();
  if (outcome == RemoteOutcome::kIndeterminate) {
    shared_.leases_lost_.fetch_add(1, std::memory_order_relaxed);
    shared_.lease_units_lost_.fetch_add(static_cast<std::uint64_t>(item.cost.units),
                                        std::memory_order_relaxed);
  }
  if (outcome != RemoteOutcome::kDecided) {
    shared_.leases_.NotGranted(item, now);
    return;
  }
  shared_.leases_.Grant(
      {item, background.decisions.front(), background.sent_at, background.decided_at,
       background.more_after.front(), background.BoundOf(0)},
      now);
}

}  // namespace sluice
