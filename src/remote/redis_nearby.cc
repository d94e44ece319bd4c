#include "remote/redis_nearby.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sluice {

RedisNearby::RedisNearby(const RedisNearbySettings& settings)
    : purse_(settings.keys_most),
      view_({.keys_most = settings.keys_most, .sync_interval = settings.sync_interval}),
      empty_(settings.keys_most),
      patience_(settings.patience) {}

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

void RedisNearbyWorker::GiveBack(const RemoteItem& item, Nearness nearness, Time now,
                                 Decision& decision) {
  if (nearness == Nearness::kLeased) shared_.purse_.GiveBack(item, now, decision);
  if (nearness == Nearness::kEventual) shared_.view_.GiveBack(item, now, decision);
}

void RedisNearbyWorker::Forget(const FleetKey& key, Operation operation) {
  shared_.empty_.Forget(key, clock_.Now());
  // Units that were taken stay taken, and a view hears of a refund what is left then.
  if (operation != Operation::kReset) return;
  shared_.purse_.Forget(key);
  shared_.view_.Forget(key);
}

void RedisNearbyWorker::OnDecided(const RedisSight& sight) {
  const Time now = clock_.Now();
  shared_.empty_.Hear(sight, now);
  using Heard = EventualView::Heard;
  const bool is_own = !syncs_.empty() && syncs_.contains(&sight.call);
  shared_.view_.Hear(sight, is_own ? Heard::kOwnSync : Heard::kOther, now);
  if (sight.call.operation == Operation::kReset) shared_.purse_.Forget(sight.item.key);
  if (sight.call.operation != Operation::kCheck) return;
  const Cost lease =
      shared_.purse_.Hear({sight.item, sight.decision, sight.sent_at, sight.decided_at}, now);
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
  if (has_more_leases_) EndLeases();
  if (has_more_counts_) SyncCounts();
  SendWishes();
  TellReturned();
}

void RedisNearbyWorker::SendWishes() {
  for (RemoteItem& item : wishes_) {
    Background& background = Make(Errand::kLease, Operation::kCheck);
    background.items.push_back(std::move(item));
    if (!Send(background)) End(background, RemoteFate::kNotDone);
  }
  wishes_.clear();
}

RedisNearbyWorker::Background& RedisNearbyWorker::Make(Errand errand, Operation operation) {
  if (free_.empty()) {
    free_.push_back(backgrounds_.emplace_back(std::make_unique<Background>()).get());
  }
  Background& background = *free_.back();
  free_.pop_back();
  background.errand = errand;
  background.operation = operation;
  background.items.clear();
  background.ends_return = false;
  return background;
}

bool RedisNearbyWorker::Send(Background& background) {
  background.sent_at = clock_.Now();
  background.deadline = background.sent_at + shared_.patience_;
  if (remote_ == nullptr || !remote_->Decide(background, *this)) return false;
  shared_.calls_under_way_.fetch_add(1, std::memory_order_acq_rel);
  if (background.errand == Errand::kSync) syncs_.insert(&background);
  if (background.errand == Errand::kReturn && is_returning_) {
    background.ends_return = true;
    ++returns_under_way_;
  }
  return true;
}

void RedisNearbyWorker::SendAll(Errand errand, Operation operation,
                                std::vector<RemoteItem>& items) {
  for (std::size_t begin = 0; begin < items.size(); begin += kItemsPerCall) {
    const std::size_t end = std::min(items.size(), begin + kItemsPerCall);
    Background& background = Make(errand, operation);
    for (std::size_t i = begin; i < end; ++i) {
      background.items.push_back(std::move(items[i]));
    }
    if (!Send(background)) End(background, RemoteFate::kNotDone);
  }
  items.clear();
}

void RedisNearbyWorker::EndLeases() {
  const Time now = clock_.Now();
  has_more_leases_ = !shared_.purse_.TakeReturns(Purse::Which::kEnded, kKeysAtOnce, now, returns_);
  if (has_more_leases_) WantAgain();
  SendAll(Errand::kReturn, Operation::kRefund, returns_);
  shared_.purse_.Sweep(now);
  shared_.view_.Sweep(now);
  shared_.empty_.Sweep(now);
}

void RedisNearbyWorker::SyncCounts() {
  has_more_counts_ = !shared_.view_.TakeSync(kKeysAtOnce, clock_.Now(), sync_items_);
  if (has_more_counts_) WantAgain();
  SendAll(Errand::kSync, Operation::kDebt, sync_items_.debts);
  SendAll(Errand::kSync, Operation::kRefund, sync_items_.refunds);
}

void RedisNearbyWorker::ReturnAll(EventLoop::Call done) {
  is_returning_ = true;
  returned_ = std::move(done);
  const Time now = clock_.Now();
  // A look that is half done is ended first; a key has at most two leases.
  for (int look = 0; look < 3; ++look) {
    while (!shared_.purse_.TakeReturns(Purse::Which::kAll, kKeysAtOnce, now, returns_)) {
    }
    SendAll(Errand::kReturn, Operation::kRefund, returns_);
  }
  is_returning_ = false;
  WantAgain();
}

void RedisNearbyWorker::TellReturned() {
  if (returns_under_way_ > 0 || !returned_) return;
  std::exchange(returned_, nullptr)();
}

void RedisNearbyWorker::OnOverdue(RemoteCall& call) {
  if (!syncs_.contains(&call)) return;
  for (const RemoteItem& item : call.items) shared_.view_.SyncIsOverdue(item);
}

void RedisNearbyWorker::OnAnswer(RemoteCall& call, RemoteFate fate) {
  auto& background = static_cast<Background&>(call);
  shared_.calls_under_way_.fetch_sub(1, std::memory_order_acq_rel);
  if (background.ends_return) {
    --returns_under_way_;
    WantAgain();
  }
  End(background, fate);
}

void RedisNearbyWorker::End(Background& background, RemoteFate fate) {
  switch (background.errand) {
    case Errand::kLease:
      EndLease(background, fate);
      break;
    case Errand::kReturn:
      break;
    case Errand::kSync:
      syncs_.erase(&background);
      for (const RemoteItem& item : background.items) {
        shared_.view_.Synced(item, background.operation, fate);
      }
  }
  background.items.clear();  // and with them the terms
  free_.push_back(&background);
}

void RedisNearbyWorker::EndLease(const Background& background, RemoteFate fate) {
  const Time now = clock_.Now();
  const RemoteItem& item = background.items.front();
  if (fate != RemoteFate::kDecided) {
    shared_.purse_.NotGranted(item, now);
    return;
  }
  shared_.purse_.Grant(
      {item, background.decisions.front(), background.sent_at, background.decided_at}, now);
}

}  // namespace sluice
