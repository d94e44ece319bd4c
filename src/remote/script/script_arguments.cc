#include "remote/script/script_arguments.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <chrono>
#include <optional>
#include <type_traits>
#include <variant>

#include "core/algorithm/debt.h"
#include "core/calendar/calendar.h"
#include "remote/script/leniency.h"
#include "remote/script/log_plan.h"
#include "remote/script/one_time_reach.h"
#include "wire/resp/resp_writer.h"

namespace sluice {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
// Larger than any time span in seconds; exact in a double.
constexpr std::int64_t kMaxSeconds = std::int64_t{1} << 52U;

template <typename T>
concept OneTime =
    std::is_same_v<T, TokenBucket> || std::is_same_v<T, LeakyBucket> || std::is_same_v<T, Pacer>;

// Returns the start of the window before the one at `about`, and the ends of three windows in a
// row.
std::array<Time, 4> WindowsAround(const FixedWindow& terms, Time about) {
  const Window middle = WindowAt(*terms.zone, terms.unit, about);
  const Window before = WindowAt(*terms.zone, terms.unit, middle.start - Nanos{1});
  const Window after = WindowAt(*terms.zone, terms.unit, middle.end);
  return {before.start, middle.start, middle.end, after.end};
}

// Writes the terms of a key for the script.
struct TermsWriter {
  ScriptArguments& out;
  const ScriptCall& call;
  std::size_t key;
  const RemoteLimit& limit;  // the key's limit or its first terms
  Time about;

  template <OneTime T>
  void operator()(const T& terms) const {
    Begin("t");
    out.Number(static_cast<std::int64_t>(terms.interval.ticks_per_ns) * kNanosPerSecond);
    out.Number(static_cast<std::int64_t>(terms.interval.ticks_per_ns) * 1000);
  }
  void operator()(const IntervalBucket& terms) const {
    Begin("i");
    out.Number(terms.rate.count);
    out.Micros(terms.rate.period);
    out.Number(terms.burst);
    out.Micros(terms.max_wait);
    out.Text(terms.phase == RefillPhase::kAligned ? "a" : "f");
    const std::int64_t count = terms.rate.count;
    const std::int64_t periods = terms.burst / count + (terms.burst % count == 0 ? 0 : 1);
    out.Micros(std::max(kDebtSpan, periods * terms.rate.period + terms.max_wait));
  }
  void operator()(const FixedWindow& terms) const {
    Begin("f");
    out.Number(terms.rate.count);
    switch (terms.window) {
      case WindowKind::kAligned:
        return Windows("a", terms.rate.period, Nanos{0});
      case WindowKind::kStaggered:
        return Windows("a", terms.rate.period, OffsetOf(terms));
      case WindowKind::kFirstRequest:
        out.Text("f");
        return out.Micros(terms.rate.period);
      case WindowKind::kCalendar:
        break;
    }
    out.Text("c");
    for (const Time end : WindowsAround(terms, about)) out.Micros(end.time_since_epoch());
  }
  void operator()(const SlidingWindow& terms) const {
    Begin("w");
    out.Number(terms.rate.count);
    out.Micros(terms.rate.period);
  }
  void operator()(const SlidingBuckets& terms) const {
    Begin("s");
    out.Number(terms.rate.count);
    out.Micros(terms.rate.period / terms.buckets);
    out.Number(terms.buckets);
    constexpr std::array<std::string_view, 3> kLetters = {"s", "l", "w"};
    out.Text(kLetters[static_cast<std::size_t>(terms.oldest)]);
  }
  void operator()(const SlidingLog& terms) const {
    Begin("l");
    out.Number(terms.rate.count);
    out.Micros(terms.rate.period);
    out.Micros(terms.min_gap + Nanos{999});
    const LogPlan plan = PlanLog(call, key);
    out.Number(plan.first);
    out.Number(plan.second);
  }
  void operator()(const Concurrency& terms) const {
    Begin("c");
    out.Number(terms.max_in_flight);
    out.Number(std::min(AskedOf(call, key).units, terms.max_in_flight + 1));
  }
  void operator()(const WarmUpPacer& /*terms*/) const { assert(false); }

