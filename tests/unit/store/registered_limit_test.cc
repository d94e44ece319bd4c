#include "store/registered_limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/algorithm/aligned.h"
#include "store/packing.h"
#include "support/core_state.h"
#include "support/random.h"
#include "unit/store/store_fixture.h"

namespace sluice::testing {
namespace {

constexpr Time kStart{Nanos{1'700'000'000'000'000'000}};
constexpr HashSeed kSeed{3, 4};

RegisteredLimit Make(const std::string& name = "posts",
                     Algorithm algorithm = Algorithm::kTokenBucket) {
  return {name, 0, kSeed, algorithm};
}

Limit PerHour(std::int64_t count) { return MustMake(SpecOf(count, kHour)); }

Shape ShapeOf(const LimitSpec& spec) { return PreparedTerms::For(MustMake(spec), 1).shape; }

TEST(RegisteredLimitTest, NumbersTermsFromOne) {
  RegisteredLimit limit = Make();
  ASSERT_TRUE(limit.Change(PerHour(1), kStart).ok());
  EXPECT_EQ(limit.current().id, 1);
  ASSERT_TRUE(limit.Change(PerHour(2), kStart).ok());
  EXPECT_EQ(limit.current().id, 2);
  EXPECT_EQ(limit.ById(1)->limit, PerHour(1));
  EXPECT_EQ(limit.ById(2), &limit.current());
  EXPECT_EQ(limit.ById(3), nullptr);
  EXPECT_EQ(limit.AllTerms().size(), 2U);
}

TEST(RegisteredLimitTest, ReusesTheIdOfReturningTerms) {
  RegisteredLimit limit = Make();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(limit.Change(PerHour(1 + i % 3), kStart).ok());
  }
  EXPECT_EQ(limit.AllTerms().size(), 3U);
}

TEST(RegisteredLimitTest, RejectsThe256thTermsWithinAShortTime) {
  RegisteredLimit limit = Make();
  for (int i = 1; i <= 255; ++i) ASSERT_TRUE(limit.Change(PerHour(i), kStart).ok()) << i;
  const Result<Done> refused = limit.Change(PerHour(256), kStart);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "limit 'posts' was changed 255 times while keys still count under the earlier terms; "
            "expected fewer changes within the time a key takes to reset");
  EXPECT_EQ(limit.current().limit, PerHour(255)) << "a refused change leaves the terms";
  EXPECT_TRUE(limit.Change(PerHour(7), kStart).ok()) << "terms that have a name may come back";
}

// The invariant: an id is given to new terms only once no state of the old ones can be in use.
TEST(RegisteredLimitTest, ReusesAnIdOnlyAfterTheSpanOfItsTerms) {
  RegisteredLimit limit = Make();
  for (int i = 1; i <= 255; ++i) ASSERT_TRUE(limit.Change(PerHour(i), kStart).ok());
  // The terms 1/h to 254/h were all replaced at kStart, and a key takes an hour to reset.
  EXPECT_FALSE(limit.Change(PerHour(300), kStart + kHour).ok());
  ASSERT_TRUE(limit.Change(PerHour(300), kStart + kHour + Nanos{1}).ok());
  EXPECT_EQ(limit.current().id, 1);
  EXPECT_EQ(limit.ById(1)->limit, PerHour(300));
  EXPECT_EQ(limit.ById(255)->limit, PerHour(255));
}

TEST(RegisteredLimitTest, CountsTheSpanFromTheLastReplacement) {
  RegisteredLimit limit = Make();
  for (int i = 1; i <= 255; ++i) ASSERT_TRUE(limit.Change(PerHour(i), kStart).ok());
  const Time later = kStart + kHour + Nanos{1};
  ASSERT_TRUE(limit.Change(PerHour(1), kStart).ok());
  ASSERT_TRUE(limit.Change(PerHour(2), later).ok());  // 1/h is replaced only now
  ASSERT_TRUE(limit.Change(PerHour(300), later).ok());
  EXPECT_NE(limit.current().id, 1);
  EXPECT_NE(limit.current().id, 2);
  EXPECT_EQ(limit.ById(1)->limit, PerHour(1));
}

