#include "remote/script/key_state.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <type_traits>
#include <utility>

#include "remote/script/log_plan.h"
#include "remote/script/number_text.h"
#include "remote/script/script_arguments.h"

namespace sluice {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
// The script's numbers are doubles, which hold microseconds exactly until the year 2255.
constexpr std::int64_t kMaxMicros = std::int64_t{1} << 53U;

// Reads microseconds since 1970.
bool ReadTime(NumberReader& reader, Time& at) {
  const std::int64_t micros = reader.Next();
  if (!reader.is_good() || micros < 0 || micros > kMaxMicros) return false;
  at = Time{std::chrono::microseconds{micros}};
  return true;
}

bool ReadUnits(NumberReader& reader, std::int64_t max, std::int64_t& units) {
  units = reader.Next();
  return reader.is_good() && units >= 0 && units <= max;
}

// Returns whether all missing tokens come back within a time span that can be added without
// overflow.
bool ComesBack(const IntervalBucket& terms, const IntervalBucket::State& state) {
  const Uint128 refills =
      DivCeil(static_cast<Uint128>(state.used), static_cast<std::uint64_t>(terms.rate.count));
  return refills * static_cast<Uint128>(terms.rate.period.count()) <=
         static_cast<Uint128>(kLongestSpan.count()) +
             static_cast<Uint128>(terms.rate.period.count());
}

// Reads a state that is stored as one text.
struct StateReader {
  NumberReader& reader;

  // Reads seconds and ticks.
  template <typename T>
  bool operator()(const T& terms, FineTime& state) const {
    const std::int64_t whole = reader.Next();
    const std::int64_t ticks = reader.Next();
    const auto per_ns = static_cast<std::int64_t>(terms.interval.ticks_per_ns);
    const bool is_sound = whole >= 0 && whole < kMaxMicros / 1'000'000 && ticks >= 0 &&
                          ticks / per_ns < kNanosPerSecond;
    if (!reader.is_good() || !is_sound) return false;
    state.whole = Time{Nanos{whole * kNanosPerSecond + ticks / per_ns}};
    state.fraction = static_cast<std::uint64_t>(ticks % per_ns);
    return true;
  }
  bool operator()(const IntervalBucket& terms, IntervalBucket::State& state) const {
    return ReadTime(reader, state.full_at) && ReadUnits(reader, kMaxMicros, state.used) &&
           ComesBack(terms, state);
  }
  bool operator()(const FixedWindow& terms, FixedWindow::State& state) const {
    return ReadTime(reader, state.end) && ReadUnits(reader, terms.rate.count, state.count);
  }
  bool operator()(const SlidingWindow& terms, SlidingWindow::State& state) const {
    return ReadTime(reader, state.end) && ReadUnits(reader, terms.rate.count, state.previous) &&
           ReadUnits(reader, terms.rate.count, state.current);
  }
  template <typename T, typename State>
  bool operator()(const T& /*terms*/, State& /*state*/) const {
    return false;
  }
};

// Returns the text after the tag and a space, without the part about other terms.
std::string_view NumbersOf(std::string_view text) {
  text = text.substr(0, text.find('|'));
  const std::size_t space = text.find(' ');
  return space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
}

template <typename T>
constexpr bool kIsRefundedInTime = std::is_same_v<T, TokenBucket> || std::is_same_v<T, LeakyBucket>;

// Returns the first whole microsecond at or after a time.
Time NextMicro(Time until) {
  return Time{std::chrono::ceil<std::chrono::microseconds>(until.time_since_epoch())};
}

// Refunds the time that the cost is worth, at most `left`.
template <typename T>
void RefundBefore(const T& terms, FineTime& state, Cost cost, Nanos left, Time now) {
  const Uint128 held = TicksAhead(terms.interval, state, now);
  const Uint128 back = std::min(TicksOf(terms.interval, cost.units),
                                TicksOf(terms.interval, std::max(left, Nanos{0})));
  state = AfterTicks(terms.interval, now, held > back ? held - back : 0);
}

template <typename T>
constexpr bool kIsStaggered = std::is_same_v<T, FixedWindow>;

}  // namespace

