#include "store/overflow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "store/pages.h"
#include "support/core_state.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "support/trace.h"

namespace sluice::testing {
namespace {

constexpr std::uint32_t kLimit = 3;
constexpr Time kStart{Nanos{1'700'000'000'123'456'789}};
constexpr Nanos kHour{std::int64_t{3600} * 1'000'000'000};

// Shared states with memory of their own.
struct Shared {
  explicit Shared(std::size_t bytes = 4096) : memory(bytes) { states.Init(memory.data(), bytes); }

  std::vector<std::byte> memory;
  Overflow states;
};

LimitSpec PerHour(std::int64_t count, Algorithm algorithm = Algorithm::kTokenBucket) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = Rate{count, kHour};
  return spec;
}

OverflowTerms TermsOf(const LimitSpec& spec) { return OverflowTerms::For(MustMake(spec).terms); }

class OverflowKindTest : public ::testing::TestWithParam<Kind> {};

// Runs a random trace of checks on one key and passes every decision to body(stage).
struct Stage {
  explicit Stage(Random& random)
      : spec(RandomLimit(GetKind(), random)), limit(MustMake(spec)), terms(TermsOf(spec)) {}
  static Kind GetKind() { return OverflowKindTest::GetParam(); }

  [[nodiscard]] Decision Peek(std::int64_t units, Time at) const {
    return shared.states.Peek(kLimit, terms, hash, Cost{units}, at);
  }
  [[nodiscard]] std::string Text() const {
    return ToText(spec) + "\n  cost " + std::to_string(cost.units) + " at " +
           std::to_string(now.time_since_epoch().count()) + " -> " + ToText(last);
  }