TEST(RegisteredLimitTest, KeepsTheIdOfTheCurrentTerms) {
  RegisteredLimit limit = Make();
  ASSERT_TRUE(limit.Change(PerHour(1), kStart).ok());
  for (int i = 2; i <= 255; ++i) ASSERT_TRUE(limit.Change(PerHour(i), kStart).ok());
  const std::uint8_t current = limit.current().id;
  const Time later = kStart + kYear;
  ASSERT_TRUE(limit.Change(PerHour(300), later).ok());
  EXPECT_NE(limit.current().id, current);
  EXPECT_EQ(limit.ById(current)->limit, PerHour(255));
}

TEST(RegisteredLimitTest, RejectsChangeOfAlgorithm) {
  RegisteredLimit limit = Make();
  ASSERT_TRUE(limit.Change(PerHour(1), kStart).ok());
  const Result<Done> refused =
      limit.Change(MustMake(SpecOf(1, kHour, Algorithm::kSlidingLog)), kStart);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "limit 'posts' cannot change its algorithm; add a limit of another name instead");
}

TEST(RegisteredLimitTest, HashDependsOnNameAndAlgorithm) {
  const std::set<std::uint64_t> hashes{Make("a").Hash("key"), Make("b").Hash("key"),
                                       Make("a", Algorithm::kPacer).Hash("key"),
                                       Make("akey").Hash(""), Make("").Hash("akey")};
  EXPECT_EQ(hashes.size(), 5U);
}