KeyState::KeyState(const Terms& terms, Stagger stagger) : terms_(&terms), stagger_(stagger) {
  if (const auto* window = std::get_if<FixedWindow>(&terms)) {
    if (window->window == WindowKind::kStaggered) {
      stagger_ = WholeMicros(stagger, window->rate.period);
    }
  }
  Forget();
}

std::optional<KeyState> KeyState::Read(const ScriptCall& call, std::size_t key,
                                       std::string_view text) {
  const ScriptKey& planned = call.keys()[key];
  std::optional<KeyState> read(std::in_place, planned.limit->terms(), planned.stagger);
  if (text.empty()) return read;
  bool is_good = false;
  if (std::holds_alternative<LogState>(read->state_)) {
    is_good = read->ReadLog(call, key, text);
  } else if (std::holds_alternative<PermitsState>(read->state_)) {
    is_good = read->ReadPermits(call, key, text);
  } else {
    is_good = read->ReadNumbers(NumbersOf(text));
  }
  if (!is_good) read.reset();
  return read;
}

std::optional<KeyState> KeyState::ReadText(const Terms& terms, std::string_view text,
                                           Stagger stagger) {
  std::optional<KeyState> read(std::in_place, terms, stagger);
  if (!read->ReadNumbers(NumbersOf(text))) read.reset();
  return read;
}

bool KeyState::ReadNumbers(std::string_view numbers) {
  const auto* const buckets = std::get_if<SlidingBuckets>(terms_);
  if (buckets != nullptr) return ReadParts(*buckets, numbers);
  NumberReader reader(' ', numbers);
  bool is_good = false;
  With([&](const auto& terms, auto& state) {
    is_good = StateReader{reader}(terms, state);
    return Decision{};
  });
  return is_good && reader.IsDone();
}

// Reads an index and its units, then pairs of a step and units. Parts that no longer fit into the
// ring are stale.
bool KeyState::ReadParts(const SlidingBuckets& terms, std::string_view numbers) {
  struct Part {
    std::int64_t index = 0;
    std::int64_t units = 0;
  };
  std::vector<Part> found;
  NumberReader reader(' ', numbers);
  auto& state = std::get<PartsState>(state_);
  const std::int64_t max_index = kMaxMicros / (terms.rate.period / terms.buckets / 1000).count();
  while (!reader.IsAtEnd() && reader.is_good()) {
    Part part;
    std::int64_t step = 0;
    if (!ReadUnits(reader, max_index, step)) return false;
    part.index = state.newest + step;
    if (part.index > max_index || (step == 0 && !found.empty())) return false;
    if (!ReadUnits(reader, terms.rate.count, part.units)) return false;
    state.newest = part.index;
    found.push_back(part);
  }
  const std::int64_t places = std::int64_t{terms.buckets} + 1;
  for (const Part& part : found) {
    if (part.index <= state.newest - places) continue;
    parts_[static_cast<std::size_t>(part.index % places)] = part.units;
    state.units += part.units;
  }
  return reader.IsDone() && !found.empty();
}

bool KeyState::ReadLog(const ScriptCall& call, std::size_t key, std::string_view numbers) {
  NumberReader reader(' ', numbers);
  LogTold told;
  for (LogTold::Unit* unit : {&told.newest, &told.first, &told.second, &told.oldest}) {
    if (!ReadTime(reader, unit->at)) return false;
  }
  const std::int64_t max = std::get<SlidingLog>(*terms_).rate.count;
  if (!ReadUnits(reader, max, told.units) || !reader.IsDone() || told.units == 0) return false;
  const LogPlan plan = PlanLog(call, key);
  told.first.depth = plan.first;
  told.second.depth = plan.second;
  told.oldest.depth = told.units - 1;
  auto& state = std::get<LogState>(state_);
  ring_ = LogLike(told);
  // Make room for a debt, and for a check that is recorded.
  state.size = static_cast<std::uint32_t>(ring_.size());
  state.units = told.units;
  ring_.resize(ring_.size() + 2);
  Bind();
  return true;
}