 private:
  void Begin(std::string_view shape) const {
    out.Text(shape);
    out.Text(limit.tag());
  }
  void Windows(std::string_view kind, Nanos period, Nanos offset) const {
    out.Text(kind);
    out.Micros(period);
    out.Micros(offset);
  }
  [[nodiscard]] Nanos OffsetOf(const FixedWindow& terms) const {
    const Uint128 hash = WholeMicros(call.keys()[key].stagger, terms.rate.period).key_hash;
    const auto period = static_cast<std::uint64_t>(terms.rate.period.count());
    return Nanos{static_cast<std::int64_t>((hash * period) >> 64U)};
  }
};

// Writes the numbers of an item.
struct NumbersWriter {
  ScriptArguments& out;
  const ScriptItem& item;

  template <OneTime T>
  void operator()(const T& terms) const {
    const Uint128 furthest = FurthestOf(terms);
    std::optional<Uint128> room = furthest;
    if (item.kind != ItemKind::kDebt) room = RoomFor(terms, item.asked());
    if (room) {
      out.Ticks(terms.interval, *room);
    } else {
      out.Number(-1);
      out.Number(0);
    }
    const bool gives_nothing = item.kind == ItemKind::kRefund && std::is_same_v<T, Pacer>;
    const Uint128 moved = gives_nothing ? 0 : TicksOf(terms.interval, item.cost.units);
    out.Ticks(terms.interval, item.kind == ItemKind::kDebt ? std::min(moved, furthest) : moved);
  }
  void operator()(const IntervalBucket& terms) const { Units(terms.burst); }
  void operator()(const FixedWindow& terms) const { Units(terms.rate.count); }
  void operator()(const SlidingLog& terms) const { Units(terms.rate.count); }
  void operator()(const SlidingWindow& terms) const { Units(terms.rate.count); }
  void operator()(const SlidingBuckets& terms) const { Units(terms.rate.count); }
  void operator()(const Concurrency& terms) const { Units(terms.max_in_flight); }
  void operator()(const WarmUpPacer& /*terms*/) const { assert(false); }

 private:
  // Adds what must be free, then what is taken. For a check, all costs above the maximum are
  // equivalent.
  void Units(std::int64_t max) const {
    constexpr std::int64_t kMaxUnits = std::int64_t{1} << 52U;
    out.Number(std::min(item.asked().units, max + 1));
    out.Number(std::min(item.cost.units, kMaxUnits));
  }
};

// Returns the first microsecond at which a refund does nothing.
std::int64_t BoundNumber(Time until) {
  const auto micros =
      std::chrono::ceil<std::chrono::microseconds>(until.time_since_epoch()).count();
  return std::max<std::int64_t>(1, micros);
}

// Returns the enforcement argument: flags, or the bound of a refund.
std::int64_t VetoNumber(const ScriptItem& item) {
  if (item.kind != ItemKind::kRefund) return (item.is_enforced ? 1 : 0) + (item.is_quota ? 2 : 0);
  return item.bound ? BoundNumber(item.bound->until) : 0;
}

// Returns the index of a key's first terms in KEYS; first terms follow all other keys.
std::size_t PlaceOfFirst(const ScriptCall& call, std::size_t key) {
  const auto before = call.keys().first(key);
  return call.keys().size() + static_cast<std::size_t>(std::ranges::count_if(
                                  before, [](const ScriptKey& each) { return each.HasFirst(); }));
}

std::string_view LetterOf(const RemoteLimit& limit, const ScriptItem& item) {
  // Permits have ids: a call without one takes and refunds nothing.
  const bool has_permits = std::holds_alternative<Concurrency>(limit.terms());
  if (has_permits && item.kind != ItemKind::kReset) return "p";
  const bool records = limit.limit().spec.count_refused.value_or(false);
  switch (item.kind) {
    case ItemKind::kCheck:
      // A cost of 0 changes nothing.
      if (item.cost.units == 0) return "p";
      // With min_remaining, a check can be refused although its cost would pass; it is not
      // recorded.
      return records && item.min_remaining.units == 0 ? "r" : "c";
    case ItemKind::kAsk:
      return "p";
    case ItemKind::kDebt:
      return item.cost.units == 0 ? "p" : "d";
    case ItemKind::kRefund:
      return "f";
    case ItemKind::kReset:
      break;
  }
  return "x";
}

}  // namespace

