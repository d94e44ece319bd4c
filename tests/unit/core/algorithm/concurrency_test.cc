#include "core/algorithm/concurrency.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "unit/core/algorithm/steps.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using testing::ExpectRemainingIsExact;
using testing::ExpectRetryIsExact;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// A state with room for `places` permits.
struct Permits {
  explicit Permits(std::size_t places) : memory(places) { state.permits = memory; }

  std::vector<Permit> Held() const { return {memory.begin(), memory.begin() + state.size}; }

  std::vector<Permit> memory;
  PermitsState state;
};

TEST(ConcurrencyTest, RefusesAtMaxInFlightUntilRelease) {
  const Concurrency limit{100, 60s};
  Permits permits(101);
  for (std::uint64_t id = 0; id < 100; ++id) {
    const Decision decision = Acquire(limit, permits.state, {id}, {1}, Time{1s});
    ASSERT_TRUE(decision.allowed);
    ASSERT_EQ(decision.remaining, 99 - static_cast<std::int64_t>(id));
  }
  const Decision refused = Acquire(limit, permits.state, {100}, {1}, Time{2s});
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.limit, 100);
  EXPECT_EQ(refused.retry_after, 59s);
  EXPECT_EQ(refused.reset_after, 59s);
  EXPECT_EQ(Release(limit, permits.state, {42}, Time{2s}).remaining, 1);
  EXPECT_TRUE(Acquire(limit, permits.state, {100}, {1}, Time{2s}).allowed);
}

TEST(ConcurrencyTest, RetryAfterLastsUntilEnoughPermitsExpire) {
  const Concurrency limit{5, 10s};
  Permits permits(6);
  Acquire(limit, permits.state, {1}, {1}, Time{0s});
  Acquire(limit, permits.state, {2}, {2}, Time{1s});
  Acquire(limit, permits.state, {3}, {2}, Time{3s});
  const Nanos retry_after[] = {6s, 7s, 7s, 9s, 9s};
  for (std::int64_t cost = 1; cost <= 5; ++cost) {
    EXPECT_EQ(Peek(limit, permits.state, {cost}, Time{4s}).retry_after,
              retry_after[static_cast<std::size_t>(cost - 1)]);
    ExpectRetryIsExact(limit, permits.state, cost, 4s);
  }
  EXPECT_EQ(Peek(limit, permits.state, {6}, Time{4s}).retry_after, kNever);
  EXPECT_EQ(Peek(limit, permits.state, {1}, Time{4s}).reset_after, 9s);
  ExpectRemainingIsExact(limit, permits.state, 11s);
}

TEST(ConcurrencyTest, Invariant1PermitExpiresAtItsDeadline) {
  const Concurrency limit{1, 10s};
  Permits permits(2);
  Acquire(limit, permits.state, {1}, {1}, Time{0s});
  EXPECT_FALSE(Acquire(limit, permits.state, {2}, {1}, Time{10s - 1ns}).allowed);
  EXPECT_TRUE(Acquire(limit, permits.state, {2}, {1}, Time{10s}).allowed);
  EXPECT_EQ(permits.Held(), (std::vector<Permit>{{{2}, Time{20s}, 1}}));
  EXPECT_EQ(UnusedAt(limit, permits.state), Time{20s});
}

TEST(ConcurrencyTest, Invariant2UnitsHeldNeverExceedMaxInFlight) {
  const Concurrency limit{kMax, kLongestSpan};
  Permits permits(4);
  EXPECT_TRUE(Acquire(limit, permits.state, {1}, {kMax - 1}, kLatestTime).allowed);
  EXPECT_FALSE(Acquire(limit, permits.state, {2}, {2}, kLatestTime).allowed);
  EXPECT_TRUE(Acquire(limit, permits.state, {2}, {1}, kLatestTime).allowed);
  const Decision refused = Acquire(limit, permits.state, {3}, {kMax}, kLatestTime);
  EXPECT_EQ(refused.retry_after, kLongestSpan);
  EXPECT_EQ(refused.remaining, 0);
}