  Shared shared;
  LimitSpec spec;
  Limit limit;
  OverflowTerms terms;
  std::uint64_t hash = 0x1234567890abcdefU;
  Time now{};
  Cost cost{};
  Decision before;  // the peek just before
  Decision last;
};

template <typename Body>
void ForEachCheck(int cases, Body body) {
  ForEachSeed(cases, [&](Random& random) {
    Stage stage(random);
    TraceMaker maker(stage.spec, ZoneOf(stage.spec), random);
    stage.now = maker.start();
    stage.hash = random.Bits();
    stage.last = stage.Peek(0, stage.now);
    body(stage, true);
    for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) {
      const Step step = maker.Next(stage.last);
      stage.now = std::max(stage.now, step.at);
      // Single units, too, because they fill a window one by one.
      stage.cost = random.OneIn(2) ? Cost{1} : step.cost;
      stage.before = stage.Peek(stage.cost.units, stage.now);
      stage.last =
          stage.shared.states.Check(kLimit, stage.terms, stage.hash, stage.cost, stage.now);
      SCOPED_TRACE(stage.Text());
      body(stage, false);
    }
  });
}

// Invariant (1): whatever a shared state admits, the limit itself would have admitted without a
// wait.
TEST_P(OverflowKindTest, IsNeverMoreLenientThanTheLimit) {
  std::vector<CoreState> own;
  int admitted = 0;
  ForEachCheck(150, [&](Stage& stage, bool first) {
    if (first) own.assign(1, CoreState(stage.limit.terms, Stagger{stage.hash}));
    if (first || !stage.last.allowed || stage.cost.units == 0) return;
    const Decision core = own.front().Check(stage.cost, stage.now);
    EXPECT_TRUE(core.allowed) << ToText(core);
    EXPECT_EQ(core.wait, Nanos{0});
    ++admitted;
  });
  EXPECT_GT(admitted, 100);
}

// Invariant (2): a key may leave its cell only once it is as if never used.
TEST_P(OverflowKindTest, BindsAKeyUntilItIsAsIfUnused) {
  std::vector<CoreState> own;
  int left = 0;
  ForEachCheck(150, [&](Stage& stage, bool first) {
    if (first) own.assign(1, CoreState(stage.limit.terms, Stagger{stage.hash}));
    if (first || !stage.last.allowed || stage.cost.units == 0) return;
    own.front().Check(stage.cost, stage.now);
    EXPECT_TRUE(stage.shared.states.Binds(kLimit, stage.terms, stage.hash, stage.now));
    EXPECT_TRUE(stage.shared.states.active(stage.now));
    // The last instant at which the core still sees the key as used.
    const Time used = own.front().UnusedFrom() - Nanos{1};
    if (used < stage.now || used > kLatestTime) return;
    EXPECT_TRUE(stage.shared.states.Binds(kLimit, stage.terms, stage.hash, used));
    EXPECT_TRUE(stage.shared.states.active(used));
    ++left;
  });
  EXPECT_GT(left, 50);
}

TEST_P(OverflowKindTest, RetryAfterIsExactToTheNanosecond) {
  ForEachCheck(150, [](Stage& stage, bool first) {
    const Nanos wait = stage.last.retry_after;
    if (first || stage.last.allowed || wait == kNever || wait > kLatestTime - stage.now) return;
    EXPECT_TRUE(stage.Peek(stage.cost.units, stage.now + wait).allowed);
    EXPECT_FALSE(stage.Peek(stage.cost.units, stage.now + wait - Nanos{1}).allowed);
  });
}

TEST_P(OverflowKindTest, RemainingIsExactAndTimesAreBounded) {
  ForEachCheck(150, [](Stage& stage, bool first) {
    if (first) return;
    // Adding the durations of a decision to a time must not overflow.
    EXPECT_LE(stage.last.reset_after, kLongestSpan + kLongestSpan / 100);
    const std::int64_t remaining = stage.last.remaining;
    EXPECT_TRUE(stage.Peek(remaining, stage.now).allowed);
    EXPECT_FALSE(stage.Peek(remaining + 1, stage.now).allowed);
  });
}

TEST_P(OverflowKindTest, UnusedCellAdmitsExactlyItsLimit) {
  ForEachCheck(150, [](Stage& stage, bool first) {
    if (!first) return;
    EXPECT_EQ(stage.last.remaining, stage.last.limit);
    EXPECT_EQ(stage.last.reset_after, Nanos{0});
    EXPECT_TRUE(stage.Peek(stage.last.limit, stage.now).allowed);
    const Decision more = stage.Peek(stage.last.limit + 1, stage.now);
    EXPECT_FALSE(more.allowed);
    EXPECT_EQ(more.retry_after, kNever);
    // Something passes, unless the limit admits nothing or permits would need ids.
    const bool blocks = stage.spec.rate && stage.spec.rate->count == 0;
    EXPECT_EQ(stage.last.limit == 0, blocks) << ToText(stage.spec);
  });
}

TEST_P(OverflowKindTest, CheckAgreesWithPeek) {
  ForEachCheck(100, [](Stage& stage, bool first) {
    if (first) return;
    EXPECT_EQ(stage.before.allowed, stage.last.allowed);
    EXPECT_EQ(stage.before.retry_after, stage.last.retry_after);
    EXPECT_EQ(stage.last.source, Source::kOverflow);
    EXPECT_EQ(stage.before.source, Source::kOverflow);
    if (stage.last.allowed && stage.cost.units > 0) return;
    EXPECT_EQ(stage.before, stage.last);
  });
}

TEST_P(OverflowKindTest, UnusedAfterResetAfter) {
  ForEachCheck(100, [](Stage& stage, bool first) {
    const Nanos reset_after = stage.last.reset_after;
    if (first || reset_after > kLatestTime - stage.now) return;
    EXPECT_EQ(stage.Peek(0, stage.now + reset_after).remaining, stage.last.limit);
    EXPECT_EQ(stage.Peek(0, stage.now + reset_after).reset_after, Nanos{0});
    if (reset_after == Nanos{0}) return;
    EXPECT_EQ(stage.Peek(0, stage.now + reset_after - Nanos{1}).reset_after, Nanos{1});
  });
}

// Whether a cell can hold a debt. For windows a debt only fills the window.
bool Fits(const Stage& stage, Cost cost) {
  if (stage.terms.furthest == stage.terms.depth + stage.terms.hold) return true;
  const Wide held = stage.Peek(0, stage.now).reset_after.count();
  const Wide after = held + Wide{cost.units} * static_cast<Wide>(stage.terms.unit_ns);
  return after >> stage.terms.grain_shift < stage.terms.furthest;
}

// A debt that the cell can hold lasts at least as long as in the limit itself.
TEST_P(OverflowKindTest, IsNeverMoreLenientThanTheLimitAfterADebt) {
  std::vector<CoreState> own;
  Random costs{1};
  int in_debt = 0;
  int admitted = 0;
  ForEachCheck(150, [&](Stage& stage, bool first) {
    if (first) own.assign(1, CoreState(stage.limit.terms, Stagger{stage.hash}));
    if (!first && stage.last.allowed && stage.cost.units > 0) {
      const Decision core = own.front().Check(stage.cost, stage.now);
      EXPECT_TRUE(core.allowed && core.wait == Nanos{0}) << ToText(core);
      ++admitted;
    }
    if (!costs.OneIn(8) || stage.terms.limit == 0) return;
    const Cost cost{costs.Spread(1, 3 * stage.terms.limit)};
    if (!Fits(stage, cost)) return;
    const Decision debt =
        stage.shared.states.TakeDebt(kLimit, stage.terms, stage.hash, cost, stage.now);
    own.front().TakeDebt(cost, stage.now);
    EXPECT_TRUE(debt.allowed);
    EXPECT_EQ(debt, stage.Peek(0, stage.now)) << ToText(debt);
    EXPECT_TRUE(stage.shared.states.Binds(kLimit, stage.terms, stage.hash, stage.now));
    EXPECT_LE(debt.reset_after, kLongestSpan + kLongestSpan / 100);
    const Decision one = stage.Peek(1, stage.now);
    if (one.allowed || one.retry_after > kLatestTime - stage.now) return;
    EXPECT_TRUE(stage.Peek(1, stage.now + one.retry_after).allowed);
    EXPECT_FALSE(stage.Peek(1, stage.now + one.retry_after - Nanos{1}).allowed);
    ++in_debt;
  });
  EXPECT_GT(in_debt, 100);
  EXPECT_GT(admitted, 100);
}

INSTANTIATE_TEST_SUITE_P(Overflow, OverflowKindTest, ::testing::ValuesIn(RateKinds()),
                         [](const auto& kind) { return NameOf(kind.param); });

TEST(OverflowTest, FitsABurstOfSingleUnitsExactly) {
  for (const std::int64_t burst : {1, 2, 3, 10, 999, 5000}) {
    Shared shared;
    const OverflowTerms terms = TermsOf(PerHour(burst));
    EXPECT_EQ(terms.limit, burst);
    for (std::int64_t i = 0; i < burst; ++i) {
      ASSERT_TRUE(shared.states.Check(kLimit, terms, 7, Cost{1}, kStart).allowed) << i;
    }
    EXPECT_FALSE(shared.states.Check(kLimit, terms, 7, Cost{1}, kStart).allowed);
  }
}

// Keys of one cell share its units.
TEST(OverflowTest, KeysOfOneCellShareItsUnits) {
  Shared shared(4);  // one cell
  const OverflowTerms terms = TermsOf(PerHour(10));
  for (std::uint64_t key = 0; key < 10; ++key) {
    EXPECT_TRUE(shared.states.Check(kLimit, terms, key << 40U, Cost{1}, kStart).allowed);
  }
  EXPECT_FALSE(shared.states.Check(kLimit, terms, 99, Cost{1}, kStart).allowed);
}

TEST(OverflowTest, SpreadsKeysOverTheCells) {
  Shared shared(1 << 16U);
  Random random{1};
  const OverflowTerms terms = TermsOf(PerHour(1));
  int passed = 0;
  for (int i = 0; i < 1000; ++i) {
    passed += shared.states.Check(kLimit, terms, random.Bits(), Cost{1}, kStart).allowed ? 1 : 0;
  }
  // 12,288 cells: about 40 keys share a cell that is taken.
  EXPECT_GT(passed, 920);
  EXPECT_LT(passed, 1000);
}

TEST(OverflowTest, RefusesPermits) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = 10;
  Shared shared;
  const OverflowTerms terms = TermsOf(spec);
  const Decision decision = shared.states.Check(kLimit, terms, 7, Cost{1}, kStart);
  EXPECT_FALSE(decision.allowed);
  EXPECT_FALSE(shared.states.Binds(kLimit, terms, 7, kStart));
}

