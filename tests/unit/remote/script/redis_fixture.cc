#include "unit/remote/script/redis_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <variant>

#include "remote/script/leniency.h"
#include "unit/remote/script/load_scripts.h"

namespace sluice::testing {
namespace {

constexpr Time kLastTime{std::chrono::seconds{5'600'000'000}};

Nanos MillisOf(Time at) {
  return std::chrono::floor<std::chrono::milliseconds>(at).time_since_epoch();
}

// Returns whether every state of the old terms fits into the new ones.
bool IsWider(const RemoteLimit& now, const RemoteLimit& before) {
  if (!now.tag().empty()) return now.tag() == before.tag() || IsMoreLenient(now, before);
  const auto* const log = std::get_if<SlidingLog>(&now.terms());
  if (log == nullptr) return true;
  const Rate& old = std::get<SlidingLog>(before.terms()).rate;
  return log->rate.count >= old.count && log->rate.period >= old.period;
}

}  // namespace

RedisFixture::RedisFixture(RedisServer& server, RedisClient& client, Random& random,
                           TermsChange changes)
    : server_(server),
      client_(client),
      random_(random),
      changes_(changes),
      now_(std::chrono::microseconds{random.Between(1, 4'000'000'000'000'000)}) {
  MemoryStoreOptions options;
  options.memory_bytes = std::uint64_t{64} << 20U;
  auto made = MemoryStore::Create(options);
  EXPECT_TRUE(made.ok());
  store_ = std::move(made).value();
  client_.Command({"FLUSHALL"});
  LoadScripts(client_);
  server_.SetTime(now_);
}

void RedisFixture::AddKey(const std::string& name, const std::vector<Kind>& kinds) {
  const LimitSpec spec = RandomRemoteLimit(kinds.front(), random_);
  const Limit limit = MustMake(spec);
  auto made = RemoteLimit::Make(limit);
  ASSERT_TRUE(made.ok()) << made.error().message;
  WorldKey key;
  key.name = name;
  key.kinds = kinds;
  key.spec = spec;
  key.limit = std::make_unique<RemoteLimit>(std::move(made).value());
  key.handle = store_->Add(name, limit, now_).value();
  key.maker = std::make_unique<TraceMaker>(spec, ZoneOf(spec), random_, now_);
  keys_.push_back(std::move(key));
}

WorldKey& RedisFixture::AnyKey() {
  const auto last = static_cast<std::int64_t>(keys_.size()) - 1;
  return keys_[static_cast<std::size_t>(random_.Between(0, last))];
}

RemoteCharge RedisFixture::ChargeOf(const WorldKey& key, Cost cost) const {
  return {key.name, key.limit.get(), cost, {}};
}

int RedisFixture::Run(int steps) {
  int taken = 0;
  while (taken < steps && now_ < kLastTime) {
    Step();
    ++taken;
    if (!::testing::Test::HasFailure()) continue;
    std::string limits;
    for (const WorldKey& key : keys_) limits += key.name + ": " + ToText(key.spec) + "\n";
    ADD_FAILURE() << "at step " << taken << ", " << now_.time_since_epoch().count()
                  << " ns: " << trace_ << "\n"
                  << limits;
    break;
  }
  return taken;
}

void RedisFixture::Step() {
  MoveOn();
  if (changes_ == TermsChange::kSometimes && random_.OneIn(5)) ChangeTerms();
  WorldKey& key = AnyKey();
  if (key.kinds.front() == Kind::kConcurrency && !random_.OneIn(3)) {
    TakePermit(key);
  } else if (random_.OneIn(3)) {
    const auto operation = random_.Pick({Operation::kPeek, Operation::kRefund, Operation::kDebt,
                                         Operation::kReset, Operation::kCheck, Operation::kCheck});
    TakeOperation(key, operation, key.maker->NextCost(key.last));
  } else {
    TakeRequest();
  }
}

void RedisFixture::TakePermit(WorldKey& key) {
  const auto operation =
      random_.Pick({Operation::kAcquire, Operation::kAcquire, Operation::kAcquire,
                    Operation::kRenew, Operation::kRelease});
  const PermitId permit{static_cast<std::uint64_t>(random_.Between(0, 6)) << 60U};
  const Cost cost = random_.OneIn(3) ? key.maker->NextCost(key.last) : Cost{1};
  trace_ = "permit " + std::to_string(permit.value) + " operation " +
           std::to_string(static_cast<int>(operation)) + " on " + key.name + ", cost " +
           std::to_string(cost.units);
  const Decision want = store_->DecidePermit(operation, {key.handle, key.name, cost}, permit, now_);
  const PermitCall call(operation, ChargeOf(key, cost), permit);
  std::string command;
  call.Write(command);
  const auto nodes = client_.Ask(command);
  const auto outcome = call.Read(nodes);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message << ": "
                            << (nodes.empty() ? "" : nodes[0].text);
  EXPECT_EQ(outcome.value().now, now_);
  ExpectSame(key, outcome.value().decision, want);
  ExpectExpiry(key);
  key.last = want;
}

void RedisFixture::MoveOn() {
  WorldKey& key = AnyKey();
  if (!random_.OneIn(3)) {
    key.maker->CatchUp(now_);
    const Time next = key.maker->NextTime(key.last);
    now_ = std::max(now_, Time{std::chrono::ceil<std::chrono::microseconds>(next)});
  }
  server_.SetTime(now_);
}

bool RedisFixture::AskRedis(ScriptCall call, std::span<Decision> decisions) {
  // At first, the caller's clock is off by a day.
  Time about = now_ - std::chrono::hours{24};
  for (int tries = 0; tries < 4; ++tries) {
    std::string command;
    call.Write(about, command);
    const auto nodes = client_.Ask(command);
    const auto outcome = ReadScriptReply(call, nodes, decisions);
    if (!outcome.ok()) {
      ADD_FAILURE() << outcome.error().message << ": " << (nodes.empty() ? "" : nodes[0].text);
      return false;
    }
    EXPECT_EQ(outcome.value().now, now_);
    if (outcome.value().status == ScriptStatus::kDecided) return true;
    about = outcome.value().now;
    if (outcome.value().status == ScriptStatus::kOtherTerms && !Meet(call, nodes)) return false;
  }
  ADD_FAILURE() << "not decided";
  return false;
}

bool RedisFixture::Meet(ScriptCall& call, std::span<const RespNode> nodes) {
  const auto meeting = MeetTerms(call, nodes, first_terms_);
  if (!meeting.ok()) {
    ADD_FAILURE() << meeting.error().message;
    return false;
  }
  const std::vector<NewState>& states = meeting.value().states;
  EXPECT_FALSE(states.empty());
  std::string command;
  WriteNewStates(call, states, command);
  const auto changed = client_.Ask(command);
  EXPECT_EQ(changed[0].integer, static_cast<std::int64_t>(states.size())) << changed[0].text;
  ++counts_.met;
  return true;
}

void RedisFixture::ChangeTerms() {
  WorldKey& key = AnyKey();
  const LimitSpec spec =
      RandomRemoteLimit(key.kinds[random_.OneIn(2) ? 0 : key.kinds.size() - 1], random_);
  const Limit limit = MustMake(spec);
  auto made = std::make_unique<RemoteLimit>(RemoteLimit::Make(limit).value());
  if (!IsWider(*made, *key.limit)) return;
  key.spec = spec;
  key.limit = std::move(made);
  ASSERT_TRUE(store_->Change(key.handle, limit, now_).ok());
  key.maker = std::make_unique<TraceMaker>(key.spec, ZoneOf(key.spec), random_, now_);
  // Redis stores a converted state at any access, but the memory store does not store it on a peek.
  // The time of conversion matters, so both convert it here.
  TakeOperation(key, Operation::kCheck, Cost{0});
}

void RedisFixture::ExpectSame(const WorldKey& key, const Decision& got, const Decision& want) {
  ++(want.allowed ? counts_.allowed : counts_.refused);
  counts_.in_use += want.reset_after > Nanos{0} ? 1 : 0;
  EXPECT_EQ(got, want) << key.name << "\n got " << ToText(got) << "\nwant " << ToText(want);
}

// Expects that the key expires at the first millisecond at which it is as if unused.
void RedisFixture::ExpectExpiry(const WorldKey& key) {
  Charge charge{key.handle, key.name, Cost{0}};
  Decision look;
  store_->DecideEach(Operation::kPeek, {&charge, 1}, {&look, 1}, now_);
  const std::int64_t left = client_.Number({"PTTL", key.name});
  // States beside the key, or other terms, may keep it for longer.
  const bool may_stay = changes_ == TermsChange::kSometimes;
  if (look.reset_after == Nanos{0}) {
    EXPECT_TRUE(left == -2 || left == 0 || left == 1 || (may_stay && left > 0))
        << key.name << " stays for " << left << " ms";
    return;
  }
  const Time unused{std::chrono::ceil<std::chrono::milliseconds>(now_ + look.reset_after)};
  const Nanos want = unused.time_since_epoch() - MillisOf(now_);
  if (may_stay) {
    EXPECT_GE(std::chrono::milliseconds{left}, want) << key.name;
  } else {
    EXPECT_EQ(std::chrono::milliseconds{left}, want) << key.name;
  }
  EXPECT_GE(left, 1);
}

void RedisFixture::TakeOperation(WorldKey& key, Operation operation, Cost cost) {
  const Charge charge{key.handle, key.name, cost};
  trace_ = "operation " + std::to_string(static_cast<int>(operation)) + " on " + key.name +
           ", cost " + std::to_string(cost.units);
  Decision want;
  store_->DecideEach(operation, {&charge, 1}, {&want, 1}, now_);
  Decision got;
  if (!AskRedis(ScriptCall(operation, ChargeOf(key, cost)), {&got, 1})) return;
  ExpectSame(key, got, want);
  ExpectExpiry(key);
  key.last = want;
}

void RedisFixture::TakeRequest() {
  const std::int64_t max = random_.OneIn(10) ? 64 : 4;
  const auto count = static_cast<std::size_t>(random_.Between(1, max));
  std::vector<WorldKey*> keys;
  std::vector<Charge> charges;
  std::vector<RemoteCharge> remote;
  std::vector<Enforcement> enforcements;
  std::vector<Cost> min_remaining;
  trace_ = "request";
  for (std::size_t i = 0; i < count; ++i) {
    WorldKey& key = AnyKey();
    keys.push_back(&key);
    const Cost cost = key.maker->NextCost(key.last);
    charges.push_back({key.handle, key.name, cost});
    remote.push_back(ChargeOf(key, cost));
    enforcements.push_back(
        random_.Pick({Enforcement::kEnforce, Enforcement::kEnforce, Enforcement::kShadow,
                      Enforcement::kQuota, Enforcement::kDebt, Enforcement::kEnforce}));
    // Permits have no debts.
    const bool has_permits = key.kinds.front() == Kind::kConcurrency;
    if (has_permits && enforcements.back() == Enforcement::kDebt)
      enforcements.back() = Enforcement::kEnforce;
    const bool leaves = !key.spec.count_refused.value_or(false) && random_.OneIn(3);
    min_remaining.push_back(leaves ? key.maker->NextCost(key.last) : Cost{0});
    trace_ += " (" + key.name + " cost " + std::to_string(cost.units) + " enforcement " +
              std::to_string(static_cast<int>(enforcements.back())) + " leaves " +
              std::to_string(min_remaining.back().units) + ")";
  }
  Request request{charges, enforcements};
  RemoteRequest same{remote, enforcements};
  if (random_.OneIn(5)) request.min_remaining = same.min_remaining = min_remaining;
  if (random_.OneIn(10)) request.charge_mode = same.charge_mode = ChargeMode::kNone;
  std::vector<Decision> want(count);
  store_->Decide({&request, 1}, want, now_);
  std::vector<Decision> got(count);
  if (!AskRedis(ScriptCall(same), got)) return;
  for (std::size_t i = 0; i < count; ++i) {
    ExpectSame(*keys[i], got[i], want[i]);
    keys[i]->last = want[i];
  }
  for (const WorldKey* key : keys) ExpectExpiry(*key);
}

std::vector<Kind> RemoteKinds() {
  return {Kind::kTokenBucket,    Kind::kLeakyBucket,    Kind::kPacer,
          Kind::kAlignedWindow,  Kind::kCalendarWindow, Kind::kFirstRequestWindow,
          Kind::kIntervalRefill, Kind::kSlidingWindow,  Kind::kSlidingBuckets,
          Kind::kSlidingLog,     Kind::kConcurrency};
}

void RunWorlds(const WorldPlan& plan) {
  const auto server = RedisServer::Start();
  ASSERT_NE(server, nullptr);
  RedisClient client(server->socket_path());
  ASSERT_TRUE(client.is_open());
  WorldCounts counts;
  int steps = 0;
  ForEachSeed(plan.worlds, [&](Random& random) {
    // A fixture that reaches the maximum time is followed by another one.
    for (int left = plan.steps; left > 0 && !::testing::Test::HasFailure();) {
      RedisFixture world(*server, client, random, plan.changes);
      for (const std::vector<Kind>& kinds : plan.kinds) {
        for (int i = 0; i < plan.keys_each; ++i) {
          world.AddKey(NameOf(kinds.front()) + std::to_string(i), kinds);
        }
      }
      const int taken = world.Run(left);
      left -= taken;
      steps += taken;
      counts.Add(world.counts());
    }
  });
  std::printf("%d steps: %d allowed, %d refused, %d in use, %d met new terms\n", steps,
              counts.allowed, counts.refused, counts.in_use, counts.met);
  // Otherwise the test would have tested nothing.
  const int decided = counts.allowed + counts.refused;
  EXPECT_GT(counts.allowed, decided / 10);
  EXPECT_GT(counts.refused, decided / 10);
  EXPECT_GT(counts.in_use, decided / 4);
}

WorldPlan PlanOfAll() {
  WorldPlan plan;
  for (const Kind kind : RemoteKinds()) plan.kinds.push_back({kind});
  plan.keys_each = 3;
  return plan;
}

}  // namespace sluice::testing
