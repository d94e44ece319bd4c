#include "unit/remote/cache/redis_cache_environment.h"

#include <algorithm>

#include "core/algorithm/aligned.h"
#include "support/random_limit.h"

namespace sluice::testing {
namespace {

constexpr Nanos kLookEvery = std::chrono::milliseconds{10};

Time WholeMicros(Time time) {
  return Time{std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch())};
}

}  // namespace

std::shared_ptr<const RemoteTerms> TermsOf(const LimitSpec& spec) {
  return std::make_shared<const RemoteTerms>(MustMake(spec));
}

KeyState& FakeRedis::StateOf(const RemoteItem& item) {
  return states_.try_emplace(item.key, item.terms->limit().terms).first->second;
}

void FakeRedis::CountLease(Operation operation, const RemoteItem& item, Time now) {
  if (window == Nanos{0}) return;
  std::int64_t& units = leased[AlignedStart(now, window)];
  if (operation == Operation::kCheck && item.min_remaining.units > 0) units += item.cost.units;
  if (operation == Operation::kRefund) units -= item.cost.units;
}

Decision FakeRedis::DecideItem(Operation operation, const RemoteItem& item, Time now) {
  KeyState& state = StateOf(item);
  switch (operation) {
    case Operation::kCheck: {
      Decision asked = state.Peek({item.cost.units + item.min_remaining.units}, now);
      if (!asked.allowed) return asked;
      charged += item.cost.units;
      CountLease(operation, item, now);
      return state.Check(item.cost, now);
    }
    case Operation::kDebt:
      charged += item.cost.units;
      return state.TakeDebt(item.cost, now);
    case Operation::kRefund:
      if (item.bound && now >= item.bound->until) return state.Peek(Cost{0}, now);
      charged -= item.cost.units;
      CountLease(operation, item, now);
      return item.bound ? state.Refund(item.cost, now, item.bound->until)
                        : state.Refund(item.cost, now);
    case Operation::kReset:
      return state.Reset(now);
    default:
      return state.Peek(item.cost, now);
  }
}

std::vector<FakeRedis::Seen> FakeRedis::Decide(RemoteCall& call, Time now) {
  ++calls;
  std::vector<Seen> seen;
  call.decisions.clear();
  if (call.wants_growth) call.more_after.assign(call.items.size(), Nanos{0});
  call.decided_at = now;
  for (const RemoteItem& item : call.items) {
    Decision decision = DecideItem(call.operation, item, now);
    decision.source = Source::kRemote;
    call.decisions.push_back(decision);
    seen.push_back({item, decision, StateOf(item)});
  }
  return seen;
}

RedisCacheEnvironment::RedisCacheEnvironment(const Plan& plan, Random& seeded)
    : random{seeded}, now_(plan.start), redis_ahead_(plan.redis_ahead) {
  for (std::size_t i = 0; i < plan.nodes; ++i) {
    nodes_.push_back(std::make_unique<Node>(*this, plan.settings));
    nodes_.back()->shared.SetLiveNodes(static_cast<std::int64_t>(plan.nodes));
  }
}

// Completes all calls in flight, as the workers require.
RedisCacheEnvironment::~RedisCacheEnvironment() {
  for (const auto& node : nodes_) node->keeps = false;
  while (!events_.empty()) Step();
}

Time RedisCacheEnvironment::redis_now() const { return WholeMicros(now_ + redis_ahead_); }

void RedisCacheEnvironment::At(Time when, std::function<void()> what) {
  events_.push({std::max(when, now_), ++order_, std::move(what)});
}

void RedisCacheEnvironment::Step() {
  const Event event = events_.top();
  events_.pop();
  now_ = event.when;
  for (const auto& node : nodes_) node->clock.Set(now_);
  event.what();
}

void RedisCacheEnvironment::RunFor(Nanos length) {
  const Time end = now_ + length;
  while (!events_.empty() && events_.top().when <= end) Step();
  now_ = end;
  for (const auto& node : nodes_) node->clock.Set(now_);
}

RedisCacheEnvironment::Node::Node(RedisCacheEnvironment& world, const RedisCacheSettings& settings)
    : shared(settings), clock(world.now()), world_(world) {
  near.Begin(*this);
  LookLater();
  SyncLater();
}