// Invariant (3). The key used all of 4/h; under 400/h it would get all of it back within half a
// minute.
TEST(OverflowTest, ChangedTermsGiveNoSecondAllowance) {
  Shared shared;
  const OverflowTerms before = TermsOf(PerHour(4));
  const OverflowTerms after = TermsOf(PerHour(400));
  ASSERT_TRUE(shared.states.Check(kLimit, before, 7, Cost{4}, kStart).allowed);
  EXPECT_FALSE(shared.states.Check(kLimit, after, 7, Cost{1}, kStart).allowed);
  const Time soon = kStart + kHour / 8;
  EXPECT_FALSE(shared.states.Check(kLimit, after, 7, Cost{1}, soon).allowed);
  EXPECT_TRUE(shared.states.Binds(kLimit, after, 7, soon));
  // Once nothing binds any more, the new terms apply.
  const Time later = kStart + 3 * kHour;
  EXPECT_FALSE(shared.states.Binds(kLimit, after, 7, later));
  EXPECT_TRUE(shared.states.Check(kLimit, after, 7, Cost{400}, later).allowed);
}

TEST(OverflowTest, GivesEveryLimitItsOwnCells) {
  Shared shared;
  const OverflowTerms terms = TermsOf(PerHour(1));
  EXPECT_EQ(shared.states.Bytes(), 0U);
  EXPECT_TRUE(shared.states.Check(1, terms, 7, Cost{1}, kStart).allowed);
  EXPECT_GE(shared.states.Bytes(), 4096U * 7 / 10);
  EXPECT_TRUE(shared.states.Check(2, terms, 7, Cost{1}, kStart).allowed);
  EXPECT_FALSE(shared.states.Check(1, terms, 7, Cost{1}, kStart).allowed);
  EXPECT_FALSE(shared.states.Check(2, terms, 7, Cost{1}, kStart).allowed);
  EXPECT_LE(shared.states.Bytes(), 4096U);
}

