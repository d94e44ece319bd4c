// RedisRemote: what it reports to its observer.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "remote/script/redis_observer.h"
#include "remote/script/redis_remote.h"
#include "support/fake_clock.h"
#include "unit/redis/fake_redis_client.h"
#include "unit/remote/script/remote_items.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Makes one call at a time, with one command per key, and records what the observer is notified of.
class RedisObserve : public ::testing::Test, public RemoteListener, public RedisObserver {
 protected:
  struct Seen {
    Operation operation;
    FleetKey key;
    std::int64_t remaining = 0;
    Time decided_at{};
    Time sent_at{};
  };

  void SetUp() override {
    for (int i = 0; i < 3; ++i) items_.push_back(ItemOf(terms_, Concat("k", i), Concat("r", i)));
    clock_.Set(kNow);
  }
  void OnOverdue(RemoteCall& /*call*/) override {}
  void OnAnswer(RemoteCall& /*call*/, RemoteOutcome outcome) override {
    outcomes_.push_back(outcome);
  }
  void OnDecided(const RedisDecisionEvent& sight) override {
    EXPECT_TRUE(outcomes_.empty());
    const Decision now = sight.state.Peek(Cost{0}, sight.decided_at);
    seen_.push_back(
        {sight.call.operation, sight.item.key, now.remaining, sight.decided_at, sight.sent_at});
  }

  void Begin(std::size_t keys, Operation operation) {
    seen_.clear();
    outcomes_.clear();
    call_.operation = operation;
    call_.items.assign(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(keys));
    ASSERT_TRUE(remote_.Decide(call_, *this));
  }

  // Returns a reply about one key of which `used` of 2 units were used. Status 3: nothing was done,
  // because the time differs.
  static std::string Answer(int status, int used) {
    const std::string tag = static_cast<const RedisTerms&>(*terms_).remote_limit().tag();
    const std::string state = used == 0 ? "" : Concat(tag, " 1700002800000000 ", used);
    return Concat("*4\r\n:", status, "\r\n:1700000000\r\n:0\r\n$", state.size(), "\r\n", state,
                  "\r\n");
  }

  static constexpr Time kNow{seconds{1'700'000'000}};
  static inline const std::shared_ptr<const RemoteTerms> terms_ =
      MustBind(PerHour(2, Algorithm::kFixedWindow));

  FakeRedisClient client_;
  testing::FakeClock clock_;
  RedisRemote remote_{client_, clock_, {.slots = RedisSlots::kSpread}, this};
  std::vector<RemoteItem> items_;
  RemoteCall call_;
  std::vector<RemoteOutcome> outcomes_;
  std::vector<Seen> seen_;
};

TEST_F(RedisObserve, ReportsTheTimeOfSending) {
  Begin(1, Operation::kCheck);
  clock_.Advance(milliseconds{30});
  client_.Reply(Answer(1, 0));
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_EQ(seen_[0].sent_at, kNow);
  EXPECT_EQ(seen_[0].decided_at, kNow);
  EXPECT_EQ(seen_[0].remaining, 1);
}

// The first attempt was not decided, so its time of sending does not count.
TEST_F(RedisObserve, ReportsTheTimeOfTheLastAttempt) {
  Begin(1, Operation::kCheck);
  clock_.Advance(milliseconds{30});
  client_.Reply(Answer(3, 0));
  ASSERT_EQ(client_.sent.size(), 1U);
  clock_.Advance(milliseconds{30});
  client_.Reply(Answer(1, 0));
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_EQ(seen_[0].sent_at, kNow + milliseconds{30});
}

TEST_F(RedisObserve, ReportsResetsButNotPeeks) {
  Begin(1, Operation::kReset);
  client_.Reply(Answer(1, 2));
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_EQ(seen_[0].operation, Operation::kReset);
  EXPECT_EQ(seen_[0].key, items_[0].key);
  EXPECT_EQ(seen_[0].remaining, 2);
  Begin(1, Operation::kPeek);
  client_.Reply(Answer(1, 2));
  EXPECT_TRUE(seen_.empty());
}

// A decided key is reported regardless of the outcome of the others.
TEST_F(RedisObserve, ReportsADecidedKeyOfAFailedCall) {
  constexpr RedisAnswer kLost{.outcome = RedisAnswer::Fate::kUnknown,
                              .cause = RedisAnswer::Cause::kBroken};
  for (const Operation operation : {Operation::kRefund, Operation::kDebt, Operation::kReset}) {
    Begin(3, operation);
    client_.Answer(kLost);
    client_.Reply(Answer(1, 1));
    client_.Answer(kLost);
    EXPECT_EQ(outcomes_, std::vector{RemoteOutcome::kDecided});
    EXPECT_EQ(call_.outcomes, (std::vector{RemoteOutcome::kIndeterminate, RemoteOutcome::kDecided,
                                           RemoteOutcome::kIndeterminate}));
    ASSERT_EQ(seen_.size(), 1U);
    EXPECT_EQ(seen_[0].key, items_[1].key);
    EXPECT_EQ(seen_[0].remaining, operation == Operation::kDebt ? 0 : 2);
  }
}

// After the refund, the state is as before the call.
TEST_F(RedisObserve, ReportsTheStateAfterARefundOfAFailedCall) {
  Begin(2, Operation::kCheck);
  client_.Reply(Answer(1, 1));
  client_.Reply("-OOM command not allowed\r\n");
  client_.Reply(Answer(1, 2));
  EXPECT_EQ(outcomes_, std::vector{RemoteOutcome::kNotApplied});
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_EQ(seen_[0].remaining, 1);
}

}  // namespace
}  // namespace sluice
