// RedisRemote on one real server.
#include "remote/script/redis_remote.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "support/fake_clock.h"
#include "support/redis_server.h"
#include "unit/redis/loop_until.h"
#include "unit/redis/patient_node.h"
#include "unit/remote/script/redis_remote_on_servers.h"
#include "unit/remote/script/remote_items.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Outcome = RemoteOutcome;

// A server and a client whose clocks the test controls, so that commands have all the time they
// need.
class RedisRemoteTest : public testing::RedisRemoteOnServers {
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

  // Sends a check to a suspended server and lets its deadline pass.
  void CheckUntilOverdue(const RemoteItem& item) {
    server_->process().Stop();
    call_.operation = Operation::kCheck;
    call_.items = {item};
    call_.deadline = clock_->Now() + milliseconds{5};
    ASSERT_TRUE(asker_->Begin(call_));
    // One loop round writes the command.
    ASSERT_TRUE(LoopUntil(loop_, [turn = 0]() mutable { return ++turn == 3; }));
    EXPECT_EQ(asker_->overdue(), 0);
    fake_clock_->Advance(milliseconds{5});
    ASSERT_TRUE(LoopUntil(loop_, [this] { return asker_->overdue() == 1; }));
    EXPECT_FALSE(asker_->outcome());
  }

  static constexpr Time kStart{std::chrono::seconds{1'700'000'000}};
  static constexpr Time kOurStart{std::chrono::seconds{1'800'000'000}};

  testing::FakeClock* fake_clock_ = nullptr;
  std::unique_ptr<testing::RedisServer> server_;
  std::unique_ptr<testing::RedisClient> look_;
  std::optional<RedisSingle> client_;
};

TEST_F(RedisRemoteTest, ReportsWhenASlidingWindowRegainsUnits) {
  const auto window =
      MustBind({.algorithm = Algorithm::kSlidingWindow, .rate = Rate{100, hours{1}}});
  Do(Operation::kCheck, ItemOf(window, "w", "r"));
  EXPECT_TRUE(call_.more_after.empty());
  call_.wants_growth = true;
  EXPECT_EQ(Do(Operation::kCheck, ItemOf(window, "w", "r")).remaining, 98);
  // The window ends in 2,800 s. Half an hour after that, one of its two units has left the view.
  EXPECT_EQ(call_.more_after, std::vector<Nanos>{std::chrono::seconds{4600}});
  Do(Operation::kCheck, ItemOf(MustBind(PerHour(10)), "b", "r"));
  EXPECT_EQ(call_.more_after, std::vector<Nanos>{Nanos{0}});
}

TEST_F(RedisRemoteTest, ReportsWhenALogRegainsUnits) {
  const auto log = MustBind({.algorithm = Algorithm::kSlidingLog, .rate = Rate{100, hours{1}}});
  call_.wants_growth = true;
  EXPECT_EQ(Do(Operation::kCheck, ItemOf(log, "l", "r")).remaining, 99);
  EXPECT_EQ(call_.more_after, std::vector<Nanos>{hours{1}});
  for (const seconds later : {seconds{100}, seconds{250}}) {
    server_->SetTime(kStart + later);
    Do(Operation::kCheck, ItemOf(log, "l", "r"));
    EXPECT_EQ(call_.more_after, std::vector<Nanos>{hours{1} - later});
  }
  // Nodes with a smaller COUNT see only the newest units.
  const auto two = MustBind({.algorithm = Algorithm::kSlidingLog, .rate = Rate{2, hours{1}}});
  server_->SetTime(kStart + seconds{3350});
  EXPECT_EQ(Do(Operation::kPeek, ItemOf(two, "l", "r")).remaining, 0);
  EXPECT_EQ(call_.more_after, std::vector<Nanos>{seconds{350}});
}

// The client's clock is three years ahead of the server's.
TEST_F(RedisRemoteTest, RemembersFirstTermsByTheServerClock) {
  const auto lenient = MustBind({.rate = Rate{1000, seconds{1}}});
  const auto strict = MustBind({.rate = Rate{500, seconds{1}}});
  for (const auto& terms : {lenient, strict, strict})
    Do(Operation::kCheck, ItemOf(terms, "k", "r"));
  look_->Command({"CONFIG", "RESETSTAT"});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Do(Operation::kCheck, ItemOf(strict, "k", "r")).allowed);
  const std::string stats = look_->Text({"INFO", "commandstats"});
  EXPECT_NE(stats.find("cmdstat_evalsha:calls=10,"), std::string::npos) << stats;
}

TEST_F(RedisRemoteTest, SendsOneCommandForManyItems) {
  const auto terms = MustBind(PerHour(10));
  Do(Operation::kCheck, ItemOf(terms, "warm", "r"));  // loads the script
  std::vector<RemoteItem> items;
  for (int i = 0; i < 64; ++i) items.push_back(ItemOf(terms, Concat("k", i), Concat("r", i)));
  look_->Command({"CONFIG", "RESETSTAT"});
  for (const Decision& decision : Do(Operation::kCheck, items)) EXPECT_EQ(decision.remaining, 9);
  const std::string stats = look_->Text({"INFO", "commandstats"});
  EXPECT_NE(stats.find("cmdstat_evalsha:calls=1,"), std::string::npos) << stats;
  EXPECT_EQ(call_.decided_at, kStart);
}

TEST_F(RedisRemoteTest, ChargesAllOrNoneByEnforcement) {
  const auto terms = MustBind(PerHour(2));
  RemoteItem a = ItemOf(terms, "a", "r");
  RemoteItem b = ItemOf(terms, "b", "s");
  b.cost = Cost{3};
  auto got = Do(Operation::kCheck, {a, b});
  EXPECT_TRUE(got[0].allowed);
  EXPECT_EQ(got[0].remaining, 2);
  EXPECT_FALSE(got[1].allowed);
  b.enforcement = Enforcement::kShadow;
  got = Do(Operation::kCheck, {a, b});
  EXPECT_EQ(got[0].remaining, 1);
  b.enforcement = Enforcement::kQuota;
  Do(Operation::kCheck, {a, b});
  EXPECT_EQ(Remaining(a), 1);
  b.enforcement = Enforcement::kDebt;
  Do(Operation::kCheck, {a, b});
  EXPECT_EQ(Remaining(a), 0);
  EXPECT_EQ(Remaining(b), 0);
  // min_remaining is left.
  RemoteItem c = ItemOf(terms, "c", "r");
  c.min_remaining = Cost{2};
  EXPECT_FALSE(Do(Operation::kCheck, c).allowed);
}

TEST_F(RedisRemoteTest, CountsAKeyTwiceInACheckAndSeparatelyElsewhere) {
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

// A refund for a window that has ended does not count in the next one.
TEST_F(RedisRemoteTest, IgnoresARefundAfterItsWindow) {
  RemoteItem a = ItemOf(MustBind(PerHour(5, Algorithm::kFixedWindow)), "a", "r", Cost{2});
  const Decision first = Do(Operation::kCheck, a);
  a.bound = ReturnBound{call_.decided_at + first.reset_after};
  server_->SetTime(a.bound->until - microseconds{1});
  EXPECT_EQ(Do(Operation::kRefund, a).remaining, 5);
  Do(Operation::kCheck, a);
  server_->SetTime(a.bound->until);
  Do(Operation::kCheck, a);
  EXPECT_EQ(Do(Operation::kRefund, a).remaining, 3);
  a.bound.reset();
  EXPECT_EQ(Do(Operation::kRefund, a).remaining, 5);
}

TEST_F(RedisRemoteTest, CarriesUsedUnitsOverToOtherTerms) {
  RemoteItem a = ItemOf(MustBind(PerHour(2)), "a", "r", Cost{2});
  Do(Operation::kCheck, a);
  a.terms = MustBind(PerHour(4));
  a.cost = Cost{1};
  EXPECT_EQ(Do(Operation::kCheck, a).remaining, 1);
  EXPECT_EQ(remote_->counts().new_terms.ReadApprox(), 1U);
  // In a request with other keys, and again to more lenient terms.
  RemoteItem b = ItemOf(MustBind(PerHour(2)), "b", "s");
  a.terms = MustBind(PerHour(10));
  const auto got = Do(Operation::kCheck, {b, a});
  EXPECT_EQ(got[0].remaining, 1);
  EXPECT_EQ(got[1].remaining, 6);
}

// The server's clock is years away from ours.
TEST_F(RedisRemoteTest, UsesTheServerClockForCalendarWindows) {
  LimitSpec spec = PerHour(3, Algorithm::kFixedWindow);
  spec.rate = Rate{3, hours{24}, CalendarUnit::kDay};
  spec.window = WindowKind::kCalendar;
  spec.zone = "Europe/Berlin";
  const RemoteItem a = ItemOf(MustBind(spec), "a", "r");
  EXPECT_EQ(Do(Operation::kCheck, a).remaining, 2);
  EXPECT_EQ(Do(Operation::kCheck, a).remaining, 1);
  // 22:13:20 UTC is 23:13:20 in Berlin. The clock difference is learned with the first reply.
  EXPECT_EQ(Do(Operation::kPeek, a).reset_after, std::chrono::seconds{46 * 60 + 40});
  EXPECT_EQ(remote_->counts().other_time.ReadApprox(), 1U);
}

TEST_F(RedisRemoteTest, DerivesStaggeredWindowsFromTheKey) {
  LimitSpec spec = PerHour(3, Algorithm::kFixedWindow);
  spec.window = WindowKind::kStaggered;
  const auto terms = MustBind(spec);
  RemoteItem a = ItemOf(terms, "a", "r");
  a.key.high = std::uint64_t{1} << 63U;  // half of a period
  // 800 seconds of the hour have passed.
  EXPECT_EQ(Do(Operation::kCheck, a).reset_after, std::chrono::seconds{1000});
  a.key.high = 0;
  EXPECT_EQ(Do(Operation::kCheck, a).reset_after, std::chrono::seconds{2800});
}

TEST_F(RedisRemoteTest, ReportsTheRemainingStatesToTheObserver) {
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

TEST_F(RedisRemoteTest, ReportsAServerOutOfMemoryAsNotApplied) {
  const RemoteItem a = ItemOf(MustBind(PerHour(5)), "a", "r");
  Do(Operation::kCheck, a);
  look_->Command({"CONFIG", "SET", "maxmemory", "1"});
  call_.operation = Operation::kCheck;
  call_.items = {ItemOf(a.terms, "b", "r"), a};
  EXPECT_EQ(asker_->Ask(call_), Outcome::kNotApplied);
  look_->Command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(Remaining(a), 4);
  EXPECT_EQ(look_->Number({"DBSIZE"}), 1);
}

TEST_F(RedisRemoteTest, ReportsAReplicaAsNotApplied) {
  const RemoteItem a = ItemOf(MustBind(PerHour(5)), "a", "r");
  Do(Operation::kCheck, a);
  look_->Command({"REPLICAOF", "127.0.0.1", "1"});
  call_.operation = Operation::kCheck;
  call_.items = {a};
  EXPECT_EQ(asker_->Ask(call_), Outcome::kNotApplied);
  look_->Command({"REPLICAOF", "NO", "ONE"});
  EXPECT_EQ(Remaining(a), 4);
}

// Invariant (7), and (3) of RemoteStore: the reply is used, and nothing is repeated.
TEST_F(RedisRemoteTest, DecidesWithALateReply) {
  const RemoteItem a = ItemOf(MustBind(PerHour(5)), "a", "r");
  Do(Operation::kCheck, a);
  ASSERT_NO_FATAL_FAILURE(CheckUntilOverdue(a));
  server_->process().Continue();
  EXPECT_EQ(asker_->Wait(), Outcome::kDecided);
  EXPECT_EQ(asker_->overdue(), 1);
  EXPECT_EQ(call_.decisions[0].remaining, 3);
  call_.deadline = kLatestTime;
  EXPECT_EQ(Remaining(a), 3);
}

TEST_F(RedisRemoteTest, ReportsADeadServerAsIndeterminate) {
  const RemoteItem a = ItemOf(MustBind(PerHour(5)), "a", "r");
  Do(Operation::kCheck, a);
  ASSERT_NO_FATAL_FAILURE(CheckUntilOverdue(a));
  server_->process().Kill();
  EXPECT_EQ(asker_->Wait(), Outcome::kIndeterminate);
  EXPECT_FALSE(asker_->Begin(call_));
  server_->process().Start();
}

}  // namespace
}  // namespace sluice
