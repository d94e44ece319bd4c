// RedisRemote: what its observer hears of calls.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/text.h"
#include "remote/redis_observer.h"
#include "remote/redis_remote.h"
#include "support/fake_clock.h"
#include "unit/remote/fake_redis_client.h"
#include "unit/remote/remote_items.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// One call at a time, of keys of which each has its own command, and what is heard of it.
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
  void OnAnswer(RemoteCall& /*call*/, RemoteFate fate) override { fates_.push_back(fate); }
  void OnDecided(const RedisSight& sight) override {
    EXPECT_TRUE(fates_.empty());
    const Decision now = sight.state.Peek(Cost{0}, sight.decided_at);
    seen_.push_back(
        {sight.call.operation, sight.item.key, now.remaining, sight.decided_at, sight.sent_at});
  }

  void Begin(std::size_t keys, Operation operation) {
    seen_.clear();
    fates_.clear();
    call_.operation = operation;
    call_.items.assign(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(keys));
    ASSERT_TRUE(remote_.Decide(call_, *this));
  }

  // A reply about one key, of which so many of 2 were used. 3: nothing is done, for it is another
  // time.
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
  std::vector<RemoteFate> fates_;
  std::vector<Seen> seen_;
};

TEST_F(RedisObserve, ASightSaysWhenItWasSent) {
  Begin(1, Operation::kCheck);
  clock_.Advance(milliseconds{30});
  client_.Reply(Answer(1, 0));
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_EQ(seen_[0].sent_at, kNow);
  EXPECT_EQ(seen_[0].decided_at, kNow);
  EXPECT_EQ(seen_[0].remaining, 1);
}

// What the first try was told is not what was decided.
TEST_F(RedisObserve, ASightSaysWhenItWasSentLast) {
  Begin(1, Operation::kCheck);
  clock_.Advance(milliseconds{30});
  client_.Reply(Answer(3, 0));
  ASSERT_EQ(client_.sent.size(), 1U);
  clock_.Advance(milliseconds{30});
  client_.Reply(Answer(1, 0));
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_EQ(seen_[0].sent_at, kNow + milliseconds{30});
}

TEST_F(RedisObserve, AResetIsSeenAndALookIsNot) {
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

// Whatever becomes of the others.
TEST_F(RedisObserve, AKeyThatWasDecidedIsSeenThoughItsCallFailed) {
  constexpr RedisAnswer kLost{.fate = RedisAnswer::Fate::kUnknown,
                              .cause = RedisAnswer::Cause::kBroken};
  for (const Operation operation : {Operation::kRefund, Operation::kDebt, Operation::kReset}) {
    Begin(3, operation);
    client_.Answer(kLost);
    client_.Reply(Answer(1, 1));
    client_.Answer(kLost);
    EXPECT_EQ(fates_, std::vector{RemoteFate::kDecided});
    EXPECT_EQ(call_.fates,
              (std::vector{RemoteFate::kUnknown, RemoteFate::kDecided, RemoteFate::kUnknown}));
    ASSERT_EQ(seen_.size(), 1U);
    EXPECT_EQ(seen_[0].key, items_[1].key);
    EXPECT_EQ(seen_[0].remaining, operation == Operation::kDebt ? 0 : 2);
  }
}

// It is as it was before the call.
TEST_F(RedisObserve, AKeyThatWasGivenBackIsSeenAsItIsThoughItsCallFailed) {
  Begin(2, Operation::kCheck);
  client_.Reply(Answer(1, 1));
  client_.Reply("-OOM command not allowed\r\n");
  client_.Reply(Answer(1, 2));
  EXPECT_EQ(fates_, std::vector{RemoteFate::kNotDone});
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_EQ(seen_[0].remaining, 1);
}

}  // namespace
}  // namespace sluice
