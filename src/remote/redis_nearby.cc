#include "remote/redis_nearby.h"

#include <cassert>
#include <utility>

namespace sluice {

RedisNearby::RedisNearby(const RedisNearbySettings& settings)
    : purse_(settings.lease_keys, settings.bytes_max / 4),
      view_({.keys_most = settings.eventual_keys,
             .bytes_max = settings.bytes_max / 2,
             .sync_interval = settings.sync_interval}),
      empty_(settings.deny_cache_keys, settings.bytes_max / 4),
      patience_(settings.patience),
      deadline_(settings.deadline) {}

RedisNearby::Lost RedisNearby::LostApprox() const {
  return {.leases = leases_lost_.load(std::memory_order_relaxed),
          .lease_units = lease_units_lost_.load(std::memory_order_relaxed),
          .returns = returns_lost_.load(std::memory_order_relaxed),
          .return_units = return_units_lost_.load(std::memory_order_relaxed)};
}

RedisNearbyWorker::RedisNearbyWorker(RedisNearby& shared, EventLoop& loop, Clock& clock)
    : shared_(shared),
      loop_(loop),
      clock_(clock),
      look_(loop, [this] { EndLeases(); }),
      sync_(loop, [this] { SyncCounts(); }) {}

RedisNearbyWorker::~RedisNearbyWorker() {
  assert(free_.size() == backgrounds_.size());  // nothing is under way
}

void RedisNearbyWorker::Keep() {
  look_.SetEvery(kLookEvery);
  sync_.SetEvery(shared_.view_.sync_every());
}

Nearby::Answer RedisNearbyWorker::Take(const RemoteItem& item, Nearness nearness, Time now,
                                       Decision& decision) {
  if (nearness == Nearness::kLeased) {
    const Purse::Taken taken = shared_.purse_.Take(item, now, decision);
    if (taken.lease.units > 0) Wish(item, taken.lease);
    if (taken.answer == Answer::kDecided) return taken.answer;
  } else if (nearness == Nearness::kEventual) {
    const Answer answer = shared_.view_.Take(item, now, decision);
    if (answer == Answer::kDecided) return answer;
  }
  return shared_.empty_.Take(item, now, decision);
}

void RedisNearbyWorker::GiveBack(const RemoteItem& item, const Hold& hold, Time now,
                                 Decision& decision) {
  if (hold.nearness == Nearness::kLeased) {
    shared_.purse_.GiveBack(item, hold.since, now, decision);
  } else if (hold.nearness == Nearness::kEventual) {
    shared_.view_.GiveBack(item, hold.since, now, decision);
  }
}

Nanos RedisNearbyWorker::UntilMore(const RemoteItem& item, const Decision& decision, Time now) {
  if (decision.source == Source::kLease) return shared_.purse_.UntilMore(item, now);
  if (decision.source == Source::kEventual) return shared_.view_.UntilMore(item, decision, now);
  return Nanos{0};
}

// Leased units are charged in the remote already, so that refunds them.
bool RedisNearbyWorker::Refund(const RemoteItem& item, Nearness nearness, Time now,
                               Decision& decision) {
  return nearness == Nearness::kEventual && shared_.view_.Refund(item, now, decision);
}

void RedisNearbyWorker::Forget(const FleetKey& key, Operation operation) {
  const Time now = clock_.Now();
  shared_.empty_.Forget(key, now);
  // Units that were taken stay taken, and a view hears of a refund what is left then.
  if (operation != Operation::kReset) return;
  shared_.purse_.Forget(key, now);
  shared_.view_.Forget(key);
}

void RedisNearbyWorker::OnDecided(const RedisSight& sight) {
  const Time now = clock_.Now();
  shared_.empty_.Hear(sight, now);
  using Heard = EventualView::Heard;
  const bool is_own = !syncs_.empty() && syncs_.contains(&sight.call);
  shared_.view_.Hear(sight, is_own ? Heard::kOwnSync : Heard::kOther, now);
  if (sight.call.operation == Operation::kReset) shared_.purse_.Forget(sight.item.key, now);
  if (sight.call.operation != Operation::kCheck) return;
  const Cost lease = shared_.purse_.Hear(
      {sight.item, sight.decision, sight.sent_at, sight.decided_at, sight.more_after}, now);
  if (lease.units > 0) Wish(sight.item, lease);
}

void RedisNearbyWorker::Wish(const RemoteItem& item, Cost lease) {
  wishes_.push_back(shared_.purse_.AskFor(item, lease));
  WantAgain();
}

// What is found out while a remote or a gate calls is sent after that.
void RedisNearbyWorker::WantAgain() {
  if (is_wanting_again_) return;
  is_wanting_again_ = true;
  loop_.Again(*this);
}

void RedisNearbyWorker::OnAgain() {
  is_wanting_again_ = false;
  const bool is_look_due = std::exchange(is_look_due_, false);
  if (is_look_due || needs_room_for_returns_ || return_walks_ > 0) SendReturns();
  if (has_more_counts_ || sync_walks_ > 0) SendSyncs();
  SendWishes();
  TellReturned();
}

void RedisNearbyWorker::SendWishes() {
  if (shared_.purse_.is_closed()) DropWishes();
  while (!wishes_.empty() && RoomFor(Errand::kLease) > 0) {
    SendOne({Errand::kLease, Operation::kCheck, clock_.Now()}, std::move(wishes_.front()));
    wishes_.pop_front();
  }
}

void RedisNearbyWorker::DropWishes() {
  for (const RemoteItem& item : wishes_) shared_.purse_.NotGranted(item, clock_.Now());
  wishes_.clear();
}

std::size_t RedisNearbyWorker::RoomFor(Errand errand) const {
  return kUnderWayMost - under_way_[static_cast<std::size_t>(errand)];
}

RedisNearbyWorker::Background& RedisNearbyWorker::Make(const Task& task, RemoteItem item) {
  if (free_.empty()) {
    free_.push_back(backgrounds_.emplace_back(std::make_unique<Background>()).get());
  }
  Background& background = *free_.back();
  free_.pop_back();
  background.errand = task.errand;
  background.operation = task.operation;
  background.since = task.since;
  background.wants_growth = task.errand == Errand::kLease;
  background.items.push_back(std::move(item));
  background.is_late = false;
  return background;
}

bool RedisNearbyWorker::Send(Background& background) {
  background.sent_at = clock_.Now();
  background.deadline = background.sent_at + shared_.deadline_;
  if (remote_ == nullptr || !remote_->Decide(background, *this)) return false;
  shared_.calls_under_way_.fetch_add(1, std::memory_order_acq_rel);
  ++UnderWay(background.errand);
  if (background.errand == Errand::kSync) syncs_.emplace(&background, &background);
  return true;
}

// REQUIRES: there is room.
void RedisNearbyWorker::SendOne(const Task& task, RemoteItem item) {
  Background& background = Make(task, std::move(item));
  if (!Send(background)) End(background, RemoteFate::kNotDone);
}

void RedisNearbyWorker::SendAll(const Task& task, std::vector<RemoteItem>& items) {
  for (RemoteItem& item : items) SendOne(task, std::move(item));
  items.clear();
}

void RedisNearbyWorker::EndLeases() {
  retired_keys_left_ = kRetiredPerLook;
  is_look_due_ = true;
  WantAgain();
  NoteLateSyncs();
  const Time now = clock_.Now();
  shared_.purse_.Sweep(now);
  shared_.view_.Sweep(now);
  shared_.empty_.Sweep(now);
  TellReturned();  // answers of other workers are not heard of here
}

// A walk goes on with the next look, or when answers come where there was no room for more. One
// over all leases goes on in the next round of the loop: callers wait meanwhile.
void RedisNearbyWorker::SendReturns() {
  const auto has_room = [this] { return RoomFor(Errand::kReturn) >= Purse::kItemsOfKey; };
  if (!has_room()) return;
  const Time now = clock_.Now();
  const bool is_all = return_walks_ > 0;
  Purse::ReturnBounds most{.walk = {.keys = kLeasesPerLook, .items = RoomFor(Errand::kReturn)},
                           .retired_keys = retired_keys_left_};
  const bool is_end = shared_.purse_.TakeReturns(is_all ? Purse::Which::kAll : Purse::Which::kEnded,
                                                 most, now, returns_);
  retired_keys_left_ = most.retired_keys;
  SendAll({Errand::kReturn, Operation::kRefund, now}, returns_);
  if (is_all && is_end) --return_walks_;
  needs_room_for_returns_ = !is_end && !has_room();
  if (return_walks_ > 0) WantAgain();
}

void RedisNearbyWorker::SyncCounts() {
  syncs_not_taken_ = 0;
  SendSyncs();
}

void RedisNearbyWorker::SendSyncs() {
  using Which = EventualView::Which;
  // At the end nobody needs to know what others have counted.
  const Which which = shared_.purse_.is_closed() ? Which::kPending : Which::kAll;
  const bool is_in_vain = syncs_not_taken_ >= kKeysAtOnce;
  if (is_in_vain) sync_walks_ = 0;
  const WalkBounds most{.keys = kKeysAtOnce, .items = RoomFor(Errand::kSync)};
  if (most.items == 0 || is_in_vain) return;
  const Time now = clock_.Now();
  has_more_counts_ = !shared_.view_.TakeSync(which, most, now, sync_items_);
  SendAll({Errand::kSync, Operation::kDebt, now}, sync_items_.debts);
  SendAll({Errand::kSync, Operation::kRefund, now}, sync_items_.refunds);
  if (sync_walks_ > 0 && !has_more_counts_) --sync_walks_;
  if (has_more_counts_ || sync_walks_ > 0) WantAgain();
}

void RedisNearbyWorker::NoteLateSyncs() {
  const Time since = clock_.Now() - shared_.patience_;
  for (const auto& [call, sync] : syncs_) {
    if (sync->is_late || sync->sent_at > since) continue;
    sync->is_late = true;
    shared_.view_.SyncIsOverdue(sync->items.front());
  }
}

void RedisNearbyWorker::ReturnAll(EventLoop::Call done) {
  returned_ = std::move(done);
  was_last_walk_ = false;
  syncs_not_taken_ = 0;
  sync_walks_ = kSyncWalks;
  return_walks_ = kReturnWalks;
  DropWishes();
  WantAgain();
}

void RedisNearbyWorker::TellReturned() {
  const bool is_walking = return_walks_ > 0 || sync_walks_ > 0;
  if (!returned_ || is_walking || shared_.CallsUnderWay() > 0) return;
  // Leases that were granted meanwhile go back, too, and units that were admitted during a sync of
  // their key follow it.
  if (!std::exchange(was_last_walk_, true)) {
    return_walks_ = kReturnWalks;
    sync_walks_ = kSyncWalks;
    WantAgain();
    return;
  }
  std::exchange(returned_, nullptr)();
}

void RedisNearbyWorker::OnAnswer(RemoteCall& call, RemoteFate fate) {
  auto& background = static_cast<Background&>(call);
  shared_.calls_under_way_.fetch_sub(1, std::memory_order_acq_rel);
  --UnderWay(background.errand);
  WantAgain();  // there is room for others
  End(background, fate);
}

void RedisNearbyWorker::End(Background& background, RemoteFate fate) {
  const RemoteItem& item = background.items.front();
  switch (background.errand) {
    case Errand::kLease:
      EndLease(background, fate);
      break;
    case Errand::kReturn:
      EndReturn(background, fate);
      break;
    case Errand::kSync:
      syncs_not_taken_ += 1 - syncs_.erase(&background);
      shared_.view_.Synced(item, background.operation, fate);
  }
  background.items.clear();  // and with them the terms
  free_.push_back(&background);
}

void RedisNearbyWorker::EndReturn(const Background& background, RemoteFate fate) {
  const RemoteItem& item = background.items.front();
  if (fate == RemoteFate::kDecided) return;
  const bool is_kept = fate == RemoteFate::kNotDone &&
                       shared_.purse_.NotReturned(item, background.since, clock_.Now());
  if (is_kept) return;
  shared_.returns_lost_.fetch_add(1, std::memory_order_relaxed);
  shared_.return_units_lost_.fetch_add(static_cast<std::uint64_t>(item.cost.units),
                                       std::memory_order_relaxed);
}

void RedisNearbyWorker::EndLease(const Background& background, RemoteFate fate) {
  const Time now = clock_.Now();
  const RemoteItem& item = background.items.front();
  if (fate == RemoteFate::kUnknown) {
    shared_.leases_lost_.fetch_add(1, std::memory_order_relaxed);
    shared_.lease_units_lost_.fetch_add(static_cast<std::uint64_t>(item.cost.units),
                                        std::memory_order_relaxed);
  }
  if (fate != RemoteFate::kDecided) {
    shared_.purse_.NotGranted(item, now);
    return;
  }
  shared_.purse_.Grant(
      {item, background.decisions.front(), background.sent_at, background.decided_at,
       background.more_after.front(), background.BoundOf(0)},
      now);
}

}  // namespace sluice
