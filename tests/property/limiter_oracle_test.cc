// Compares the public Limiter with the oracle. Many limits and keys share one limiter and its
// clock, and the same traces go through its single, batch and all-or-none calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "sluice/limiter.h"
#include "support/fake_clock.h"
#include "support/limiter_subject.h"
#include "support/oracle.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "support/trace.h"

namespace sluice::testing {
namespace {

// One key under one limit, and the oracle's model of it.
struct Followed {
  LimitSpec spec;
  std::string name;
  LimiterSubject subject;
  std::unique_ptr<Model> model;
  TraceMaker maker;
  Decision last;
  bool in_doubt = false;  // no longer comparable because of floating point
};

// A limiter with a few random limits and a few keys for each.
class Fixture {
 public:
  Fixture(Random& random, const std::vector<Kind>& kinds, int keys) : random_(random) {
    const LimitSpec first = RandomLimit(kinds.front(), random);
    latest_ = TraceMaker(first, ZoneOf(first), random).start();
    clock_.Set(latest_);
    Limiter::Options options;
    options.memory_bytes = std::uint64_t{64} << 20U;
    options.clock = &clock_;
    options.seed = random.Bits();
    auto made = Limiter::Create(options);
    if (!made.ok()) {
      ADD_FAILURE() << made.error().message;
      return;
    }
    limiter_ = std::move(made).value();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      AddLimit(i == 0 ? first : RandomLimit(kinds[i], random), "limit" + std::to_string(i), keys);
    }
  }

  std::vector<Followed>& keys() { return keys_; }
  Limiter& limiter() { return *limiter_; }
  void SetClock(Time now) { clock_.Set(now); }

  Step NextStep(Followed& key) {
    key.maker.CatchUp(latest_);
    return key.maker.Next(key.last);
  }

  // Returns the time that the limiter must use for a step at `at`.
  Time Latest(Time at) {
    latest_ = std::max(latest_, at);
    return latest_;
  }

  // Fails the test, with all steps up to now, unless the answer is the oracle's.
  void Compare(Followed& key, const Step& step, const Decision& got, const Decision& want) {
    story_ << "  " << key.name << " " << ToText(step) << " -> " << ToText(got) << "\n";
    key.last = got;
    if (key.in_doubt) return;
    key.in_doubt = InDoubt(got, want, key.model->Tolerance());
    if (key.in_doubt || Same(got, want, key.model->Tolerance())) return;
    FAIL() << key.name << " under " << ToText(key.spec) << "\n"
           << story_.str() << "  expected " << ToText(want);
  }

 private:
  void AddLimit(const LimitSpec& spec, const std::string& name, int keys) {
    auto handle = limiter_->Add(name, spec);
    if (!handle.ok()) {
      ADD_FAILURE() << ToText(spec) << "\n" << handle.error().message;
      return;
    }
    for (int i = 0; i < keys; ++i) {
      const std::string key = "key " + std::to_string(i);
      keys_.push_back(Followed{spec,
                               name + " " + key,
                               LimiterSubject(*limiter_, clock_, handle.value(), key),
                               Model::Make(spec, ZoneOf(spec).get(), 0),
                               TraceMaker(spec, ZoneOf(spec), random_, latest_),
                               {}});
      keys_.back().last = keys_.back().subject.Peek(Cost{0}, latest_);
    }
  }