TEST(OverflowTest, PeekAndCheckRefuseWithoutCells) {
  Shared shared(1024);
  const OverflowTerms terms = TermsOf(PerHour(5));
  int refused = 0;
  for (std::uint32_t limit = 0; limit < 20; ++limit) {
    const bool peek = shared.states.Peek(limit, terms, 7, Cost{1}, kStart).allowed;
    const Decision check = shared.states.Check(limit, terms, 7, Cost{1}, kStart);
    EXPECT_EQ(peek, check.allowed) << limit;
    refused += check.allowed ? 0 : 1;
    EXPECT_TRUE(check.allowed || check.remaining == 0);
  }
  EXPECT_GT(refused, 0);
  EXPECT_LE(shared.states.Bytes(), 1024U);
}

// SameCell knows whether two keys share a cell before the first of them is charged.
TEST(OverflowTest, SameCellFindsKeysThatShareACell) {
  ForEachSeed(20, [](Random& random) {
    Shared shared(256);
    const OverflowTerms terms = TermsOf(PerHour(1));
    const std::uint64_t key = random.Bits();
    std::vector<std::uint64_t> others;
    std::vector<bool> same;
    for (int i = 0; i < 200; ++i) {
      others.push_back(random.Bits());
      same.push_back(shared.states.SameCell(kLimit, key, others.back()));
    }
    ASSERT_TRUE(shared.states.Check(kLimit, terms, key, Cost{1}, kStart).allowed);
    for (std::size_t i = 0; i < others.size(); ++i) {
      const bool taken = !shared.states.Peek(kLimit, terms, others[i], Cost{1}, kStart).allowed;
      EXPECT_EQ(taken, same[i]);
      EXPECT_EQ(shared.states.SameCell(kLimit, key, others[i]), same[i]);
    }
    EXPECT_GT(std::count(same.begin(), same.end(), true), 0);
  });
}

