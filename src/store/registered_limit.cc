#include "store/registered_limit.h"

#include <algorithm>
#include <utility>

#include "core/algorithm/debt.h"
#include "store/packing.h"

namespace sluice {
namespace {

// A narrow slot has 56 bits of nanoseconds since an epoch that moves once a year. This is how far
// ahead a state in it may be, in debt or not.
constexpr Nanos kNarrowSpan = kDebtSpan;

Nanos SpanOf(const Interval& interval, Uint128 ticks) { return RoundUp(interval, ticks); }

// The maximum time that a state of these terms can stay in use after its last change.
struct Span {
  Nanos operator()(const TokenBucket& t) const {
    return SpanOf(t.interval, TicksOf(t.interval, t.burst)) + t.max_wait;
  }
  Nanos operator()(const LeakyBucket& t) const {
    return SpanOf(t.interval, TicksOf(t.interval, t.burst + 1));
  }
  Nanos operator()(const IntervalBucket& t) const {
    const std::int64_t count = t.burst / t.rate.count + 2;
    const auto periods = static_cast<Uint128>(count);
    const auto period = static_cast<std::uint64_t>(t.rate.period.count());
    const Nanos whole = std::min(Nanos{ToInt64Saturated(periods * period)}, kLongestSpan);
    return std::min(whole + t.max_wait, kLongestSpan);
  }
  Nanos operator()(const FixedWindow& t) const {
    constexpr Nanos kOverAYear{std::int64_t{400} * 86400 * 1'000'000'000};
    return t.window == WindowKind::kCalendar ? kOverAYear : t.rate.period;
  }
  Nanos operator()(const SlidingLog& t) const { return t.rate.period; }
  // In a narrow slot the time is rounded up to kCoarse.
  Nanos operator()(const SlidingWindow& t) const {
    return 2 * t.rate.period + NarrowPacking::kCoarse;
  }
  Nanos operator()(const SlidingBuckets& t) const {
    return t.rate.period + t.rate.period / t.buckets;
  }
  Nanos operator()(const Pacer& /*t*/) const { return kLongestSpan; }
  Nanos operator()(const WarmUpPacer& /*t*/) const { return kLongestSpan; }
  Nanos operator()(const Concurrency& t) const { return t.ttl; }
};

Shape ShapeOfTime(const Interval& interval, Nanos span) {
  return interval.FractionFitsByte() && span <= kNarrowSpan ? Shape::kNarrow : Shape::kPair;
}

struct ShapeOf {
  Nanos span;