TEST(ConcurrencyTest, Invariant3AcquiringHeldIdMovesItsDeadlineAndCountsItOnce) {
  const Concurrency limit{3, 10s};
  Permits permits(4);
  Acquire(limit, permits.state, {1}, {2}, Time{0s});
  Acquire(limit, permits.state, {2}, {1}, Time{1s});
  const Decision again = Acquire(limit, permits.state, {1}, {2}, Time{5s});
  EXPECT_TRUE(again.allowed);
  EXPECT_EQ(again.retry_after, 0s);
  EXPECT_EQ(again.remaining, 0);
  EXPECT_EQ(again.reset_after, 10s);
  EXPECT_EQ(permits.Held(), (std::vector<Permit>{{{2}, Time{11s}, 1}, {{1}, Time{15s}, 2}}));
  EXPECT_EQ(Acquire(limit, permits.state, {1}, {4}, Time{5s}).retry_after, kNever);
}

TEST(ConcurrencyTest, Invariant4ReleasingTwiceOrAfterTheDeadlineChangesNothing) {
  const Concurrency limit{3, 10s};
  Permits permits(4);
  Acquire(limit, permits.state, {1}, {1}, Time{0s});
  Acquire(limit, permits.state, {2}, {1}, Time{5s});
  EXPECT_EQ(Release(limit, permits.state, {1}, Time{10s}).remaining, 2);  // expired
  EXPECT_EQ(Release(limit, permits.state, {2}, Time{11s}).remaining, 3);
  const Decision twice = Release(limit, permits.state, {2}, Time{11s});
  EXPECT_TRUE(twice.allowed);
  EXPECT_EQ(twice.remaining, 3);
  EXPECT_EQ(twice.reset_after, 0s);
}

TEST(ConcurrencyTest, Invariant5RefusalPeekAndZeroCostKeepThePermits) {
  const Concurrency limit{3, 10s};
  Permits permits(4);
  Acquire(limit, permits.state, {1}, {2}, Time{0s});
  const std::vector<Permit> before = permits.Held();
  EXPECT_FALSE(Acquire(limit, permits.state, {2}, {2}, Time{1s}).allowed);
  EXPECT_FALSE(Acquire(limit, permits.state, {2}, {4}, Time{1s}).allowed);
  EXPECT_TRUE(Peek(limit, permits.state, {3}, Time{10s}).allowed);
  EXPECT_TRUE(Acquire(limit, permits.state, {1}, {0}, Time{1s}).allowed);
  EXPECT_TRUE(Acquire(limit, permits.state, {3}, {0}, Time{11s}).allowed);
  EXPECT_EQ(permits.Held(), before);
}

TEST(ConcurrencyTest, RenewMovesOnlyDeadlineOfHeldPermit) {
  const Concurrency limit{2, 10s};
  Permits permits(3);
  Acquire(limit, permits.state, {1}, {1}, Time{0s});
  EXPECT_EQ(Renew(limit, permits.state, {1}, Time{9s}).reset_after, 10s);
  const Decision unknown = Renew(limit, permits.state, {2}, Time{9s});
  EXPECT_FALSE(unknown.allowed);
  EXPECT_EQ(unknown.retry_after, kNever);
  EXPECT_EQ(unknown.remaining, 1);
  EXPECT_FALSE(Renew(limit, permits.state, {1}, Time{19s}).allowed);
}

TEST(ConcurrencyTest, KeepsPermitsInOrderOfDeadlineWhenTtlShrinks) {
  Permits permits(5);
  Acquire({4, 60s}, permits.state, {1}, {1}, Time{0s});
  Acquire({4, 10s}, permits.state, {2}, {1}, Time{1s});
  Acquire({4, 10s}, permits.state, {3}, {1}, Time{1s});
  EXPECT_EQ(permits.Held(),
            (std::vector<Permit>{{{2}, Time{11s}, 1}, {{3}, Time{11s}, 1}, {{1}, Time{60s}, 1}}));
}

TEST(ConcurrencyTest, RefusesUnderSmallerTermsUntilEnoughIsReleased) {
  Permits permits(5);
  for (std::uint64_t id = 0; id < 4; ++id) {
    Acquire({4, 10s}, permits.state, {id}, {1}, Time{Nanos{id}});
  }
  const Concurrency small{2, 10s};
  EXPECT_EQ(Peek(small, permits.state, {0}, Time{5ns}).remaining, 0);
  EXPECT_EQ(Peek(small, permits.state, {1}, Time{5ns}).retry_after, 10s + 2ns - 5ns);
  EXPECT_TRUE(Peek(small, permits.state, {0}, Time{5ns}).allowed);
}

}  // namespace
}  // namespace sluice
