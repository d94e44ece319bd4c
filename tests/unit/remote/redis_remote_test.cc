// RedisRemote on real servers: one, and a cluster.
#include "remote/redis_remote.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "core/text.h"
#include "remote/redis_cluster.h"
#include "remote/redis_key_name.h"
#include "remote/redis_slot.h"
#include "support/fake_clock.h"
#include "support/redis_groups.h"
#include "support/redis_server.h"
#include "support/redis_time.h"
#include "unit/remote/loop_until.h"
#include "unit/remote/patient_node.h"
#include "unit/remote/remote_asker.h"
#include "unit/remote/remote_items.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using Fate = RemoteFate;

// What an observer hears.
class SeenDecisions final : public RedisObserver {
 public:
  struct Seen {
    FleetKey key;
    Decision decision;
    Decision look;  // at the state, then
  };

  void OnDecided(const RedisSight& sight) override {
    seen.push_back({sight.item.key, sight.decision, sight.state.Peek(Cost{0}, sight.decided_at)});
  }

  std::vector<Seen> seen;
};

// What both kinds of servers share.
class RedisRemoteBase : public ::testing::Test {
 protected:
  void Use(RedisClient& client, RedisSlots slots) {
    remote_.emplace(client, *clock_, RedisRemoteOptions{.slots = slots}, &seen_);
    asker_.emplace(loop_, *remote_);
  }
  [[nodiscard]] RedisParts Parts() { return {{loop_, *clock_}, names_, counts_, jitter_}; }

  // The decisions, or none where it failed.
  std::vector<Decision> Do(Operation operation, std::vector<RemoteItem> items) {
    call_.operation = operation;
    call_.items = std::move(items);
    const std::optional<Fate> fate = asker_->Ask(call_);
    EXPECT_EQ(fate, Fate::kDecided);
    return fate == Fate::kDecided ? call_.decisions : std::vector<Decision>(call_.items.size());
  }
  Decision Do(Operation operation, const RemoteItem& item) {
    return Do(operation, std::vector{item}).front();
  }
  std::int64_t Remaining(const RemoteItem& item) { return Do(Operation::kPeek, item).remaining; }

  // Keys of a server that would stay for good, and names that are not ours.
  static std::string Faults(testing::RedisProcess& server) {
    testing::RedisClient client(server.socket_path());
    const auto keys = client.Command({"KEYS", "*"});
    std::vector<std::string> names;
    for (const RespNode& node : keys.subspan(1)) names.emplace_back(node.text);
    static const std::regex kName("sluice:\\{[-_A-Za-z0-9]{3}\\}[-_A-Za-z0-9]{22}");
    std::string faults;
    for (const std::string& name : names) {
      if (!std::regex_match(name, kName)) faults += name + " is called so; ";
      if (client.Number({"PTTL", name}) == -1) faults += name + " stays; ";
    }
    return faults;
  }

  EventLoop loop_;
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  NameLookup names_;
  RedisCounts counts_;
  RedisJitter jitter_{7};
  SeenDecisions seen_;
  std::optional<RedisRemote> remote_;
  std::optional<RemoteAsker> asker_;
  RemoteCall call_;
};

// One server, whose clock the test sets, and so is ours: what is sent has all the time it needs.
class RedisRemoteTest : public RedisRemoteBase {
 protected:
  void SetUp() override {
    auto clock = std::make_unique<testing::FakeClock>(kOurStart);
    fake_clock_ = clock.get();
    clock_ = std::move(clock);
    server_ = testing::RedisServer::Start();
    ASSERT_NE(server_, nullptr);
    server_->SetTime(kStart);
    look_ = std::make_unique<testing::RedisClient>(server_->socket_path());
    client_.emplace(Parts(), UnixEndpoint{server_->socket_path()}, PatientNode());
    Use(*client_, RedisSlots::kTogether);
  }
  void TearDown() override {
    if (server_ == nullptr) return;
    server_->process().Continue();
    EXPECT_EQ(Faults(server_->process()), "");
  }