void ScriptArguments::Text(std::string_view text) {
  RespWriter(RespVersion::k2, bytes_).Bulk(text);
  ++count_;
}

void ScriptArguments::Number(std::int64_t number) {
  std::array<char, 20> room;
  const char* const end = std::to_chars(room.data(), room.data() + room.size(), number).ptr;
  Text({room.data(), static_cast<std::size_t>(end - room.data())});
}

void ScriptArguments::Micros(Nanos length) { Number(length.count() / 1000); }

void ScriptArguments::Millis(Nanos length) {
  Number(std::chrono::ceil<std::chrono::milliseconds>(length).count());
}

void ScriptArguments::Ticks(const Interval& interval, Uint128 ticks) {
  const std::uint64_t per_second = interval.ticks_per_ns * kNanosPerSecond;
  const Uint128 whole = DivFloor(ticks, per_second);
  if (whole >= static_cast<Uint128>(kMaxSeconds)) {
    Number(kMaxSeconds);
    Number(0);
    return;
  }
  Number(static_cast<std::int64_t>(whole));
  Number(static_cast<std::int64_t>(ticks - whole * per_second));
}

void ScriptArguments::AddKey(const ScriptCall& call, std::size_t key, Time about) {
  AddTerms(call, key, *call.keys()[key].limit, about);
}

void ScriptArguments::AddFirst(const ScriptCall& call, std::size_t key, Time about) {
  const ScriptKey& of = call.keys()[key];
  if (!of.HasFirst()) return;
  Text("&");
  Number(static_cast<std::int64_t>(key) + 1);
  Millis(KeptFor(of.first.asked().terms()));
  Millis(of.first.kept_until.time_since_epoch());
  AddTerms(call, key, of.first.asked(), about);
}

void ScriptArguments::AddTerms(const ScriptCall& call, std::size_t key, const RemoteLimit& limit,
                               Time about) {
  std::visit(TermsWriter{*this, call, key, limit, about}, limit.terms());
}

Stagger WholeMicros(Stagger stagger, Nanos period) {
  const auto length = static_cast<std::uint64_t>(period.count());
  const auto offset =
      static_cast<std::uint64_t>((static_cast<Uint128>(stagger.key_hash) * length) >> 64U);
  // The smallest hash whose phase is the offset.
  const Uint128 whole = static_cast<Uint128>(offset / 1000 * 1000) << 64U;
  return {static_cast<std::uint64_t>(DivCeil(whole, length))};
}

void ScriptArguments::AddItem(const ScriptCall& call, const ScriptItem& item) {
  const ScriptKey& key = call.keys()[item.key];
  const std::string_view letter = LetterOf(*key.limit, item);
  if (IsOfFirst(key, item)) {
    // It is unknown whether first terms record refused checks.
    Text(letter == "r" ? "c" : letter);
    Number(static_cast<std::int64_t>(PlaceOfFirst(call, item.key)) + 1);
    Number(item.bound ? BoundNumber(item.bound->other_until) : 0);
    AddNumbers(key.first.asked(), item);
  }
  Text(letter);
  Number(static_cast<std::int64_t>(item.key) + 1);
  Number(VetoNumber(item));
  AddNumbers(*key.limit, item);
}

void ScriptArguments::AddNumbers(const RemoteLimit& limit, const ScriptItem& item) {
  std::visit(NumbersWriter{*this, item}, limit.terms());
}

}  // namespace sluice
