#include "support/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "support/random_limit.h"

namespace sluice::testing {
namespace {

constexpr std::int64_t kMaxCost = std::numeric_limits<std::int64_t>::max();
constexpr Nanos kYears{std::int64_t{3} * 365 * 86'400 * 1'000'000'000};
constexpr std::int64_t kHour = 3'600'000'000'000;

bool Near(Nanos a, Nanos b, Nanos tolerance) {
  if (a == b) return true;
  if (a == kNever || b == kNever) return false;
  return std::max(a, b) - std::min(a, b) <= tolerance;
}

}  // namespace

bool Same(const Decision& got, const Decision& want, Nanos tolerance) {
  return got.allowed == want.allowed && got.source == want.source && got.limit == want.limit &&
         got.remaining == want.remaining && Near(got.retry_after, want.retry_after, tolerance) &&
         Near(got.reset_after, want.reset_after, tolerance) && Near(got.wait, want.wait, tolerance);
}

bool InDoubt(const Decision& got, const Decision& want, Nanos tolerance) {
  if (got.allowed == want.allowed || tolerance == Nanos{0}) return false;
  return std::max(got.retry_after, want.retry_after) <= tolerance;
}

std::string ToText(const Step& step) {
  static const char* const names[] = {"check", "peek", "debt", "refund", "reset"};
  std::ostringstream text;
  text << "t " << step.at.time_since_epoch().count() << " " << names[static_cast<int>(step.op)]
       << " cost " << step.cost.units;
  return text.str();
}

TraceMaker::TraceMaker(const LimitSpec& spec, std::shared_ptr<const Zone> zone, Random& random)
    : zone_(std::move(zone)), random_(random) {
  period_ = spec.rate ? spec.rate->period : spec.ttl.value_or(Nanos{60'000'000'000});
  if (spec.warm_up) period_ = *spec.warm_up;
  count_ = spec.rate ? std::max<std::int64_t>(1, spec.rate->count) : 1;
  now_ = RandomStart();
}

TraceMaker::TraceMaker(const LimitSpec& spec, std::shared_ptr<const Zone> zone, Random& random,
                       Time start)
    : TraceMaker(spec, std::move(zone), random) {
  now_ = start;
}

Time TraceMaker::RandomStart() {
  if (zone_ != nullptr) return Time{} + CalendarMove();
  switch (random_.Between(0, 4)) {
    case 0:
      return Time{};
    case 1:
      return Time{Nanos{random_.Between(0, 3 * period_.count())}};
    case 2:
      return kLatestTime - Nanos{random_.Spread(0, kYears.count())};
    default:
      return Time{Nanos{random_.Between(1'600'000'000, 1'900'000'000) * 1'000'000'000 +
                        random_.Between(0, 999'999'999)}};
  }
}

// Moves to within hours or days of a change of the zone's offset.
Nanos TraceMaker::CalendarMove() {
  std::int64_t seconds = random_.Between(86'400, 4'000'000'000);
  if (!zone_->changes.empty() && !random_.OneIn(8)) {
    const auto last = static_cast<std::int64_t>(zone_->changes.size()) - 1;
    seconds = zone_->changes[static_cast<std::size_t>(random_.Between(0, last))].from;
  }
  const std::int64_t around = random_.Pick({kHour, 2 * kHour, 30 * kHour, 40 * 24 * kHour});
  const Time at = Time{Nanos{seconds * 1'000'000'000 + random_.Between(-around, around)}};
  return std::clamp(at, std::max(now_, Time{}), kLatestTime) - now_;
}

Nanos TraceMaker::UntilMultiple() const { return period_ - now_.time_since_epoch() % period_; }

Nanos TraceMaker::RandomMove(const Decision& last) {
  // Takes small steps through a change of the offset, or moves on to another one.
  if (zone_ != nullptr && random_.OneIn(3)) {
    return random_.OneIn(4) ? CalendarMove() : Nanos{random_.Between(0, kHour / 2)};
  }
  const bool waits = !last.allowed && last.retry_after != kNever;
  const std::int64_t interval = std::max<std::int64_t>(1, period_.count() / count_);
  switch (random_.Between(0, 18)) {
    case 0:
    case 1:
      return waits ? last.retry_after : last.wait;
    case 2:
      return waits ? last.retry_after - Nanos{1} : Nanos{1};
    case 3:
      return last.reset_after;
    case 4:
      return last.reset_after - Nanos{1};
    case 5:
      return Nanos{1};
    case 6:
      return Nanos{random_.Between(0, 2 * interval)};
    case 7:
    case 8:
      return Nanos{random_.Between(0, period_.count())};
    case 9:
      return UntilMultiple() - Nanos{random_.Between(0, 1)};
    case 10:
      return random_.OneIn(4) ? Nanos{random_.Spread(1, kYears.count())} : period_;
    case 11:
      return -Nanos{random_.Spread(1, period_.count())};
    default:
      return Nanos{0};
  }
}

// A step back applies to this step only, so the latest time seen does not change.
Time TraceMaker::NextTime(const Decision& last) {
  const Nanos move = RandomMove(last);
  if (move < Nanos{0}) return std::max(Time{}, now_ + move);
  now_ = std::min(kLatestTime, now_ + move);
  return now_;
}

Cost TraceMaker::NextCost(const Decision& last) {
  const bool has_units = last.limit != kNoUnits;
  const std::int64_t limit = has_units ? last.limit : count_ * 3;
  const std::int64_t remaining = has_units ? last.remaining : count_;
  switch (random_.Between(0, 15)) {
    case 0:
      return Cost{0};
    case 1:
    case 2:
      return Cost{remaining};
    case 3:
      return Cost{remaining < kMaxCost ? remaining + 1 : remaining};
    case 4:
      return Cost{limit};
    case 5:
      return Cost{random_.OneIn(2) && limit < kMaxCost ? limit + 1 : limit / 2};
    case 6:
    case 7:
      return Cost{random_.Spread(1, std::max<std::int64_t>(1, limit))};
    case 8:
      return Cost{random_.OneIn(3) ? kMaxCost : random_.Between(2, 4)};
    case 9:
      return Cost{random_.Between(0, remaining)};
    default:
      return Cost{1};
  }
}

Step TraceMaker::Next(const Decision& last) {
  Step step;
  step.at = NextTime(last);
  step.cost = NextCost(last);
  const std::int64_t dice = random_.Between(1, 100);
  if (dice <= 12) step.op = Op::kPeek;
  if (dice > 12 && dice <= 24) step.op = Op::kRefund;
  if (dice > 24 && dice <= 26) step.op = Op::kReset;
  if (dice > 26 && dice <= 34) step.op = Op::kDebt;
  return step;
}

Decision Take(Subject& subject, const Step& step) {
  switch (step.op) {
    case Op::kCheck:
      return subject.Check(step.cost, step.at);
    case Op::kPeek:
      return subject.Peek(step.cost, step.at);
    case Op::kDebt:
      return subject.TakeDebt(step.cost, step.at);
    case Op::kRefund:
      return subject.Refund(step.cost, step.at);
    case Op::kReset:
      return subject.Reset(step.at);
  }
  return {};
}

Decision Take(Model& model, const Step& step) {
  switch (step.op) {
    case Op::kCheck:
      return model.Check(step.cost, step.at);
    case Op::kPeek:
      return model.Peek(step.cost, step.at);
    case Op::kDebt:
      return model.TakeDebt(step.cost, step.at);
    case Op::kRefund:
      return model.Refund(step.cost, step.at);
    case Op::kReset:
      return model.Reset(step.at);
  }
  return {};
}

void ExpectSameFuture(const LimitSpec& spec, CoreState a, CoreState b, Time now, Random& random) {
  TraceMaker maker(spec, ZoneOf(spec), random, now);
  std::ostringstream story;
  Decision last = a.Peek(Cost{0}, now);
  const Decision other = b.Peek(Cost{0}, now);
  ASSERT_EQ(last, other) << ToText(last) << "\n" << ToText(other) << "\nlimit " << ToText(spec);
  for (int i = 0; i < 6; ++i) {
    const Step step = maker.Next(last);
    last = Take(a, step);
    const Decision answer = Take(b, step);
    story << "  " << ToText(step) << " -> " << ToText(last) << "\n";
    ASSERT_EQ(last, answer) << "limit " << ToText(spec) << "\nfrom t "
                            << now.time_since_epoch().count() << " on\n"
                            << story.str() << "  but the other said " << ToText(answer);
  }
}

void ExpectSameAnswers(const LimitSpec& spec, TraceMaker& maker, Subject& subject, Model& model,
                       int steps) {
  std::ostringstream story;
  // Both must have seen the start; otherwise a first step back would mean different times.
  Decision last = subject.Peek(Cost{0}, maker.start());
  model.Peek(Cost{0}, maker.start());
  for (int i = 0; i < steps; ++i) {
    const Step step = maker.Next(last);
    last = Take(subject, step);
    const Decision want = Take(model, step);
    story << "  " << ToText(step) << " -> " << ToText(last) << "\n";
    if (Same(last, want, model.Tolerance())) continue;
    if (InDoubt(last, want, model.Tolerance())) return;
    FAIL() << "limit " << ToText(spec) << "\n" << story.str() << "  expected " << ToText(want);
  }
}

}  // namespace sluice::testing