  // Sends a check to a server that stands still, and lets its deadline pass.
  void CheckUntilOverdue(const RemoteItem& item) {
    server_->process().Stop();
    call_.operation = Operation::kCheck;
    call_.items = {item};
    call_.deadline = clock_->Now() + milliseconds{5};
    ASSERT_TRUE(asker_->Begin(call_));
    // A round of the loop writes it.
    ASSERT_TRUE(LoopUntil(loop_, [turn = 0]() mutable { return ++turn == 3; }));
    EXPECT_EQ(asker_->overdue(), 0);
    fake_clock_->Advance(milliseconds{5});
    ASSERT_TRUE(LoopUntil(loop_, [this] { return asker_->overdue() == 1; }));
    EXPECT_FALSE(asker_->fate());
  }

  static constexpr Time kStart{std::chrono::seconds{1'700'000'000}};
  static constexpr Time kOurStart{std::chrono::seconds{1'800'000'000}};

  testing::FakeClock* fake_clock_ = nullptr;
  std::unique_ptr<testing::RedisServer> server_;
  std::unique_ptr<testing::RedisClient> look_;
  std::optional<RedisSingle> client_;
};

TEST_F(RedisRemoteTest, OneCommandHoweverManyItems) {
  const auto terms = MustBind(PerHour(10));
  Do(Operation::kCheck, ItemOf(terms, "warm", "r"));  // the script is known then
  std::vector<RemoteItem> items;
  for (int i = 0; i < 64; ++i) items.push_back(ItemOf(terms, Concat("k", i), Concat("r", i)));
  look_->Command({"CONFIG", "RESETSTAT"});
  for (const Decision& decision : Do(Operation::kCheck, items)) EXPECT_EQ(decision.remaining, 9);
  const std::string stats = look_->Text({"INFO", "commandstats"});
  EXPECT_NE(stats.find("cmdstat_evalsha:calls=1,"), std::string::npos) << stats;
  EXPECT_EQ(call_.decided_at, kStart);
}

TEST_F(RedisRemoteTest, AllOrNoneWithVetoes) {
  const auto terms = MustBind(PerHour(2));
  RemoteItem a = ItemOf(terms, "a", "r");
  RemoteItem b = ItemOf(terms, "b", "s");
  b.cost = Cost{3};
  auto got = Do(Operation::kCheck, {a, b});
  EXPECT_TRUE(got[0].allowed);
  EXPECT_EQ(got[0].remaining, 2);
  EXPECT_FALSE(got[1].allowed);
  b.veto = Veto::kShadow;
  got = Do(Operation::kCheck, {a, b});
  EXPECT_EQ(got[0].remaining, 1);
  b.veto = Veto::kQuota;
  Do(Operation::kCheck, {a, b});
  EXPECT_EQ(Remaining(a), 1);
  b.veto = Veto::kDebt;
  Do(Operation::kCheck, {a, b});
  EXPECT_EQ(Remaining(a), 0);
  EXPECT_EQ(Remaining(b), 0);
  // What must be left is left.
  RemoteItem c = ItemOf(terms, "c", "r");
  c.left_alone = Cost{2};
  EXPECT_FALSE(Do(Operation::kCheck, c).allowed);
}

TEST_F(RedisRemoteTest, TheSameKeyTwiceCountsTwiceInACheckAndAloneElsewhere) {
  const RemoteItem a = ItemOf(MustBind(PerHour(3)), "a", "r", Cost{2});
  const auto peeks = Do(Operation::kPeek, {a, a});
  EXPECT_TRUE(peeks[0].allowed && peeks[1].allowed);
  EXPECT_FALSE(Do(Operation::kCheck, {a, a})[1].allowed);
  EXPECT_EQ(Remaining(a), 3);
  const auto debts = Do(Operation::kDebt, {a, a});
  EXPECT_EQ(debts[0].remaining, 1);
  EXPECT_EQ(debts[1].remaining, 0);
  EXPECT_EQ(Do(Operation::kRefund, {a, a})[1].remaining, 3);
  Do(Operation::kCheck, a);
  EXPECT_EQ(Do(Operation::kReset, {a, a})[1].remaining, 3);
  EXPECT_EQ(look_->Number({"DBSIZE"}), 0);
}

// A refund of a window that is over gives back nothing in the next.
TEST_F(RedisRemoteTest, ARefundEndsWithItsWindow) {
  RemoteItem a = ItemOf(MustBind(PerHour(5, Algorithm::kFixedWindow)), "a", "r", Cost{2});
  const Decision first = Do(Operation::kCheck, a);
  a.until = call_.decided_at + first.reset_after;
  server_->SetTime(*a.until - microseconds{1});
  EXPECT_EQ(Do(Operation::kRefund, a).remaining, 5);
  Do(Operation::kCheck, a);
  server_->SetTime(*a.until);
  Do(Operation::kCheck, a);
  EXPECT_EQ(Do(Operation::kRefund, a).remaining, 3);
  a.until.reset();
  EXPECT_EQ(Do(Operation::kRefund, a).remaining, 5);
}

TEST_F(RedisRemoteTest, OtherTermsTakeOverWhatWasUsed) {
  RemoteItem a = ItemOf(MustBind(PerHour(2)), "a", "r", Cost{2});
  Do(Operation::kCheck, a);
  a.terms = MustBind(PerHour(4));
  a.cost = Cost{1};
  EXPECT_EQ(Do(Operation::kCheck, a).remaining, 1);
  EXPECT_EQ(remote_->counts().new_terms.ReadApprox(), 1U);
  // In a request with others, and back.
  RemoteItem b = ItemOf(MustBind(PerHour(2)), "b", "s");
  a.terms = MustBind(PerHour(10));
  const auto got = Do(Operation::kCheck, {b, a});
  EXPECT_EQ(got[0].remaining, 1);
  EXPECT_EQ(got[1].remaining, 6);
}

// Its clock is years away from ours.
TEST_F(RedisRemoteTest, CalendarWindowsAreThoseOfTheClockOfRedis) {
  LimitSpec spec = PerHour(3, Algorithm::kFixedWindow);
  spec.rate = Rate{3, hours{24}, CalendarUnit::kDay};
  spec.window = WindowKind::kCalendar;
  spec.zone = "Europe/Berlin";
  const RemoteItem a = ItemOf(MustBind(spec), "a", "r");
  EXPECT_EQ(Do(Operation::kCheck, a).remaining, 2);
  EXPECT_EQ(Do(Operation::kCheck, a).remaining, 1);
  // 22:13:20 UTC is 23:13:20 there. How far the clocks are apart is learnt once.
  EXPECT_EQ(Do(Operation::kPeek, a).reset_after, std::chrono::seconds{46 * 60 + 40});
  EXPECT_EQ(remote_->counts().other_time.ReadApprox(), 1U);
}

TEST_F(RedisRemoteTest, StaggeredWindowsAreOfTheKeyOnEveryNode) {
  LimitSpec spec = PerHour(3, Algorithm::kFixedWindow);
  spec.window = WindowKind::kStaggered;
  const auto terms = MustBind(spec);
  RemoteItem a = ItemOf(terms, "a", "r");
  a.key.high = std::uint64_t{1} << 63U;  // half of a period
  // 800 seconds of an hour have passed.
  EXPECT_EQ(Do(Operation::kCheck, a).reset_after, std::chrono::seconds{1000});
  a.key.high = 0;
  EXPECT_EQ(Do(Operation::kCheck, a).reset_after, std::chrono::seconds{2800});
}

TEST_F(RedisRemoteTest, TheObserverSeesTheStatesThatAreLeft) {
  const auto terms = MustBind(PerHour(5));
  const RemoteItem a = ItemOf(terms, "a", "r", Cost{2});
  const RemoteItem b = ItemOf(terms, "b", "r", Cost{6});
  Do(Operation::kCheck, a);
  Do(Operation::kCheck, {a, b});
  Do(Operation::kDebt, b);
  Do(Operation::kRefund, b);
  Do(Operation::kPeek, a);
  Do(Operation::kReset, a);
  ASSERT_EQ(seen_.seen.size(), 6U);
  const std::vector<std::int64_t> want = {3, 3, 5, 0, 5, 5};
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(seen_.seen[i].look.remaining, want[i]) << i;
    EXPECT_EQ(seen_.seen[i].decision.remaining, want[i]) << i;
  }
  EXPECT_EQ(seen_.seen[2].key, b.key);
}

TEST_F(RedisRemoteTest, AServerWithoutMemoryHasDoneNothing) {
  const RemoteItem a = ItemOf(MustBind(PerHour(5)), "a", "r");
  Do(Operation::kCheck, a);
  look_->Command({"CONFIG", "SET", "maxmemory", "1"});
  call_.operation = Operation::kCheck;
  call_.items = {ItemOf(a.terms, "b", "r"), a};
  EXPECT_EQ(asker_->Ask(call_), Fate::kNotDone);
  look_->Command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(Remaining(a), 4);
  EXPECT_EQ(look_->Number({"DBSIZE"}), 1);
}

TEST_F(RedisRemoteTest, AReplicaHasDoneNothing) {
  const RemoteItem a = ItemOf(MustBind(PerHour(5)), "a", "r");
  Do(Operation::kCheck, a);
  look_->Command({"REPLICAOF", "127.0.0.1", "1"});
  call_.operation = Operation::kCheck;
  call_.items = {a};
  EXPECT_EQ(asker_->Ask(call_), Fate::kNotDone);
  look_->Command({"REPLICAOF", "NO", "ONE"});
  EXPECT_EQ(Remaining(a), 4);
}

// Invariant (7), and (3) of Remote: the reply is used, nothing is repeated.
TEST_F(RedisRemoteTest, ALateReplyStillDecides) {
  const RemoteItem a = ItemOf(MustBind(PerHour(5)), "a", "r");
  Do(Operation::kCheck, a);
  ASSERT_NO_FATAL_FAILURE(CheckUntilOverdue(a));
  server_->process().Continue();
  EXPECT_EQ(asker_->Wait(), Fate::kDecided);
  EXPECT_EQ(asker_->overdue(), 1);
  EXPECT_EQ(call_.decisions[0].remaining, 3);
  call_.deadline = kLatestTime;
  EXPECT_EQ(Remaining(a), 3);
}

TEST_F(RedisRemoteTest, AServerThatDiesLeavesItUnknown) {
  const RemoteItem a = ItemOf(MustBind(PerHour(5)), "a", "r");
  Do(Operation::kCheck, a);
  ASSERT_NO_FATAL_FAILURE(CheckUntilOverdue(a));
  server_->process().Kill();
  EXPECT_EQ(asker_->Wait(), Fate::kUnknown);
  EXPECT_FALSE(asker_->Begin(call_));
  server_->process().Start();
}

// --- a cluster ------------------------------------------------------------------------------

class RedisRemoteClusterTest : public RedisRemoteBase {
 protected:
  void SetUp() override {
    ASSERT_TRUE(group_.is_formed());
    RedisClusterSettings settings;
    settings.node = PatientNode();
    settings.seeds = {{"127.0.0.1", group_.server(0).port()}};
    client_.emplace(Parts(), settings);
    Use(*client_, RedisSlots::kSpread);
    ASSERT_TRUE(LoopUntil(loop_, [this] { return counts_.refreshes.ReadApprox() > 0; }));
    for (std::size_t server = 0; server < 3; ++server) routes_.push_back(RouteTo(server));
  }
  void TearDown() override {
    for (const auto& each : group_.servers()) {
      if (!each->is_running()) continue;
      EXPECT_EQ(Faults(*each), "");
    }
  }

  // A route whose slot a server has: slots of the first come first.
  static std::string RouteTo(std::size_t server) {
    for (int i = 0;; ++i) {
      const std::string name = Concat("r", i);
      std::string key;
      AppendRedisKeyName("sluice:", {}, RouteOf(kTestSecret, name), key);
      if (static_cast<std::size_t>(SlotOf(key)) * 3 / kRedisSlots == server) return name;
    }
  }

  // Of calls that are followed to their ends.
  struct Counting final : RemoteListener {
    void OnOverdue(RemoteCall& /*call*/) override {}
    void OnAnswer(RemoteCall& call, Fate fate) override {
      EXPECT_EQ(fate, Fate::kDecided);
      const bool passes = call.decisions[0].allowed && call.decisions[1].allowed;
      admitted += passes ? 1 : 0;
      ++answers;
    }
    int admitted = 0;
    int answers = 0;
  };

  testing::RedisTime time_;  // the real time until it is set
  testing::RedisClusterGroup group_{&time_};
  Counting counting_;
  std::vector<std::unique_ptr<RemoteCall>> calls_;
  std::optional<RedisCluster> client_;
  std::vector<std::string> routes_;
};

// Invariant (4).
TEST_F(RedisRemoteClusterTest, ARefusalInOneSlotLeavesNothingInTheOthers) {
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kLeakyBucket, Algorithm::kFixedWindow,
        Algorithm::kSlidingLog, Algorithm::kSlidingWindow, Algorithm::kSlidingBuckets}) {
    const auto terms = MustBind(PerHour(1000, algorithm));
    std::vector<RemoteItem> items;
    for (std::size_t i = 0; i < 3; ++i) {
      items.push_back(ItemOf(terms, Concat("k", i, static_cast<int>(algorithm)), routes_[i]));
    }
    auto got = Do(Operation::kCheck, items);
    const std::int64_t left = got[0].remaining;
    for (const Decision& each : got) EXPECT_EQ(each.remaining, left);
    for (std::size_t refusing = 0; refusing < 3; ++refusing) {
      for (RemoteItem& item : items) item.cost = Cost{100};
      items[refusing].cost = Cost{2000};
      seen_.seen.clear();
      got = Do(Operation::kCheck, items);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(got[i].allowed, i != refusing);
        // A leaky bucket may have let a unit go.
        EXPECT_NEAR(static_cast<double>(got[i].remaining), static_cast<double>(left), 1.0);
        EXPECT_NEAR(static_cast<double>(Remaining(items[i])), static_cast<double>(left), 1.0);
      }
      ASSERT_EQ(seen_.seen.size(), 3U);
      for (const auto& seen : seen_.seen) {
        EXPECT_EQ(seen.look.remaining, seen.decision.remaining);
      }
    }
    EXPECT_EQ(got[2].retry_after, kNever);
  }
  EXPECT_EQ(remote_->counts().given_back.ReadApprox(), 6U * 3U);
  EXPECT_EQ(remote_->counts().not_given_back.ReadApprox(), 0U);
}