TEST(OverflowTest, DebtBindsKeysUntilItIsPaid) {
  Shared shared;
  const OverflowTerms terms = TermsOf(PerHour(4));
  const Decision debt = shared.states.TakeDebt(kLimit, terms, 7, Cost{40}, kStart);
  EXPECT_EQ(debt.remaining, 0);
  EXPECT_EQ(debt.source, Source::kOverflow);
  const Nanos unit{static_cast<std::int64_t>(terms.unit_ns)};
  EXPECT_GE(debt.reset_after, 40 * unit - unit);
  EXPECT_LE(debt.reset_after, 40 * unit);
  for (int i = 0; i <= 35; ++i) {
    const Time at = kStart + i * unit;
    EXPECT_EQ(shared.states.Peek(kLimit, terms, 7, Cost{1}, at).remaining, 0) << i;
    EXPECT_TRUE(shared.states.Binds(kLimit, terms, 7, at)) << i;
    EXPECT_TRUE(shared.states.active(at)) << i;
  }
  EXPECT_EQ(shared.states.Peek(kLimit, terms, 7, Cost{1}, kStart + 38 * unit).remaining, 2);
  EXPECT_EQ(shared.states.Peek(kLimit, terms, 7, Cost{1}, kStart + 41 * unit).remaining, 4);
}

TEST(OverflowTest, CapsDebtAtTheReachOfACell) {
  Shared shared;
  const OverflowTerms bucket = TermsOf(PerHour(4));
  const Nanos depth = 4 * Nanos{static_cast<std::int64_t>(bucket.unit_ns)};
  for (int i = 0; i < 3; ++i) {
    const Decision debt = shared.states.TakeDebt(kLimit, bucket, 7, Cost{INT64_MAX}, kStart);
    EXPECT_GE(debt.reset_after, 15 * depth);
    EXPECT_LE(debt.reset_after, 40 * depth);
    EXPECT_EQ(shared.states.Peek(kLimit, bucket, 7, Cost{0}, kStart), debt);
  }
  // A window's debt ends with it: after a period only the refill time is left.
  const OverflowTerms window = TermsOf(PerHour(4, Algorithm::kFixedWindow));
  const Decision filled = shared.states.TakeDebt(9, window, 7, Cost{INT64_MAX}, kStart);
  const Decision one = shared.states.Peek(9, window, 7, Cost{1}, kStart);
  EXPECT_GE(one.retry_after, kHour);
  EXPECT_LE(one.retry_after, kHour + kHour / 2);
  EXPECT_LE(filled.reset_after, 3 * kHour);
}

// A cell that is ahead of the time only because 32 bits wrapped around is not taken for a debt.
TEST(OverflowTest, OldCellIsNoDebt) {
  Shared shared;
  const OverflowTerms terms = TermsOf(PerHour(4));
  const Nanos half_wrap{std::int64_t{1} << (31 + terms.grain_shift)};
  ASSERT_TRUE(shared.states.Check(kLimit, terms, 7, Cost{4}, kStart).allowed);
  // Other cells keep the array in use meanwhile.
  Random random{1};
  const Time later = kStart + 2 * half_wrap - 10 * kHour;
  for (Time at = kStart; at < later; at += kHour / 2) {
    std::uint64_t other = random.Bits();
    while (shared.states.SameCell(kLimit, 7, other)) other = random.Bits();
    shared.states.Check(kLimit, terms, other, Cost{4}, at);
  }
  EXPECT_EQ(shared.states.Peek(kLimit, terms, 7, Cost{1}, later).remaining, 4);
}

TEST(OverflowTest, DropsDebtWithoutCells) {
  Shared shared(1024);
  const OverflowTerms terms = TermsOf(PerHour(5));
  int lost = 0;
  for (std::uint32_t limit = 0; limit < 20; ++limit) {
    const Decision debt = shared.states.TakeDebt(limit, terms, 7, Cost{8}, kStart);
    EXPECT_TRUE(debt.allowed);
    EXPECT_EQ(debt.remaining, 0);
    lost += debt.reset_after == Nanos{0} ? 1 : 0;
  }
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost, 20);
  EXPECT_LE(shared.states.Bytes(), 1024U);
}