void RedisCacheEnvironment::Node::LookLater() {
  world_.At(world_.now() + kLookEvery, [this] {
    if (!keeps) return;
    near.EndLeases();
    Pump();
    LookLater();
  });
}

void RedisCacheEnvironment::Node::SyncLater() {
  world_.At(world_.now() + near.sync_every(), [this] {
    if (!keeps) return;
    near.SyncCounts();
    Pump();
    SyncLater();
  });
}

void RedisCacheEnvironment::Node::Pump() {
  loop.Post([this] { loop.End(); });
  loop.Run();
}

bool RedisCacheEnvironment::Node::Decide(RemoteCall& call, RemoteListener& listener) {
  if (world_.weather.is_away) {
    ++not_taken;
    return false;
  }
  max_in_flight_seen = std::max(max_in_flight_seen, shared.CallsUnderWay() + 1);
  const Time sent_at = world_.now();
  const Nanos way{
      world_.random.Between(world_.weather.min_way.count(), world_.weather.max_way.count())};
  if (world_.random.Between(0, 99) < world_.weather.lost_calls_in_100) {
    world_.At(sent_at + way, [this, &call, &listener] {
      listener.OnAnswer(call, RemoteOutcome::kNotApplied);
      Pump();
    });
    return true;
  }
  const auto is_lost = [this](const RemoteItem& item) { return item.key == lost; };
  if (std::ranges::any_of(call.items, is_lost)) {
    world_.At(sent_at + way, [this, &call, &listener] {
      listener.OnAnswer(call, RemoteOutcome::kIndeterminate);
      Pump();
    });
    return true;
  }
  world_.At(sent_at + way, [this, &call, &listener, sent_at] { Arrive(call, listener, sent_at); });
  return true;
}

// Redis decides now. The answer arrives later, or its outcome is unknown.
void RedisCacheEnvironment::Node::Arrive(RemoteCall& call, RemoteListener& listener, Time sent_at) {
  auto seen =
      std::make_shared<std::vector<FakeRedis::Seen>>(world_.redis.Decide(call, world_.redis_now()));
  const Nanos way{
      world_.random.Between(world_.weather.min_way.count(), world_.weather.max_way.count())};
  const Time back = world_.now() + way;
  if (back > call.deadline) {
    world_.At(call.deadline, [this, &call, &listener] {
      ++overdue;
      listener.OnOverdue(call);
    });
  }
  const bool is_lost = world_.random.Between(0, 99) < world_.weather.lost_replies_in_100;
  world_.At(back, [this, &call, &listener, sent_at, seen, is_lost] {
    if (!is_lost) {
      for (FakeRedis::Seen& each : *seen) {
        near.OnDecided({call, each.item, each.decision, each.state, call.decided_at, sent_at});
      }
    }
    listener.OnAnswer(call, is_lost ? RemoteOutcome::kIndeterminate : RemoteOutcome::kDecided);
    Pump();
  });
}

// A check that Redis decides. It deletes itself.
struct RedisCacheEnvironment::Node::Exact final : RemoteListener {
  void OnOverdue(RemoteCall& /*overdue*/) override {}
  void OnAnswer(RemoteCall& answered, RemoteOutcome outcome) override {
    const std::unique_ptr<Exact> freed(this);
    done(outcome == RemoteOutcome::kDecided ? std::optional(answered.decisions.front())
                                            : std::nullopt);
  }

  RemoteCall call;
  Done done;
};

void RedisCacheEnvironment::Node::Check(const RemoteItem& item, CacheMode cache_mode,
                                        const Done& done) {
  Decision decision;
  if (near.Take(item, cache_mode, world_.now(), decision) == NodeCache::Answer::kDecided) {
    ++decided_here;
    done(decision);
    Pump();
    return;
  }
  auto exact = std::make_unique<Exact>();
  exact->call.items.push_back(item);
  exact->done = done;
  if (!Decide(exact->call, *exact)) {
    done(std::nullopt);
    return;
  }
  static_cast<void>(exact.release());
}

}  // namespace sluice::testing