TEST_F(RedisRemoteClusterTest, VetoesAreThoseOfTheWholeRequest) {
  const auto terms = MustBind(PerHour(5));
  RemoteItem a = ItemOf(terms, "a", routes_[0]);
  RemoteItem b = ItemOf(terms, "b", routes_[1], Cost{9});
  RemoteItem c = ItemOf(terms, "c", routes_[2]);
  // One of two quotas passes.
  for (RemoteItem* each : {&a, &b}) each->veto = Veto::kQuota;
  EXPECT_FALSE(Do(Operation::kCheck, {a, b, c})[1].allowed);
  EXPECT_EQ(Remaining(a), 4);
  EXPECT_EQ(Remaining(b), 5);
  EXPECT_EQ(Remaining(c), 4);
  // None does.
  a.cost = Cost{9};
  Do(Operation::kCheck, {a, b, c});
  EXPECT_EQ(Remaining(c), 4);
  // A shadow refuses nothing, a debt is taken whatever refuses.
  a.veto = Veto::kShadow;
  b.veto = Veto::kDebt;
  b.cost = Cost{1};
  Do(Operation::kCheck, {a, b, c});
  EXPECT_EQ(Remaining(b), 4);
  EXPECT_EQ(Remaining(c), 3);
  c.cost = Cost{9};
  EXPECT_FALSE(Do(Operation::kCheck, {a, b, c})[2].allowed);
  EXPECT_EQ(Remaining(b), 3);
  a.veto = Veto::kEnforce;
  EXPECT_FALSE(Do(Operation::kCheck, {a, b, c})[0].allowed);
  EXPECT_EQ(Remaining(b), 2);
}