// Reads the units, the last deadline, and the deadline at which the requested units will be free.
bool KeyState::ReadPermits(const ScriptCall& call, std::size_t key, std::string_view numbers) {
  NumberReader reader(' ', numbers);
  std::int64_t units = 0;
  Time last{};
  Time free{};
  if (!ReadUnits(reader, kMaxMicros, units)) return false;
  if (!ReadTime(reader, last) || !ReadTime(reader, free)) return false;
  const std::int64_t max = std::get<Concurrency>(*terms_).max_in_flight;
  const std::int64_t asked = AskedOf(call, key).units;
  const std::int64_t first =
      asked <= max ? std::clamp<std::int64_t>(asked - (max - units), 0, units) : 0;
  if (first > 0) permits_.push_back({{}, free, first});
  if (units > first) permits_.push_back({{}, last, units - first});
  std::get<PermitsState>(state_).size = static_cast<std::uint32_t>(permits_.size());
  return reader.IsDone();
}

Decision KeyState::Peek(Cost cost, Time now) {
  return With(
      [&](const auto& terms, auto& state) { return sluice::Peek(terms, state, cost, now); });
}

Decision KeyState::Check(Cost cost, Time now) {
  return With([&]<typename T>(const T& terms, auto& state) {
    if constexpr (kIsStaggered<T>) {
      return sluice::Check(terms, state, cost, now, stagger_);
    } else if constexpr (std::is_same_v<T, Concurrency>) {
      // Permits have ids: a check takes none.
      return sluice::Peek(terms, state, cost, now);
    } else {
      return sluice::Check(terms, state, cost, now);
    }
  });
}

Decision KeyState::TakeDebt(Cost cost, Time now) {
  return With([&]<typename T>(const T& terms, auto& state) {
    if constexpr (kIsStaggered<T>) {
      return sluice::TakeDebt(terms, state, cost, now, stagger_);
    } else if constexpr (std::is_same_v<T, Concurrency>) {
      return sluice::Peek(terms, state, Cost{0}, now);
    } else {
      return sluice::TakeDebt(terms, state, cost, now);
    }
  });
}

Decision KeyState::Refund(Cost cost, Time now, std::optional<Time> until) {
  return With([&]<typename T>(const T& terms, auto& state) {
    constexpr bool kKeepsAll = std::is_same_v<T, Pacer> || std::is_same_v<T, Concurrency>;
    if constexpr (kIsRefundedInTime<T>) {
      if (until) {
        RefundBefore(terms, state, cost, NextMicro(*until) - now, now);
        return sluice::Peek(terms, state, Cost{0}, now);
      }
    }
    if constexpr (!kKeepsAll) sluice::Refund(terms, state, cost, now);
    return sluice::Peek(terms, state, Cost{0}, now);
  });
}

Decision KeyState::Reset(Time now) {
  Forget();
  return Peek(Cost{0}, now);
}

void KeyState::Forget() {
  ring_.clear();
  permits_.clear();
  std::visit(
      [&]<typename T>(const T& terms) {
        // Make room for a debt, and for a check that is recorded.
        if constexpr (std::is_same_v<T, SlidingLog>) ring_.assign(2, {});
        if constexpr (std::is_same_v<T, SlidingBuckets>) {
          parts_.assign(static_cast<std::size_t>(terms.buckets) + 1, 0);
        }
        if constexpr (!std::is_same_v<T, WarmUpPacer>) state_ = typename T::State{};
      },
      *terms_);
  Bind();
}

void KeyState::Bind() {
  if (auto* log = std::get_if<LogState>(&state_)) log->ring = ring_;
  if (auto* parts = std::get_if<PartsState>(&state_)) parts->parts = parts_;
  if (auto* held = std::get_if<PermitsState>(&state_)) held->permits = permits_;
}

}  // namespace sluice