TEST(RegisteredLimitTest, ChoosesTheShapeThatTheStateNeeds) {
  LimitSpec interval = SpecOf(10, kHour);
  interval.refill = Refill::kInterval;
  LimitSpec warm = SpecOf(10, kSecond, Algorithm::kPacer);
  warm.warm_up = kSecond;
  LimitSpec permits;
  permits.algorithm = Algorithm::kConcurrency;
  permits.max_in_flight = 10;
  EXPECT_EQ(ShapeOf(SpecOf(10, kHour)), Shape::kNarrow);
  EXPECT_EQ(ShapeOf(SpecOf(10, kHour, Algorithm::kLeakyBucket)), Shape::kNarrow);
  EXPECT_EQ(ShapeOf(SpecOf(1, kYear)), Shape::kNarrow);
  EXPECT_EQ(ShapeOf(SpecOf(1, kYear + Nanos{1})), Shape::kPair) << "above a year";
  EXPECT_EQ(ShapeOf(SpecOf(256, Nanos{25'700})), Shape::kNarrow);
  EXPECT_EQ(ShapeOf(SpecOf(1'000'003, kSecond / 100)), Shape::kPair) << "finer than 1/256 ns";
  EXPECT_EQ(ShapeOf(interval), Shape::kPair);
  EXPECT_EQ(ShapeOf(SpecOf(10, kHour, Algorithm::kFixedWindow)), Shape::kPair);
  EXPECT_EQ(ShapeOf(SpecOf(16'383, kHour, Algorithm::kSlidingWindow)), Shape::kNarrow);
  EXPECT_EQ(ShapeOf(SpecOf(16'384, kHour, Algorithm::kSlidingWindow)), Shape::kPair);
  EXPECT_EQ(ShapeOf(SpecOf(10, Nanos{(1 << 20) - 1}, Algorithm::kSlidingWindow)), Shape::kPair);
  EXPECT_EQ(ShapeOf(SpecOf(10, Nanos{1 << 20}, Algorithm::kSlidingWindow)), Shape::kNarrow);
  EXPECT_EQ(ShapeOf(SpecOf(10, kYear / 2 - kSecond, Algorithm::kSlidingWindow)), Shape::kNarrow);
  EXPECT_EQ(ShapeOf(SpecOf(10, kYear, Algorithm::kSlidingWindow)), Shape::kPair);
  EXPECT_EQ(ShapeOf(SpecOf(UINT32_MAX, kHour, Algorithm::kSlidingWindow)), Shape::kPair);
  EXPECT_EQ(ShapeOf(SpecOf(UINT32_MAX + std::int64_t{1}, kHour, Algorithm::kSlidingWindow)),
            Shape::kTriple);
  EXPECT_EQ(ShapeOf(SpecOf(10, kSecond, Algorithm::kPacer)), Shape::kPair);
  EXPECT_EQ(ShapeOf(warm), Shape::kTriple);
  EXPECT_EQ(ShapeOf(SpecOf(10, kHour, Algorithm::kSlidingLog)), Shape::kBlock);
  EXPECT_EQ(ShapeOf(SpecOf(10, kHour, Algorithm::kSlidingBuckets)), Shape::kBlock);
  EXPECT_EQ(ShapeOf(permits), Shape::kBlock);
}

TEST(RegisteredLimitTest, RemembersOtherShapes) {
  RegisteredLimit limit = Make();
  ASSERT_TRUE(limit.Change(PerHour(1), kStart).ok());
  EXPECT_FALSE(limit.HasOtherShapes(Shape::kNarrow));
  ASSERT_TRUE(limit.Change(MustMake(SpecOf(1, 2 * kYear)), kStart).ok());
  EXPECT_TRUE(limit.HasOtherShapes(Shape::kNarrow));
  EXPECT_TRUE(limit.HasOtherShapes(Shape::kPair));
}

TEST(RegisteredLimitTest, RestoresTermsUnderTheirIds) {
  RegisteredLimit limit = Make();
  limit.RestoreTerms(PerHour(5), 9, kStart);
  limit.RestoreTerms(PerHour(6), 2, kStart);
  ASSERT_TRUE(limit.Change(PerHour(5), kStart).ok());
  EXPECT_EQ(limit.current().id, 9);
  ASSERT_TRUE(limit.Change(PerHour(7), kStart).ok());
  EXPECT_EQ(limit.current().id, 1);
  ASSERT_TRUE(limit.Change(PerHour(8), kStart).ok());
  EXPECT_EQ(limit.current().id, 3) << "2 still names 6/h";
}

// FreeId relies on this for every kind of limit: after its span no state is in use.
TEST(RegisteredLimitTest, NoStateIsInUseLongerThanItsSpan) {
  std::vector<Kind> kinds = RateKinds();
  for (const Kind kind : kinds) {
    ForEachSeed(60, [kind](Random& random) {
      const LimitSpec spec = RandomLimit(kind, random);
      const PreparedTerms terms = PreparedTerms::For(MustMake(spec), 1);
      CoreState state(terms.limit.terms);
      Time now = kStart;
      for (int i = 0; i < 10; ++i) {
        const Decision report = state.Peek(Cost{0}, now);
        const std::int64_t max = report.remaining == kNoUnits ? 5 : report.remaining;
        state.Check(Cost{random.OneIn(2) ? max : random.Between(0, max)}, now);
        EXPECT_LE(state.UnusedFrom() - now, terms.span) << ToText(spec);
        now += Nanos{random.Spread(0, terms.span.count() / 4)};
        if (now > kLatestTime - kLongestSpan) return;
      }
    });
  }
}

// As above, for slots that round the time up.
TEST(RegisteredLimitTest, NoNarrowWindowIsInUseLongerThanItsSpan) {
  ForEachSeed(200, [](Random& random) {
    const Nanos period{random.Between(NarrowPacking::kCoarse.count(), kHour.count())};
    const PreparedTerms terms =
        PreparedTerms::For(MustMake(SpecOf(10, period, Algorithm::kSlidingWindow)), 1);
    ASSERT_EQ(terms.shape, Shape::kNarrow);
    const auto& window = std::get<SlidingWindow>(terms.limit.terms);
    const NarrowPacking packing{kStart};
    // The first instant of a window, whose charges stay in use the longest.
    const Time now = AlignedStart(kStart, period) + period * random.Between(1, 100);
    SlidingWindow::State state;
    ASSERT_TRUE(Check(window, state, Cost{1}, now).allowed);
    Slot<1> slot;
    SaveWindow(packing, window, state, slot);
    EXPECT_EQ(LoadWindow(packing, window, slot), state);
    const auto span = static_cast<std::uint64_t>((now + terms.span - packing.epoch).count());
    EXPECT_LE(slot.words[0], span << 8U);
  });
}

}  // namespace
}  // namespace sluice::testing