TEST_F(RedisRemoteClusterTest, APacerIsChargedLast) {
  LimitSpec spec = PerHour(3600, Algorithm::kPacer);
  spec.burst = Fraction{1, 1};
  const RemoteItem pacer = ItemOf(MustBind(spec), "pacer", routes_[0], Cost{1});
  RemoteItem other = ItemOf(MustBind(PerHour(2)), "other", routes_[2], Cost{3});
  EXPECT_FALSE(Do(Operation::kCheck, {pacer, other})[1].allowed);
  EXPECT_EQ(Do(Operation::kPeek, pacer).reset_after, Nanos{0});
}

TEST_F(RedisRemoteClusterTest, ANodeThatIsAwayLeavesNothingChargedElsewhere) {
  const auto terms = MustBind(PerHour(5));
  std::vector<RemoteItem> items;
  for (std::size_t i = 0; i < 3; ++i) items.push_back(ItemOf(terms, Concat("k", i), routes_[i]));
  Do(Operation::kCheck, items);
  // The others serve their slots all the same.
  for (const auto& each : group_.servers()) {
    ASSERT_EQ(each->Call("CONFIG SET cluster-require-full-coverage no"), "OK");
  }
  group_.server(2).Kill();
  call_.operation = Operation::kCheck;
  call_.items = items;
  call_.deadline = clock_->Now() + std::chrono::minutes{1};
  // The first may still be on its way when the connection breaks.
  const std::optional<Fate> first = asker_->Ask(call_);
  ASSERT_TRUE(first == Fate::kNotDone || first == Fate::kUnknown);
  EXPECT_EQ(asker_->Ask(call_), Fate::kNotDone);
  call_.deadline = kLatestTime;
  EXPECT_EQ(Remaining(items[0]), 4);
  EXPECT_EQ(Remaining(items[1]), 4);
  EXPECT_EQ(remote_->counts().not_given_back.ReadApprox(), 0U);
}

