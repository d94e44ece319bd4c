#include "conformance/conformance_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "conformance/memory_subject.h"
#include "unit/remote/script/random_remote_limit.h"
#include "unit/remote/script/remote_items.h"

namespace sluice::testing {
namespace {

constexpr Time kLastTime{std::chrono::seconds{5'600'000'000}};

}  // namespace

std::string ToText(const ConformanceStep& step, const std::vector<ConformanceKey>& keys) {
  std::string text = Concat("operation ", static_cast<int>(step.operation), " taking ",
                            static_cast<int>(step.charge_mode), " at ",
                            step.now.time_since_epoch().count(), " ns:");
  for (const ConformanceCharge& each : step.charges) {
    text += Concat("\n  ", keys[each.key].name, " cost ", each.cost.units, " enforcement ",
                   static_cast<int>(each.enforcement), " leaves ", each.min_remaining.units, "; ",
                   ToText(keys[each.key].spec));
  }
  return text;
}

ConformanceFixture::ConformanceFixture(std::span<ConformanceSubject* const> subjects, Routes routes,
                                       Random& random)
    : subjects_(subjects.begin(), subjects.end()),
      routes_(routes),
      random_(random),
      now_(std::chrono::microseconds{random.Between(1, 4'000'000'000'000'000)}) {}

LimitSpec ConformanceFixture::RandomSpec(Kind kind) {
  while (true) {
    LimitSpec spec = RandomRemoteLimit(kind, random_);
    if (routes_ == Routes::kOne || !spec.count_refused.value_or(false)) return spec;
  }
}

void ConformanceFixture::AddKey(Kind kind) {
  ConformanceKey key;
  key.name = Concat(NameOf(kind), keys_.size());
  key.text = key.name;
  key.spec = RandomSpec(kind);
  key.terms = MustBind(key.spec);
  if (kind == Kind::kStaggeredWindow) DrawStagger(key);
  key.fleet_key = {.high = MemorySubject::HashOf(key), .low = random_.Bits()};
  key.route = routes_ == Routes::kOne ? 0 : static_cast<std::uint32_t>(random_.Bits());
  makers_.push_back(std::make_unique<TraceMaker>(key.spec, ZoneOf(key.spec), random_, now_));
  keys_.push_back(std::move(key));
  last_.emplace_back();
}

// In Redis, the phase of a staggered window is in whole microseconds. This looks for a key whose
// phase in memory is, too.
void ConformanceFixture::DrawStagger(ConformanceKey& key) const {
  const auto period = static_cast<std::uint64_t>(key.spec.rate->period.count());
  for (int i = 0;; ++i) {
    key.text = Concat(key.name, "-", i);
    const auto hash = static_cast<Uint128>(MemorySubject::HashOf(key));
    if (static_cast<std::uint64_t>((hash * period) >> 64U) % 1000 == 0) return;
  }
}

void ConformanceFixture::Run(int steps, ConformanceCounts& counts) {
  for (ConformanceSubject* subject : subjects_) subject->Begin(keys_, now_);
  for (int i = 0; i < steps && now_ < kLastTime && !::testing::Test::HasFailure(); ++i) {
    MoveOn();
    Compare(NextStep(), counts);
    ++counts.steps;
  }
  for (ConformanceSubject* subject : subjects_) EXPECT_EQ(subject->Faults(), "");
}

void ConformanceFixture::MoveOn() {
  const auto last = static_cast<std::int64_t>(keys_.size()) - 1;
  const auto key = static_cast<std::size_t>(random_.Between(0, last));
  if (random_.OneIn(3)) return;
  makers_[key]->CatchUp(now_);
  const Time next = makers_[key]->NextTime(last_[key]);
  now_ = std::max(now_, Time{std::chrono::ceil<std::chrono::microseconds>(next)});
}

ConformanceCharge ConformanceFixture::NextCharge() {
  const auto last = static_cast<std::int64_t>(keys_.size()) - 1;
  ConformanceCharge charge;
  charge.key = static_cast<std::size_t>(random_.Between(0, last));
  charge.cost = makers_[charge.key]->NextCost(last_[charge.key]);
  return charge;
}

ConformanceStep ConformanceFixture::NextStep() {
  ConformanceStep step;
  step.now = now_;
  step.operation =
      random_.Pick({Operation::kCheck, Operation::kCheck, Operation::kCheck, Operation::kCheck,
                    Operation::kPeek, Operation::kRefund, Operation::kDebt, Operation::kReset});
  const bool is_check = step.operation == Operation::kCheck;
  const std::int64_t count = random_.Between(1, is_check && random_.OneIn(20) ? 64 : 4);
  const bool leaves = is_check && random_.OneIn(5);
  if (is_check && random_.OneIn(10)) step.charge_mode = ChargeMode::kNone;
  for (std::int64_t i = 0; i < count; ++i) {
    ConformanceCharge charge = NextCharge();
    const LimitSpec& spec = keys_[charge.key].spec;
    const bool has_permits = spec.algorithm == Algorithm::kConcurrency;
    // Permits have no debts.
    if (has_permits && step.operation == Operation::kDebt) continue;
    if (is_check) {
      charge.enforcement =
          random_.Pick({Enforcement::kEnforce, Enforcement::kEnforce, Enforcement::kEnforce,
                        Enforcement::kShadow, Enforcement::kQuota, Enforcement::kDebt});
      if (has_permits && charge.enforcement == Enforcement::kDebt)
        charge.enforcement = Enforcement::kEnforce;
      const bool may_leave = leaves && !spec.count_refused.value_or(false);
      if (may_leave) charge.min_remaining = makers_[charge.key]->NextCost(last_[charge.key]);
    }
    step.charges.push_back(charge);
  }
  if (step.charges.empty())
    step = {Operation::kCheck, ChargeMode::kAllOrNone, {NextCharge()}, now_};
  return step;
}

void ConformanceFixture::Compare(const ConformanceStep& step, ConformanceCounts& counts) {
  const std::vector<Decision> want = subjects_.front()->Take(step);
  for (ConformanceSubject* subject : std::span(subjects_).subspan(1)) {
    const std::vector<Decision> got = subject->Take(step);
    ASSERT_EQ(got.size(), want.size()) << subject->name();
    for (std::size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(got[i], want[i]) << subject->name() << ", charge " << i << "\n got "
                                 << ToText(got[i]) << "\nwant " << ToText(want[i]) << "\n"
                                 << ToText(step, keys_);
    }
  }
  for (std::size_t i = 0; i < want.size(); ++i) {
    last_[step.charges[i].key] = want[i];
    ++(want[i].allowed ? counts.allowed : counts.refused);
    counts.in_use += want[i].reset_after > Nanos{0} ? 1 : 0;
  }
}

std::vector<Kind> ConformanceKinds(Routes routes) {
  std::vector<Kind> kinds;
  for (const Kind kind : RateKinds()) {
    const bool takes_no_refund = kind == Kind::kPacer && routes == Routes::kSpread;
    if (kind != Kind::kWarmUpPacer && !takes_no_refund) kinds.push_back(kind);
  }
  kinds.push_back(Kind::kConcurrency);
  return kinds;
}

}  // namespace sluice::testing
