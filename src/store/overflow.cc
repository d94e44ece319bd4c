#include "store/overflow.h"

#include <algorithm>
#include <bit>

#include "core/algorithm/debt.h"
#include "store/pages.h"

namespace sluice {
namespace {

// The maximum depth of a state in grains: far below 2^31, so that a stale cell can be told from one
// in use for thousands of periods (after that it errs on the strict side).
constexpr unsigned kDepthBits = 20;
constexpr std::size_t kMinCells = 64;
// A debt may reach 16 times as far. While there is one, a stale cell is mistaken for one in use 16
// times as often, and it blocks every key that shares its state.
constexpr std::uint64_t kDebtGrains = std::uint64_t{1} << (kDepthBits + 4);

std::uint64_t NsOf(Nanos length) { return static_cast<std::uint64_t>(length.count()); }

std::uint64_t NsPerUnit(const Interval& interval) {
  return static_cast<std::uint64_t>(DivCeil(interval.ticks_per_unit, interval.ticks_per_ns));
}

void SetFurthest(std::uint64_t grains, OverflowTerms& terms) {
  terms.furthest = std::max(terms.depth, static_cast<std::uint32_t>(grains));
}

OverflowTerms Bucket(std::int64_t burst, std::uint64_t unit_ns, Nanos hold) {
  OverflowTerms terms;
  terms.limit = burst;
  terms.unit_ns = unit_ns;
  const Uint128 depth = static_cast<Uint128>(unit_ns) * static_cast<std::uint64_t>(burst);
  const auto longest = std::max<Uint128>(depth, NsOf(hold));
  while ((longest >> terms.grain_shift) >= (Uint128{1} << kDepthBits)) ++terms.grain_shift;
  // Time is read in whole grains, so up to one grain too much seems to have passed. If a unit is at
  // least a grain long, it is rounded up to whole grains plus one, so that `burst` single units fit
  // exactly; if it is shorter, one grain is taken off the depth.
  const std::uint64_t grain = std::uint64_t{1} << terms.grain_shift;
  const bool whole_grains = unit_ns > grain || burst == 1;
  if (whole_grains) terms.unit_ns = (unit_ns + grain - 1) / grain * grain + grain;
  // Rounded up or not, no state may reach further ahead than kLongestSpan.
  const Uint128 wanted = static_cast<Uint128>(terms.unit_ns) * static_cast<std::uint64_t>(burst);
  const Uint128 full =
      std::max<Uint128>(std::min<Uint128>(wanted, NsOf(kLongestSpan)), terms.unit_ns);
  terms.depth = static_cast<std::uint32_t>((full >> terms.grain_shift) - (whole_grains ? 0 : 1));
  const Uint128 usable = static_cast<Uint128>(terms.depth) << terms.grain_shift;
  terms.limit = static_cast<std::int64_t>(usable / terms.unit_ns);
  terms.hold = static_cast<std::uint32_t>((NsOf(hold) >> terms.grain_shift) + 1);
  SetFurthest(std::min(kDebtGrains, NsOf(kDebtSpan) >> terms.grain_shift), terms);
  return terms;
}

// A debt fills a window and ends with it: nothing passes while the debt lasts.
OverflowTerms EndingWithItsWindow(OverflowTerms terms) {
  const std::uint64_t filled = std::uint64_t{terms.depth} + terms.hold;
  SetFurthest(std::min(filled, NsOf(kLongestSpan) >> terms.grain_shift), terms);
  return terms;
}

// With b = ceil(COUNT / 2) at once and one more every period / (COUNT - b + 1), a half-open PERIOD
// never sees more than COUNT.
OverflowTerms WithinWindow(std::int64_t count, Nanos period) {
  if (count == 0) return {};
  const std::int64_t burst = count / 2 + count % 2;
  const auto rest = static_cast<std::uint64_t>(count - burst + 1);
  return Bucket(burst, (NsOf(period) + rest - 1) / rest, period);
}

Nanos LongestWindow(const FixedWindow& window) {
  constexpr Nanos kDay{std::int64_t{86400} * 1'000'000'000};
  if (window.window != WindowKind::kCalendar) return window.rate.period;
  // Longer than any window of that unit, clock changes and skipped days included.
  switch (window.unit) {
    case CalendarUnit::kHour:
      return kDay;
    case CalendarUnit::kDay:
      return 3 * kDay;
    case CalendarUnit::kWeek:
      return 9 * kDay;
    case CalendarUnit::kMonth:
      return 33 * kDay;
    case CalendarUnit::kYear:
      return 368 * kDay;
  }
  return kLongestSpan;
}

struct Standin {
  OverflowTerms operator()(const TokenBucket& t) const {
    return Bucket(t.burst, NsPerUnit(t.interval), Nanos{0});
  }
  OverflowTerms operator()(const LeakyBucket& t) const {
    // A shared state has no queue: only what would go ahead without a wait passes.
    return Bucket(std::min(t.burst, t.delay_after) + 1, NsPerUnit(t.interval), Nanos{0});
  }
  OverflowTerms operator()(const IntervalBucket& t) const {
    // One refill may come at once, so only the burst minus one refill may be stored.
    return WithinWindow(std::min(t.burst, t.rate.count), t.rate.period);
  }
  OverflowTerms operator()(const FixedWindow& t) const {
    return EndingWithItsWindow(WithinWindow(t.rate.count, LongestWindow(t)));
  }
  OverflowTerms operator()(const SlidingLog& t) const {
    const OverflowTerms terms = WithinWindow(t.rate.count, t.rate.period);
    if (t.min_gap.count() == 0) return EndingWithItsWindow(terms);
    return EndingWithItsWindow(Bucket(1, std::max(terms.unit_ns, NsOf(t.min_gap)), t.rate.period));
  }
  OverflowTerms operator()(const SlidingWindow& t) const {
    return EndingWithItsWindow(WithinWindow(t.rate.count, 2 * t.rate.period));
  }
  OverflowTerms operator()(const SlidingBuckets& t) const {
    return EndingWithItsWindow(
        WithinWindow(t.rate.count, t.rate.period + t.rate.period / t.buckets));
  }
  OverflowTerms operator()(const Pacer& t) const {
    return Bucket(1, NsPerUnit(t.interval), Nanos{0});
  }
  OverflowTerms operator()(const WarmUpPacer& t) const {
    const double cold_ns = std::min(t.stable_ns * t.cold_factor, 3e18);
    return Bucket(1, static_cast<std::uint64_t>(cold_ns) + 1, t.warm_up);
  }
  OverflowTerms operator()(const Concurrency& /*t*/) const { return {}; }
};

std::uint32_t GrainsNow(const OverflowTerms& terms, Time now) {
  return static_cast<std::uint32_t>(NsOf(now.time_since_epoch()) >> terms.grain_shift);
}

// Returns the grains from now until the cell is drained; negative if it is drained already.
std::int32_t Ahead(std::uint32_t cell, const OverflowTerms& terms, Time now) {
  return static_cast<std::int32_t>(cell - GrainsNow(terms, now));
}

Nanos Length(const OverflowTerms& terms, std::uint64_t grains) {
  return Nanos{ToInt64Saturated(static_cast<Uint128>(grains) << terms.grain_shift)};
}

// Returns the time that many grains later, at most Time::max().
Time Later(const OverflowTerms& terms, std::uint64_t grains, Time now) {
  return now + std::min(Length(terms, grains), Time::max() - now);
}

// Returns the time from now until the clock has advanced by that many grains.
Nanos Until(const OverflowTerms& terms, std::uint64_t grains, Time now) {
  if (grains == 0) return Nanos{0};
  const std::uint64_t into_grain =
      NsOf(now.time_since_epoch()) & ((std::uint64_t{1} << terms.grain_shift) - 1);
  return Length(terms, grains) - Nanos{static_cast<std::int64_t>(into_grain)};
}

// Returns the grains that a cost takes, rounded up.
Uint128 GrainsOf(const OverflowTerms& terms, Cost cost) {
  const Uint128 ns = static_cast<Uint128>(static_cast<std::uint64_t>(cost.units)) * terms.unit_ns;
  const Uint128 grain = Uint128{1} << terms.grain_shift;
  return (ns + grain - 1) >> terms.grain_shift;
}

Decision Report(const OverflowTerms& terms, std::uint64_t held, Time now) {
  Decision decision;
  decision.source = Source::kOverflow;
  decision.limit = terms.limit;
  const auto left = NsOf(Length(terms, terms.depth - std::min<std::uint64_t>(held, terms.depth)));
  decision.remaining = static_cast<std::int64_t>(left / terms.unit_ns);
  decision.reset_after = Until(terms, held, now);
  return decision;
}

std::size_t IndexOf(std::uint64_t hash, std::size_t cells) {
  const std::uint64_t spread = (hash << 8U) * 0xd6e8feb86659fd93U;
  return static_cast<std::size_t>((static_cast<Uint128>(spread) * cells) >> 64U);
}

}  // namespace

OverflowTerms OverflowTerms::For(const Terms& terms) { return std::visit(Standin{}, terms); }

void Overflow::Init(std::byte* memory, std::size_t bytes) {
  cells_ = reinterpret_cast<std::uint32_t*>(memory);
  cells_size_ = bytes / sizeof(std::uint32_t);
}

const Overflow::Array* Overflow::Find(std::uint32_t limit) const {
  const auto found = std::find_if(arrays_.begin(), arrays_.end(),
                                  [limit](const Array& array) { return array.limit == limit; });
  return found == arrays_.end() ? nullptr : &*found;
}

std::size_t Overflow::CellsForNext() const {
  const std::size_t left = cells_size_ - cells_taken_;
  return std::max(left / 4 * 3, std::min(left, kMinCells));
}

Overflow::Array* Overflow::FindOrMake(std::uint32_t limit) {
  if (const Array* const found = Find(limit)) {
    return &arrays_[static_cast<std::size_t>(found - arrays_.data())];
  }
  const std::size_t cells = CellsForNext();
  if (cells == 0) return nullptr;
  arrays_.push_back({limit, cells_taken_, cells, {}, {}, {}});
  cells_taken_ += cells;
  bytes_used_ = cells_taken_ * sizeof(std::uint32_t);
  return &arrays_.back();
}

void Overflow::Reserve(std::uint32_t limit, Time now) {
  FindOrMake(limit);
  active_until_ = std::max(active_until_, now + Nanos{1});
}

void Overflow::DropUnused() {
  // A charged array has a nonzero active_until; later arrays are stored behind earlier ones.
  while (!arrays_.empty() && arrays_.back().active_until == Time{}) {
    cells_taken_ -= arrays_.back().cells;
    arrays_.pop_back();
  }
  bytes_used_ = cells_taken_ * sizeof(std::uint32_t);
}

std::uint32_t* Overflow::CellOf(const Array& array, std::uint64_t hash) const {
  return &cells_[array.first + IndexOf(hash, array.cells)];
}

bool Overflow::SameCell(std::uint32_t limit, std::uint64_t hash, std::uint64_t other) const {
  const Array* const array = Find(limit);
  const std::size_t cells = array == nullptr ? CellsForNext() : array->cells;
  return IndexOf(hash, cells) == IndexOf(other, cells);
}

void Overflow::GiveBack(Time now) {
  if (arrays_.empty() || active(now)) return;
  arrays_.clear();
  cells_taken_ = 0;
  bytes_used_ = 0;
  Pages::Discard(reinterpret_cast<std::byte*>(cells_), cells_size_ * sizeof(std::uint32_t));
}

const OverflowTerms& Overflow::TermsFor(const Array& array, const OverflowTerms& terms, Time now) {
  return now < array.active_until ? array.terms : terms;
}

std::uint32_t Overflow::FurthestAhead(const Array& array, const OverflowTerms& used, Time now) {
  // One more than a full state, because Hold may have added a grain.
  const std::uint32_t full = used.depth + 1;
  if (now >= array.debt_until) return full;
  const std::uint64_t grains = NsOf(array.debt_until - now) >> used.grain_shift;
  return std::max(full, static_cast<std::uint32_t>(grains));
}

std::uint32_t Overflow::Held(const Array& array, const OverflowTerms& used, std::uint32_t cell,
                             Time now) {
  if (cell == 0) return 0;
  const std::int32_t ahead = Ahead(cell, used, now);
  const bool drained_or_stale =
      ahead <= 0 || static_cast<std::uint32_t>(ahead) > FurthestAhead(array, used, now);
  return drained_or_stale ? 0 : static_cast<std::uint32_t>(ahead);
}

bool Overflow::Binds(std::uint32_t limit, const OverflowTerms& terms, std::uint64_t hash,
                     Time now) const {
  const Array* const array = Find(limit);
  if (array == nullptr || now >= array->active_until) return false;
  const std::uint32_t cell = *CellOf(*array, hash);
  if (cell == 0) return false;
  const OverflowTerms& used = TermsFor(*array, terms, now);
  const std::int32_t ahead = Ahead(cell, used, now);
  return ahead > -static_cast<std::int32_t>(used.hold) &&
         ahead <= static_cast<std::int32_t>(FurthestAhead(*array, used, now));
}

Decision Overflow::Peek(std::uint32_t limit, const OverflowTerms& terms, std::uint64_t hash,
                        Cost cost, Time now) const {
  const Array* const array = Find(limit);
  const OverflowTerms& used = array == nullptr ? terms : TermsFor(*array, terms, now);
  const std::uint32_t held = array == nullptr ? 0 : Held(*array, used, *CellOf(*array, hash), now);
  Decision decision = Report(used, held, now);
  const bool no_cells = array == nullptr && cells_taken_ == cells_size_;
  if (no_cells) decision.remaining = 0;
  if (cost.units == 0) return decision;
  if (cost.units > used.limit) {
    decision.allowed = false;
    decision.retry_after = kNever;
    return decision;
  }
  const Uint128 after = held + GrainsOf(used, cost);
  if (after > used.depth) {
    decision.allowed = false;
    decision.retry_after = Until(used, static_cast<std::uint64_t>(after - used.depth), now);
  } else if (no_cells) {
    // Every cell belongs to another limit. The charge may pass once there is memory for the key
    // again.
    decision.allowed = false;
    decision.retry_after = Length(used, used.depth);
  }
  return decision;
}

Decision Overflow::Check(std::uint32_t limit, const OverflowTerms& terms, std::uint64_t hash,
                         Cost cost, Time now) {
  Decision decision = Peek(limit, terms, hash, cost, now);
  if (!decision.allowed || cost.units == 0) return decision;
  Array* const array = FindOrMake(limit);  // Peek has checked that this succeeds
  array->terms = TermsFor(*array, terms, now);
  std::uint32_t& cell = *CellOf(*array, hash);
  const Uint128 after = Held(*array, array->terms, cell, now) + GrainsOf(array->terms, cost);
  return Hold(*array, cell, static_cast<std::uint32_t>(after), now);
}

Decision Overflow::TakeDebt(std::uint32_t limit, const OverflowTerms& terms, std::uint64_t hash,
                            Cost cost, Time now) {
  const bool charges = cost.units != 0 && terms.limit != 0;
  Array* const array = charges ? FindOrMake(limit) : nullptr;
  if (array == nullptr) return Peek(limit, terms, hash, Cost{0}, now);
  array->terms = TermsFor(*array, terms, now);
  std::uint32_t& cell = *CellOf(*array, hash);
  const std::uint32_t held = Held(*array, array->terms, cell, now);
  const Uint128 owed =
      std::min<Uint128>(held + GrainsOf(array->terms, cost), array->terms.furthest);
  const std::uint32_t after = std::max(held, static_cast<std::uint32_t>(owed));
  const Decision decision = Hold(*array, cell, after, now);
  // Two more: time is read in whole grains, and Hold may add one.
  array->debt_until = std::max(array->debt_until, Later(array->terms, after + 2, now));
  return decision;
}

Decision Overflow::Hold(Array& array, std::uint32_t& cell, std::uint32_t grains, Time now) {
  cell = GrainsNow(array.terms, now) + grains;
  if (cell == 0) cell = 1;  // 0 marks an unused cell; one grain too many is on the strict side
  const std::uint64_t binds = std::uint64_t{grains} + array.terms.hold + 1;
  array.active_until = std::max(array.active_until, Later(array.terms, binds, now));
  active_until_ = std::max(active_until_, array.active_until);
  return Report(array.terms, grains, now);
}

}  // namespace sluice