// Invariant (4) under many requests at once: what was admitted is charged, all else is given back.
TEST_F(RedisRemoteClusterTest, ManyAtOnceAdmitNoMoreThanTheLimit) {
  // The hour does not end meanwhile.
  group_.Trust();
  time_.Set(Time{std::chrono::seconds{1'700'000'000}});
  constexpr std::int64_t kCount = 50;
  const auto terms = MustBind(PerHour(kCount, Algorithm::kFixedWindow));
  constexpr int kCalls = 200;
  for (int i = 0; i < kCalls; ++i) {
    RemoteCall& call = *calls_.emplace_back(std::make_unique<RemoteCall>());
    // Half of them name the keys the other way round.
    call.items = {ItemOf(terms, "a", routes_[0]), ItemOf(terms, "b", routes_[1])};
    if (i % 2 == 0) std::swap(call.items[0], call.items[1]);
    ASSERT_TRUE(remote_->Decide(call, counting_));
  }
  ASSERT_TRUE(LoopUntil(loop_, [&] { return counting_.answers == kCalls; }));
  EXPECT_EQ(counting_.admitted, kCount);
  EXPECT_EQ(Remaining(ItemOf(terms, "a", routes_[0])), 0);
  EXPECT_EQ(Remaining(ItemOf(terms, "b", routes_[1])), 0);
}

}  // namespace
}  // namespace sluice