  Random& random_;
  FakeClock clock_;
  std::unique_ptr<Limiter> limiter_;
  std::vector<Followed> keys_;
  Time latest_{};
  std::ostringstream story_;
};

// The start of a staggered window depends on the limiter's own hash, which the oracle does not
// know.
std::vector<Kind> ComparableKinds() {
  std::vector<Kind> kinds = RateKinds();
  std::erase(kinds, Kind::kStaggeredWindow);
  return kinds;
}

Kind AnyKind(Random& random) {
  const std::vector<Kind> kinds = ComparableKinds();
  return kinds[static_cast<std::size_t>(
      random.Between(0, static_cast<std::int64_t>(kinds.size()) - 1))];
}

Followed& AnyKey(Fixture& scene, Random& random) {
  const auto last = static_cast<std::int64_t>(scene.keys().size()) - 1;
  return scene.keys()[static_cast<std::size_t>(random.Between(0, last))];
}

class LimiterOracleTest : public ::testing::TestWithParam<Kind> {};

TEST_P(LimiterOracleTest, MatchesOracleInEveryField) {
  ForEachSeed(100, [](Random& random) {
    Fixture scene(random, {GetParam(), AnyKind(random)}, 2);
    for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) {
      Followed& key = AnyKey(scene, random);
      Step step = scene.NextStep(key);
      const Decision got = Take(key.subject, step);
      step.at = scene.Latest(step.at);
      scene.Compare(key, step, got, Take(*key.model, step));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Limiter, LimiterOracleTest, ::testing::ValuesIn(ComparableKinds()),
                         [](const auto& kind) { return NameOf(kind.param); });

void TakeBatch(Fixture& scene, Random& random) {
  std::vector<Followed*> keys;
  std::vector<Step> steps;
  std::vector<Charge> charges;
  Step step = scene.NextStep(AnyKey(scene, random));
  if (step.op == Op::kReset || step.op == Op::kDebt) step.op = Op::kCheck;
  for (std::int64_t i = random.Between(1, 40); i > 0; --i) {
    Followed& key = AnyKey(scene, random);
    step.cost = key.maker.NextCost(key.last);
    keys.push_back(&key);
    steps.push_back(step);
    charges.push_back(key.subject.With(step.cost));
  }
  std::vector<Decision> decisions(charges.size());
  scene.SetClock(step.at);
  switch (step.op) {
    case Op::kPeek:
      scene.limiter().Peek(charges, decisions);
      break;
    case Op::kRefund:
      scene.limiter().Refund(charges, decisions);
      break;
    default:
      scene.limiter().Check(charges, decisions);
  }
  const Time at = scene.Latest(step.at);
  for (std::size_t i = 0; i < keys.size() && !::testing::Test::HasFailure(); ++i) {
    steps[i].at = at;
    scene.Compare(*keys[i], steps[i], decisions[i], Take(*keys[i]->model, steps[i]));
  }
}

TEST(LimiterBatchTest, BatchEqualsSingleChecks) {
  ForEachSeed(200, [](Random& random) {
    Fixture scene(random, {AnyKind(random), AnyKind(random), AnyKind(random)}, 4);
    for (int i = 0; i < 20 && !::testing::Test::HasFailure(); ++i) TakeBatch(scene, random);
  });
}

// Sends one request over some of the keys, each once.
void TakeTogether(Fixture& scene, Random& random) {
  std::vector<Followed*> keys;
  std::vector<Charge> charges;
  std::vector<Step> steps;
  Step step;
  for (Followed& key : scene.keys()) {
    if (random.OneIn(2)) continue;
    step.at = keys.empty() ? scene.NextStep(key).at : step.at;
    step.cost = random.OneIn(2) ? Cost{1} : key.maker.NextCost(key.last);
    keys.push_back(&key);
    steps.push_back(step);
    charges.push_back(key.subject.With(step.cost));
  }
  if (keys.empty()) return;
  std::vector<Decision> decisions(charges.size());
  scene.SetClock(step.at);
  const bool passed = scene.limiter().CheckAll(charges, decisions);
  const Time at = scene.Latest(step.at);
  bool all = true;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    steps[i].at = at;
    all = all && keys[i]->model->Peek(steps[i].cost, at).allowed;
  }
  EXPECT_EQ(passed, all);
  for (std::size_t i = 0; i < keys.size() && !::testing::Test::HasFailure(); ++i) {
    // A refused request takes nothing, but a limit that itself refuses may record the refusal.
    const bool takes = all || !keys[i]->model->Peek(steps[i].cost, at).allowed;
    steps[i].op = takes ? Op::kCheck : Op::kPeek;
    scene.Compare(*keys[i], steps[i], decisions[i], Take(*keys[i]->model, steps[i]));
  }
}

TEST(LimiterCheckAllTest, TakesAllChargesOrNone) {
  ForEachSeed(300, [](Random& random) {
    std::vector<Kind> kinds;
    while (kinds.size() < 4) {
      // Floating point can leave in doubt whether the whole request passes.
      const Kind kind = AnyKind(random);
      if (kind != Kind::kWarmUpPacer) kinds.push_back(kind);
    }
    Fixture scene(random, kinds, 2);
    for (int i = 0; i < 30 && !::testing::Test::HasFailure(); ++i) TakeTogether(scene, random);
  });
}

// A key that occurs twice is charged for both, like one charge of the sum. This holds for the
// limits picked here.
TEST(LimiterCheckAllTest, ChargesRepeatedKeyTwice) {
  ForEachSeed(300, [](Random& random) {
    const Kind kind = random.Pick({Kind::kTokenBucket, Kind::kIntervalRefill, Kind::kAlignedWindow,
                                   Kind::kSlidingWindow, Kind::kSlidingLog, Kind::kSlidingBuckets,
                                   Kind::kFirstRequestWindow});
    Fixture scene(random, {kind}, 1);
    if (::testing::Test::HasFailure()) return;
    Followed& key = scene.keys().front();
    if (key.spec.max_wait || key.spec.min_gap || key.spec.count_refused) return;
    for (int i = 0; i < 20 && !::testing::Test::HasFailure(); ++i) {
      const Step step = scene.NextStep(key);
      const Time at = scene.Latest(step.at);
      const std::int64_t max = std::max<std::int64_t>(1, key.last.remaining);
      const Cost one{random.Between(1, max)};
      const Cost two{random.Between(1, max)};
      const std::array<Charge, 2> charges{key.subject.With(one), key.subject.With(two)};
      std::array<Decision, 2> decisions;
      scene.SetClock(step.at);
      const bool passed = scene.limiter().CheckAll(charges, decisions);
      const bool fits = key.model->Peek(Cost{one.units + two.units}, at).allowed;
      EXPECT_EQ(passed, fits) << ToText(key.spec) << " " << one.units << " and " << two.units;
      if (passed) key.model->Check(Cost{one.units + two.units}, at);
      const Decision left = key.subject.Peek(Cost{0}, at);
      scene.Compare(key, {Op::kPeek, Cost{0}, at}, left, key.model->Peek(Cost{0}, at));
    }
  });
}

TEST(LimiterPermitsTest, MatchesOracleInEveryField) {
  ForEachSeed(200, [](Random& random) {
    Fixture scene(random, {Kind::kConcurrency}, 2);
    for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) {
      Followed& key = AnyKey(scene, random);
      Step step = scene.NextStep(key);
      const std::int64_t id = random.Between(1, 12);
      const std::string name = "request " + std::to_string(id);
      step.cost = Cost{id % 4 == 0 ? 2 : 1};
      const std::int64_t dice = random.Between(1, 10);
      scene.SetClock(step.at);
      const Charge charge = key.subject.With(step.cost);
      const Decision got = dice <= 6   ? scene.limiter().Acquire(charge, name)
                           : dice <= 8 ? scene.limiter().Release(charge, name)
                                       : scene.limiter().Renew(charge, name);
      step.at = scene.Latest(step.at);
      const auto number = static_cast<std::uint64_t>(id);
      const Decision want = dice <= 6   ? key.model->Acquire(number, step.cost, step.at)
                            : dice <= 8 ? key.model->Release(number, step.at)
                                        : key.model->Renew(number, step.at);
      scene.Compare(key, step, got, want);
    }
  });
}

}  // namespace
}  // namespace sluice::testing