  Shape operator()(const TokenBucket& t) const { return ShapeOfTime(t.interval, span); }
  Shape operator()(const LeakyBucket& t) const { return ShapeOfTime(t.interval, span); }
  Shape operator()(const IntervalBucket& /*t*/) const { return Shape::kPair; }
  Shape operator()(const FixedWindow& /*t*/) const { return Shape::kPair; }
  Shape operator()(const SlidingWindow& t) const {
    const bool narrow = t.rate.count <= NarrowPacking::kMaxCounter &&
                        t.rate.period >= NarrowPacking::kCoarse && span <= kNarrowSpan;
    if (narrow) return Shape::kNarrow;
    return t.rate.count <= UINT32_MAX ? Shape::kPair : Shape::kTriple;
  }
  Shape operator()(const Pacer& /*t*/) const { return Shape::kPair; }
  Shape operator()(const WarmUpPacer& /*t*/) const { return Shape::kTriple; }
  Shape operator()(const SlidingLog& /*t*/) const { return Shape::kBlock; }
  Shape operator()(const SlidingBuckets& /*t*/) const { return Shape::kBlock; }
  Shape operator()(const Concurrency& /*t*/) const { return Shape::kBlock; }
};

// Returns the terms in the form of the shard's fast path, or monostate if it does not apply.
Quick QuickOf(const Terms& terms, Shape shape) {
  const auto* const bucket = std::get_if<TokenBucket>(&terms);
  if (bucket != nullptr && shape == Shape::kNarrow) {
    if (const auto quick = QuickBucket::For(*bucket)) return *quick;
  }
  const auto* const window = std::get_if<SlidingWindow>(&terms);
  if (window != nullptr && shape != Shape::kTriple) {
    if (const auto quick = QuickWindow::For(*window)) return *quick;
  }
  return {};
}

struct MaxUnits {
  std::int64_t operator()(std::monostate /*none*/) const { return 0; }
  std::int64_t operator()(const QuickBucket& t) const { return t.burst; }
  std::int64_t operator()(const QuickWindow& t) const { return t.rate.count; }
};

}  // namespace

PreparedTerms PreparedTerms::For(const Limit& limit, std::uint8_t id) {
  const Nanos span = std::visit(Span{}, limit.terms);
  const Shape shape = std::visit(ShapeOf{span}, limit.terms);
  const Quick quick = QuickOf(limit.terms, shape);
  return {.shape = shape,
          .id = id,
          .quick_units = std::visit(MaxUnits{}, quick),
          .quick = quick,
          .limit = limit,
          .overflow = OverflowTerms::For(limit.terms),
          .span = span};
}

RegisteredLimit::RegisteredLimit(std::string name, std::uint32_t index, HashSeed seed,
                                 Algorithm algorithm, TermsFrom terms_from)
    : name_(std::move(name)),
      index_(index),
      algorithm_(algorithm),
      terms_from_(terms_from),
      prefix_(seed) {
  prefix_.Absorb(name_);
  const char tag = static_cast<char>(algorithm);
  prefix_.Absorb({&tag, 1});
}

void RegisteredLimit::Keep(const Limit& limit, std::uint8_t id) {
  all_.push_back(std::make_unique<const PreparedTerms>(PreparedTerms::For(limit, id)));
  const PreparedTerms& kept = *all_.back();
  shapes_.fetch_or(Bit(kept.shape), std::memory_order_relaxed);
  by_id_[id].store(&kept, std::memory_order_release);
}

std::uint8_t RegisteredLimit::FreeId(Time now) const {
  for (unsigned id = 1; id < by_id_.size(); ++id) {
    if (by_id_[id].load(std::memory_order_relaxed) == nullptr) return static_cast<std::uint8_t>(id);
  }
  // All ids have been used: take the one that has been out of use for the longest time.
  std::uint8_t free = 0;
  Nanos longest{0};
  for (unsigned id = 1; id < by_id_.size(); ++id) {
    const PreparedTerms* const terms = by_id_[id].load(std::memory_order_relaxed);
    if (terms == current_.load(std::memory_order_relaxed)) continue;
    const Nanos unused = now - UsedAt(static_cast<std::uint8_t>(id)) - terms->span;
    if (unused > longest) longest = unused, free = static_cast<std::uint8_t>(id);
  }
  return free;
}

const PreparedTerms* RegisteredLimit::Find(const Limit& limit) const {
  const auto same = std::find_if(by_id_.begin(), by_id_.end(), [&limit](const auto& entry) {
    const PreparedTerms* const terms = entry.load(std::memory_order_relaxed);
    return terms != nullptr && terms->limit == limit;
  });
  return same == by_id_.end() ? nullptr : same->load(std::memory_order_relaxed);
}

Result<Done> RegisteredLimit::Prepare(const Limit& limit, Time now) {
  if (limit.spec.algorithm != algorithm_) {
    return Error{"limit '" + name_ +
                 "' cannot change its algorithm; add a limit of another name instead"};
  }
  if (Find(limit) != nullptr) return Done{};
  const std::uint8_t id = FreeId(now);
  if (id == 0) {
    return Error{"limit '" + name_ +
                 "' was changed 255 times while keys still count under the earlier terms; "
                 "expected fewer changes within the time a key takes to reset"};
  }
  Keep(limit, id);
  return Done{};
}

Result<Done> RegisteredLimit::Change(const Limit& limit, Time now) {
  if (Result<Done> done = Prepare(limit, now); !done.ok()) return done;
  const PreparedTerms* const before = current_.load(std::memory_order_relaxed);
  if (before != nullptr) NoteUse(before->id, now);
  // Pairs with the acquire in current.
  current_.store(Find(limit), std::memory_order_release);
  return Done{};
}

void RegisteredLimit::RestoreTerms(const Limit& limit, std::uint8_t id, Time used_at) {
  Keep(limit, id);
  NoteUse(id, used_at);
}

std::vector<const PreparedTerms*> RegisteredLimit::AllTerms() const {
  std::vector<const PreparedTerms*> all;
  for (const auto& entry : by_id_) {
    if (const PreparedTerms* const terms = entry.load(std::memory_order_relaxed)) {
      all.push_back(terms);
    }
  }
  return all;
}

}  // namespace sluice
