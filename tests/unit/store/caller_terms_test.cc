// Tests of charges that carry their own terms.
#include "store/caller_terms.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "support/random.h"
#include "unit/store/store_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::seconds;

CallerTerms TermsOf(std::int64_t count, Nanos period, std::int64_t burst) {
  return CallerTerms::Make({count, period}, burst).value();
}

class CallerTermsTest : public ::testing::Test {
 protected:
  Decision Check(const CallerTerms& terms, std::string_view key, std::int64_t cost = 1) {
    const CallerCharge charge{&terms, key, Cost{cost}};
    Decision decision;
    scene.store().DecideCallerCharges(limit, {&charge, 1}, {&decision, 1}, scene.now);
    return decision;
  }

  Fixture scene;
  LimitHandle limit = scene.store().AddCallerLimit("brought", scene.now).value();
};

TEST(CallerTerms, DecidesAsALimitWithTheSameTerms) {
  ForEachSeed(100, [](Random& random) {
    Fixture scene;
    const LimitHandle brought = scene.store().AddCallerLimit("brought", scene.now).value();
    LimitSpec spec = SpecOf(random.Between(1, 300), seconds(random.Between(1, 100)));
    spec.burst = random.Between(1, 20);
    const LimitHandle same = scene.Add(spec);
    const CallerTerms terms = CallerTerms::Make(*spec.rate, spec.burst->numerator).value();
    for (int i = 0; i < 100; ++i) {
      scene.now += Nanos{random.Between(0, 2'000'000'000)};
      const std::int64_t cost = random.Between(0, 4);
      const CallerCharge charge{&terms, "k", Cost{cost}};
      Decision decision;
      scene.store().DecideCallerCharges(brought, {&charge, 1}, {&decision, 1}, scene.now);
      ASSERT_EQ(decision, scene.Check(same, "k", cost));
    }
  });
}

TEST_F(CallerTermsTest, KeepsTheStateOfAKeyUnderOtherTerms) {
  const CallerTerms slow = TermsOf(1, seconds(10), 3);
  const CallerTerms quick = TermsOf(1, seconds(5), 10);
  Check(slow, "k", 2);
  const Decision decision = Check(quick, "k");
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(decision.reset_after, seconds(25));
  EXPECT_EQ(decision.remaining, 5);
}

TEST_F(CallerTermsTest, RoundsTimeUpToTheTicksOfOtherTerms) {
  const CallerTerms thirds = TermsOf(3, seconds(1), 3);
  const CallerTerms sevenths = TermsOf(7, seconds(1), 7);
  Check(thirds, "k");
  EXPECT_EQ(Check(sevenths, "k").reset_after, Nanos{333'333'333 + 142'857'144});
  EXPECT_EQ(Rescale({Time{}, 2}, 3, 256), (FineTime{Time{}, 171}));
  EXPECT_EQ(Rescale({Time{}, 255}, 256, 3), (FineTime{Time{Nanos{1}}, 0}));
  EXPECT_EQ(Rescale({Time{}, 0}, 256, 1), (FineTime{Time{}, 0}));
}

TEST_F(CallerTermsTest, EncodesEveryDenominatorInTheId) {
  for (std::uint64_t ticks = 1; ticks <= 256; ++ticks) {
    EXPECT_EQ(CallerTerms::TicksPerNs(CallerTerms::IdOf(ticks)), ticks);
  }
  // 131,072 a second: 5^9 / 2^8 ns.
  const CallerTerms finest = TermsOf(131'072, seconds(1), 131'072);
  EXPECT_EQ(finest.prepared().id, 0);
  for (int i = 0; i < 131'072; i += 1024) EXPECT_TRUE(Check(finest, "k", 1024).allowed);
  EXPECT_EQ(Check(finest, "k").reset_after, kSecond);
  EXPECT_EQ(Check(TermsOf(1, seconds(1), 2), "k").reset_after, 2 * kSecond);
}

TEST_F(CallerTermsTest, RoundsAFineRateToASlowerOne) {
  const CallerTerms fine = TermsOf(999'999'937, seconds(1), 1000);
  EXPECT_EQ(Check(fine, "k", 1000).reset_after, Nanos{1004});
}

TEST_F(CallerTermsTest, KeepsNoStatePerTerms) {
  const std::uint64_t before = scene.store().StatsApprox().bytes;
  for (int i = 1; i <= 70'000; ++i) Check(TermsOf(i, seconds(3600), 1), "k", 2);
  EXPECT_EQ(scene.store().StatsApprox().bytes, before);
  for (int i = 1; i <= 1000; ++i) Check(TermsOf(i, seconds(3600), i), "k");
  EXPECT_EQ(scene.store().StatsApprox().keys, 1U);
}

TEST_F(CallerTermsTest, SharesNoKeysWithOtherLimits) {
  const LimitHandle other = scene.Add(SpecOf(1, kHour));
  scene.Check(other, "k");
  EXPECT_TRUE(Check(TermsOf(1, kHour, 1), "k").allowed);
}

TEST_F(CallerTermsTest, PeekTakesNothing) {
  const CallerTerms terms = TermsOf(1, kHour, 2);
  EXPECT_EQ(Check(terms, "k", 0).remaining, 2);
  EXPECT_EQ(scene.store().StatsApprox().keys, 0U);
  Check(terms, "k");
  EXPECT_EQ(Check(terms, "k", 0).remaining, 1);
  EXPECT_EQ(Check(terms, "k", 0).remaining, 1);
}

TEST_F(CallerTermsTest, PeekUnderOtherTermsDoesNotRound) {
  const CallerTerms sevenths = TermsOf(7, seconds(1), 7);
  Check(sevenths, "k", 1);
  Check(TermsOf(3, seconds(1), 3), "k", 0);
  EXPECT_EQ(Check(sevenths, "k", 6).reset_after, kSecond);
}

TEST_F(CallerTermsTest, RefusesWithOverflowWithoutMemory) {
  Fixture full(16 * kMebibyte);
  const LimitHandle brought = full.store().AddCallerLimit("brought", full.now).value();
  const CallerTerms terms = TermsOf(1, kDay, 5);
  Decision decision;
  for (int i = 0; decision.source == Source::kMemory && i < 2'000'000; ++i) {
    const std::string key = std::to_string(i);
    const CallerCharge charge{&terms, key, Cost{1}};
    full.store().DecideCallerCharges(brought, {&charge, 1}, {&decision, 1}, full.now);
  }
  EXPECT_EQ(decision.source, Source::kOverflow);
  EXPECT_FALSE(decision.allowed);
}

TEST_F(CallerTermsTest, RejectsInvalidTerms) {
  EXPECT_FALSE(CallerTerms::Make({0, kSecond}, 1).ok());
  EXPECT_FALSE(CallerTerms::Make({1, Nanos{0}}, 1).ok());
  EXPECT_FALSE(CallerTerms::Make({1, kSecond}, 0).ok());
  EXPECT_FALSE(CallerTerms::Make({1'000'000'001, kSecond}, 1).ok());
  EXPECT_TRUE(CallerTerms::Make({1'000'000'000, kSecond}, 1).ok());
  EXPECT_TRUE(CallerTerms::Make({1, kYear}, 1).ok());
  EXPECT_FALSE(CallerTerms::Make({1, kYear}, 2).ok());
  EXPECT_FALSE(CallerTerms::Make({1, kDay}, 200'000'000).ok());
}

}  // namespace
}  // namespace sluice::testing
