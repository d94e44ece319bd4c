// Tests new terms for a key in use: used units stay used, and no key gets a second burst.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/limit/limit.h"
#include "support/core_state.h"
#include "support/oracle_models.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "support/trace.h"

namespace sluice::testing {
namespace {

Time RandomTime(Random& random) { return Time{Nanos{random.Spread(0, 3'000'000'000'000'000'000)}}; }

// Two valid specs of one kind each, and their limits.
struct Pair {
  LimitSpec from;
  LimitSpec to;
  Limit old_limit;
  Limit new_limit;
};

Pair RandomPair(Kind old_kind, Kind new_kind, Random& random) {
  Pair pair;
  pair.from = RandomLimit(old_kind, random);
  pair.to = RandomLimit(new_kind, random);
  // Small changes are the usual ones. Equal terms with another count show the rounding.
  if (old_kind == new_kind && random.OneIn(3)) {
    pair.to = pair.from;
    if (random.OneIn(2)) pair.to.burst.reset();
    if (random.OneIn(2)) {
      pair.to.rate->count = std::max<std::int64_t>(1, pair.from.rate->count / 2);
      pair.to.burst.reset();
    }
    pair.to.delay_after.reset();
    pair.to.max_wait.reset();
  }
  pair.old_limit = MustMake(pair.from);
  pair.new_limit = MustMake(pair.to);
  return pair;
}

class ChangeTest : public ::testing::TestWithParam<Kind> {};
// Changes that are also tested for pacers.
class AnyChangeTest : public ::testing::TestWithParam<Kind> {};
// Limits that count units and can go below zero.
class DebtChangeTest : public ::testing::TestWithParam<Kind> {};
// Limits whose change to the same terms is exact. Excludes sliding buckets, which are charged anew
// in the current part, and the warm-up pacer, whose store is scaled in floating point.
class ExactChangeTest : public ::testing::TestWithParam<Kind> {};

// "A key that had used 2 of 2/h has 2 left of 4/h", tested at the instant of the use.
TEST_P(ChangeTest, CarriesUsedUnitsOver) {
  ForEachSeed(400, [](Random& random) {
    const Pair pair = RandomPair(GetParam(), GetParam(), random);
    if (::testing::Test::HasFailure()) return;
    CoreState state(pair.old_limit.terms, Stagger{random.Bits()});
    const Time now = RandomTime(random);
    const Decision first = state.Peek(Cost{0}, now);
    const std::int64_t used = random.Spread(0, first.limit);
    if (!state.Check(Cost{used}, now).allowed) return;
    state.Change(pair.new_limit.terms, now);
    const Decision left = state.Peek(Cost{0}, now);
    const std::int64_t want = std::max<std::int64_t>(0, left.limit - used);
    EXPECT_LE(left.remaining, want) << ToText(pair.from) << " -> " << ToText(pair.to);
    // With these options something other than units may hold requests back.
    if (pair.to.min_gap || (GetParam() == Kind::kLeakyBucket && pair.to.max_wait)) return;
    EXPECT_EQ(left.remaining, want) << ToText(pair.from) << " -> " << ToText(pair.to) << " used "
                                    << used << " at " << now.time_since_epoch().count() << "\n"
                                    << ToText(left);
  });
}

// Units owed beyond the burst are owed in full under the new terms too. The rest is cut to what
// those can hold.
TEST_P(DebtChangeTest, CarriesDebtOverInFull) {
  ForEachSeed(400, [](Random& random) {
    Pair pair = RandomPair(GetParam(), GetParam(), random);
    pair.from.max_wait.reset();
    pair.to.max_wait.reset();
    pair.to.aligned = pair.from.aligned;  // refills that are due stay due
    pair.old_limit = MustMake(pair.from);
    pair.new_limit = MustMake(pair.to);
    if (::testing::Test::HasFailure()) return;
    CoreState state(pair.old_limit.terms);
    CoreState fresh(pair.new_limit.terms);
    const Time now = RandomTime(random);
    const std::int64_t min =
        std::min(state.Peek(Cost{0}, now).limit, fresh.Peek(Cost{0}, now).limit);
    const std::int64_t owed = random.Spread(1, 1'000'000'000);
    state.TakeDebt(Cost{state.Peek(Cost{0}, now).limit}, now);
    // Near the bound of the old terms a part of the debt was not taken. Refills come once per
    // period.
    const Decision full = state.TakeDebt(Cost{owed}, now);
    if (full.reset_after.count() >= kDebtYear - pair.from.rate->period.count()) return;
    state.Change(pair.new_limit.terms, now);
    fresh.TakeDebt(Cost{min + owed}, now);
    SCOPED_TRACE(ToText(pair.from) + " -> " + ToText(pair.to) + " owed " + std::to_string(owed));
    ExpectSameFuture(pair.to, state, fresh, now, random);
  });
}

TEST_P(AnyChangeTest, KeepsUnusedKeyUnused) {
  ForEachSeed(100, [](Random& random) {
    const Pair pair = RandomPair(GetParam(), GetParam(), random);
    if (::testing::Test::HasFailure()) return;
    const Stagger stagger{random.Bits()};
    CoreState state(pair.old_limit.terms, stagger);
    const CoreState unused(pair.new_limit.terms, stagger);
    Time now = RandomTime(random);
    if (random.OneIn(2)) now += state.Check(Cost{1}, now).reset_after;
    state.Change(pair.new_limit.terms, now);
    ExpectSameFuture(pair.to, state, unused, now, random);
  });
}

TEST_P(ExactChangeTest, SameTermsChangeNothing) {
  ForEachSeed(200, [](Random& random) {
    const LimitSpec spec = RandomLimit(GetParam(), random);
    const Limit limit = MustMake(spec);
    if (::testing::Test::HasFailure()) return;
    CoreState state(limit.terms, Stagger{random.Bits()});
    TraceMaker maker(spec, ZoneOf(spec), random);
    Time now = maker.start();
    Decision last = state.Peek(Cost{0}, now);
    for (int i = 0; i < 10; ++i) {
      const Step step = maker.Next(last);
      now = std::max(now, step.at);
      last = Take(state, step);
      CoreState changed = state;
      changed.Change(limit.terms, now);
      ExpectSameFuture(spec, changed, state, now, random);
      if (::testing::Test::HasFailure()) return;
    }
  });
}

std::vector<Kind> KindsWithUnits() {
  std::vector<Kind> kinds = RateKinds();
  std::erase(kinds, Kind::kPacer);
  std::erase(kinds, Kind::kWarmUpPacer);
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Core, ChangeTest, ::testing::ValuesIn(KindsWithUnits()),
                         [](const auto& kind) { return NameOf(kind.param); });
std::vector<Kind> ExactKinds() {
  std::vector<Kind> kinds = RateKinds();
  std::erase(kinds, Kind::kSlidingBuckets);
  std::erase(kinds, Kind::kWarmUpPacer);
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Core, ExactChangeTest, ::testing::ValuesIn(ExactKinds()),
                         [](const auto& kind) { return NameOf(kind.param); });
INSTANTIATE_TEST_SUITE_P(Core, DebtChangeTest,
                         ::testing::Values(Kind::kTokenBucket, Kind::kIntervalRefill,
                                           Kind::kLeakyBucket),
                         [](const auto& kind) { return NameOf(kind.param); });
INSTANTIATE_TEST_SUITE_P(Core, AnyChangeTest, ::testing::ValuesIn(RateKinds()),
                         [](const auto& kind) { return NameOf(kind.param); });

// The units used at the change are a fraction. Under the new terms they are the same fraction,
// rounded up to the new tick.
TEST(TokenBucketChangeTest, CarriesUsedUnitsOverInExactProportion) {
  ForEachSeed(1000, [](Random& random) {
    const Pair pair = RandomPair(Kind::kTokenBucket, Kind::kTokenBucket, random);
    if (::testing::Test::HasFailure()) return;
    const TickScale from = ScaleOf(*pair.from.rate);
    const TickScale to = ScaleOf(*pair.to.rate);
    CoreState state(pair.old_limit.terms);
    const Time start = RandomTime(random);
    const std::int64_t used = random.Spread(1, state.Peek(Cost{0}, start).limit);
    const Nanos full = state.Check(Cost{used}, start).reset_after;
    const Nanos later{random.Between(0, full.count())};
    const Wide held = used * from.unit - Wide{later.count()} * from.ns;
    Wide product = 0;
    if (held < 0 || __builtin_mul_overflow(held, to.unit, &product)) return;
    const Wide ticks = (product + from.unit - 1) / from.unit;
    state.Change(pair.new_limit.terms, start + later);
    const Decision left = state.Peek(Cost{0}, start + later);
    const Wide depth = left.limit * to.unit;
    const Wide remaining = ticks >= depth ? 0 : (depth - ticks) / to.unit;
    EXPECT_TRUE(left.remaining == remaining) << ToText(pair.from) << " -> " << ToText(pair.to)
                                             << " used " << used << " for " << later.count() << "\n"
                                             << ToText(left);
    if (ticks > depth) return;  // more than the new terms can hold
    EXPECT_TRUE(left.reset_after.count() == (ticks + to.ns - 1) / to.ns)
        << ToText(pair.from) << " -> " << ToText(pair.to) << " used " << used << " for "
        << later.count() << "\n"
        << ToText(left);
  });
}

TEST(PacerChangeTest, CutsStoredUnitsToNewBurst) {
  ForEachSeed(500, [](Random& random) {
    Pair pair = RandomPair(Kind::kPacer, Kind::kPacer, random);
    const std::int64_t old_burst = random.Between(1, 50);
    const std::int64_t new_burst = random.Between(1, 50);
    pair.from.burst = old_burst;
    pair.to.burst = new_burst;
    pair.from.max_wait = pair.to.max_wait = std::nullopt;
    // Fifty intervals must fit the longest span.
    pair.from.rate->period = std::min(pair.from.rate->period, kLongestSpan / 100);
    pair.to.rate->period = std::min(pair.to.rate->period, kLongestSpan / 100);
    CoreState state(MustMake(pair.from).terms);
    const Limit new_limit = MustMake(pair.to);
    if (::testing::Test::HasFailure()) return;
    const Time now = RandomTime(random);
    const std::int64_t used = random.Between(1, old_burst);
    state.Check(Cost{used}, now);
    state.Change(new_limit.terms, now);
    const TickScale scale = ScaleOf(*pair.to.rate);
    const std::int64_t stored = std::min(old_burst - used, new_burst);
    const Wide missing = (new_burst - stored) * scale.unit;
    EXPECT_TRUE(state.Peek(Cost{0}, now).reset_after.count() == (missing + scale.ns - 1) / scale.ns)
        << ToText(pair.from) << " -> " << ToText(pair.to) << " used " << used << "\n"
        << ToText(state.Peek(Cost{0}, now));
  });
}

TEST(PacerChangeTest, KeepsBookedTime) {
  ForEachSeed(500, [](Random& random) {
    const Kind kind = random.Pick({Kind::kPacer, Kind::kWarmUpPacer});
    Pair pair = RandomPair(kind, kind, random);
    // The maximum wait is so long that no request is refused because of it.
    pair.from.max_wait = pair.to.max_wait = kLongestSpan / 4;
    pair.from.rate->period = std::min(pair.from.rate->period, Nanos{1'000'000'000'000});
    pair.to.rate->period = std::min(pair.to.rate->period, Nanos{1'000'000'000'000});
    pair.from.burst = pair.to.burst = std::nullopt;
    CoreState state(MustMake(pair.from).terms);
    const Limit new_limit = MustMake(pair.to);
    if (::testing::Test::HasFailure()) return;
    const Time now = RandomTime(random);
    state.Check(Cost{random.Spread(1, pair.from.rate->count)}, now);
    state.Check(Cost{random.Spread(1, pair.from.rate->count)}, now);
    const Nanos booked = state.Peek(Cost{1}, now).wait;
    state.Change(new_limit.terms, now);
    const Nanos after = state.Peek(Cost{1}, now).wait;
    // A wait is a whole number of nanoseconds, but the state it was rounded from converts in ticks.
    EXPECT_TRUE(after == booked || after == booked + Nanos{1})
        << ToText(pair.from) << " -> " << ToText(pair.to) << "\n"
        << booked.count() << " became " << after.count();
  });
}

TEST(FixedWindowChangeTest, CarriesCountBetweenKindsOfWindows) {
  ForEachSeed(600, [](Random& random) {
    const auto kind = [&] {
      return random.Pick({Kind::kAlignedWindow, Kind::kFirstRequestWindow, Kind::kCalendarWindow,
                          Kind::kStaggeredWindow});
    };
    const Pair pair = RandomPair(kind(), kind(), random);
    if (::testing::Test::HasFailure()) return;
    CoreState state(pair.old_limit.terms, Stagger{random.Bits()});
    const Time start = RandomTime(random);
    const std::int64_t used = random.Spread(0, pair.from.rate->count);
    const Decision charged = state.Check(Cost{used}, start);
    const Nanos later{random.Spread(0, std::max<std::int64_t>(1, charged.reset_after.count()))};
    const bool is_over = later >= charged.reset_after;
    state.Change(pair.new_limit.terms, start + later);
    const Decision left = state.Peek(Cost{0}, start + later);
    const std::int64_t carried = is_over ? 0 : std::min(used, pair.to.rate->count);
    EXPECT_EQ(left.remaining, pair.to.rate->count - carried)
        << ToText(pair.from) << " -> " << ToText(pair.to);
    EXPECT_EQ(left.reset_after > Nanos{0}, carried > 0);
  });
}

TEST(FixedWindowChangeTest, KeepsOpeningOfFirstRequestWindow) {
  ForEachSeed(300, [](Random& random) {
    const Pair pair = RandomPair(Kind::kFirstRequestWindow, Kind::kFirstRequestWindow, random);
    if (::testing::Test::HasFailure() || pair.from.rate->count == 0) return;
    CoreState state(pair.old_limit.terms);
    const Time start = RandomTime(random);
    state.Check(Cost{1}, start);
    const Nanos shorter = std::min(pair.from.rate->period, pair.to.rate->period);
    const Nanos later{random.Between(0, shorter.count() - 1)};
    state.Change(pair.new_limit.terms, start + later);
    const Decision left = state.Peek(Cost{0}, start + later);
    const Nanos want = pair.to.rate->count == 0 ? Nanos{0} : pair.to.rate->period - later;
    EXPECT_EQ(left.reset_after, want) << ToText(pair.from) << " -> " << ToText(pair.to);
  });
}

// Walks a greedy trace with one change in the middle. Returns the admitted charges and the time of
// the change.
std::pair<History, Wide> AdmittedAcross(const Pair& pair, Random& random) {
  CoreState state(pair.old_limit.terms);
  TraceMaker maker(random.OneIn(2) ? pair.from : pair.to, nullptr, random);
  Time now = maker.start();
  Decision last = state.Peek(Cost{0}, now);
  History admitted;
  Wide changed_at = 0;
  for (int i = 0; i < 30; ++i) {
    now = std::max(now, maker.NextTime(last));
    if (i == 15) {
      state.Change(pair.new_limit.terms, now);
      changed_at = now.time_since_epoch().count();
    }
    const Cost cost = random.OneIn(2) ? Cost{last.remaining} : maker.NextCost(last);
    last = state.Check(cost, now);
    if (last.allowed) admitted.push_back({now.time_since_epoch().count(), cost.units});
  }
  return {admitted, changed_at};
}

// Returns the units admitted from `start` to `end`, both included.
Wide UnitsFrom(const History& admitted, Wide start, Wide end) {
  Wide units = 0;
  for (const PastCharge& charge : admitted) {
    if (charge.at >= start && charge.at <= end) units += charge.units;
  }
  return units;
}

void ExpectNoSecondAllowance(Kind kind) {
  ForEachSeed(300, [&](Random& random) {
    Pair pair = RandomPair(kind, kind, random);
    pair.from.oldest = pair.to.oldest =
        kind == Kind::kSlidingBuckets ? std::optional(OldestPart::kStrict) : std::nullopt;
    pair.old_limit = MustMake(pair.from);
    pair.new_limit = MustMake(pair.to);
    if (::testing::Test::HasFailure()) return;
    const History admitted = AdmittedAcross(pair, random).first;
    const Wide shorter = std::min(pair.from.rate->period, pair.to.rate->period).count();
    const Wide larger = std::max(pair.from.rate->count, pair.to.rate->count);
    for (const PastCharge& charge : admitted) {
      const Wide units = UnitsFrom(admitted, charge.at - shorter + 1, charge.at);
      EXPECT_TRUE(units <= larger) << ToText(pair.from) << " -> " << ToText(pair.to);
    }
  });
}

TEST(SecondBurstTest, SlidingLogGetsNone) { ExpectNoSecondAllowance(Kind::kSlidingLog); }

TEST(SecondBurstTest, StrictBucketsGetNone) { ExpectNoSecondAllowance(Kind::kSlidingBuckets); }

// At most the larger burst may pass, plus the units that come back under the terms of each moment.
TEST(SecondBurstTest, TokenBucketGetsNone) {
  ForEachSeed(300, [](Random& random) {
    Pair pair = RandomPair(Kind::kTokenBucket, Kind::kTokenBucket, random);
    pair.from.max_wait.reset();
    pair.to.max_wait.reset();
    pair.old_limit = MustMake(pair.from);
    pair.new_limit = MustMake(pair.to);
    if (::testing::Test::HasFailure()) return;
    const TickScale from = ScaleOf(*pair.from.rate);
    const TickScale to = ScaleOf(*pair.to.rate);
    const auto burst = [](const LimitSpec& spec) {
      return spec.burst ? spec.burst->numerator : spec.rate->count;
    };
    const auto [admitted, changed_at] = AdmittedAcross(pair, random);
    for (const PastCharge& first : admitted) {
      for (const PastCharge& last : admitted) {
        if (first.at > changed_at || last.at < changed_at) continue;
        const Wide back = (changed_at - first.at) * from.ns / from.unit +
                          (last.at - changed_at) * to.ns / to.unit + 1;
        EXPECT_TRUE(UnitsFrom(admitted, first.at, last.at) <=
                    std::max(burst(pair.from), burst(pair.to)) + back)
            << ToText(pair.from) << " -> " << ToText(pair.to);
      }
    }
  });
}

}  // namespace
}  // namespace sluice::testing