TEST(OverflowTest, ReturnsMemoryOnlyOnceNoCellBinds) {
  auto pages = Pages::Reserve(16 * kPageBytes);
  ASSERT_TRUE(pages.ok());
  Overflow states;
  states.Init(pages.value().data(), 16 * kPageBytes);
  const OverflowTerms terms = TermsOf(PerHour(4));
  ASSERT_TRUE(states.Check(kLimit, terms, 7, Cost{4}, kStart).allowed);
  states.GiveBack(kStart + kHour / 2);
  EXPECT_GT(states.Bytes(), 0U);
  EXPECT_EQ(states.Peek(kLimit, terms, 7, Cost{1}, kStart + kHour / 2).remaining, 1);
  states.GiveBack(kStart + 2 * kHour);
  EXPECT_EQ(states.Bytes(), 0U);
  EXPECT_FALSE(states.Binds(kLimit, terms, 7, kStart + 2 * kHour));
  EXPECT_TRUE(states.Check(kLimit, terms, 7, Cost{4}, kStart + 2 * kHour).allowed);
  EXPECT_FALSE(states.Check(kLimit, terms, 7, Cost{1}, kStart + 2 * kHour).allowed);
}

// The 32 bits of a cell wrap around; an old cell may then seem in use, but never the other way
// round.
TEST(OverflowTest, SeesCellInUseAcrossAClockWrap) {
  const OverflowTerms terms = TermsOf(PerHour(10));
  const std::uint64_t wrap_ns = std::uint64_t{1} << (32 + terms.grain_shift);
  const auto start = static_cast<std::uint64_t>(kStart.time_since_epoch().count());
  const std::uint64_t edge_ns = (start / wrap_ns + 1) * wrap_ns;
  const Time edge{Nanos{static_cast<std::int64_t>(edge_ns)}};
  for (const Nanos before : {kHour, kHour / 2, kHour / 100, Nanos{1}, Nanos{0}}) {
    Shared shared;
    ASSERT_TRUE(shared.states.Check(kLimit, terms, 7, Cost{10}, edge - before).allowed);
    for (int i = 0; i < 10; ++i) {
      const Time at = edge - before + kHour / 10 * i;
      EXPECT_EQ(shared.states.Peek(kLimit, terms, 7, Cost{1}, at).remaining, std::max(0, i - 1));
      EXPECT_TRUE(shared.states.Binds(kLimit, terms, 7, at));
    }
  }
}

// A cell of 0 means unused, so a charge must never leave 0, whatever the clock is.
TEST(OverflowTest, ChargedCellIsNeverZero) {
  const OverflowTerms terms = TermsOf(PerHour(10));
  const std::uint64_t grain_ns = std::uint64_t{1} << terms.grain_shift;
  const auto start = static_cast<std::uint64_t>(kStart.time_since_epoch().count());
  const std::uint64_t wrap = (start / grain_ns >> 32U) + 1;
  for (const std::int64_t cost : {1, 3, 10}) {
    const std::uint64_t units_ns = terms.unit_ns * static_cast<std::uint64_t>(cost);
    const std::uint64_t grains = (units_ns + grain_ns - 1) / grain_ns;
    const Time now{Nanos{static_cast<std::int64_t>(((wrap << 32U) - grains) * grain_ns)}};
    Shared shared;
    ASSERT_TRUE(shared.states.Check(kLimit, terms, 7, Cost{cost}, now).allowed);
    EXPECT_TRUE(shared.states.Binds(kLimit, terms, 7, now)) << cost;
    EXPECT_LE(shared.states.Peek(kLimit, terms, 7, Cost{0}, now).remaining, 10 - cost) << cost;
    EXPECT_FALSE(shared.states.Check(kLimit, terms, 7, Cost{10}, now).allowed) << cost;
  }
}

}  // namespace
}  // namespace sluice::testing
