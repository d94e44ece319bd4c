// KeyState: conversion to new terms, and to the text that the script reads.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/algorithm/carry_over.h"
#include "remote/script/key_state.h"
#include "remote/script/number_text.h"

namespace sluice {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

std::int64_t MicrosOf(Time at) {
  return std::chrono::floor<std::chrono::microseconds>(at.time_since_epoch()).count();
}

// Writes the numbers of a state.
struct StateWriter {
  NumberWriter& out;

  template <typename T>
  void operator()(const T& terms, const FineTime& state) const {
    const std::int64_t nanos = state.whole.time_since_epoch().count();
    out.Add(nanos / kNanosPerSecond);
    out.Add(nanos % kNanosPerSecond * static_cast<std::int64_t>(terms.interval.ticks_per_ns) +
            static_cast<std::int64_t>(state.fraction));
  }
  void operator()(const IntervalBucket& /*terms*/, const IntervalBucket::State& state) const {
    out.Add(MicrosOf(state.full_at));
    out.Add(state.used);
  }
  void operator()(const FixedWindow& /*terms*/, const FixedWindow::State& state) const {
    out.Add(MicrosOf(state.end));
    out.Add(state.count);
  }
  void operator()(const SlidingWindow& /*terms*/, const SlidingWindow::State& state) const {
    out.Add(MicrosOf(state.end));
    out.Add(state.previous);
    out.Add(state.current);
  }
  void operator()(const SlidingBuckets& terms, const PartsState& state) const {
    if (state.units == 0) {
      out.Add(0);
      out.Add(0);
    }
    const std::int64_t places = std::int64_t{terms.buckets} + 1;
    std::int64_t last = 0;
    for (std::int64_t index = std::max<std::int64_t>(0, state.newest - terms.buckets);
         index <= state.newest; ++index) {
      const std::int64_t units = state.parts[static_cast<std::size_t>(index % places)];
      if (units == 0) continue;
      out.Add(index - last);
      out.Add(units);
      last = index;
    }
  }
  template <typename T, typename State>
  void operator()(const T& /*terms*/, const State& /*state*/) const {}
};

}  // namespace

bool KeyState::TakeOver(KeyState& from, Time now) {
  if (const auto* buckets = std::get_if<SlidingBuckets>(from.terms_)) {
    if (!std::holds_alternative<SlidingBuckets>(*terms_)) return false;
    const std::int64_t in_view = UnitsInView(*buckets, std::get<PartsState>(from.state_), now);
    const std::int64_t max = std::get<SlidingBuckets>(*terms_).rate.count;
    Check(Cost{std::min(in_view, max)}, now);
    return true;
  }
  bool is_done = false;
  From(from, [&]<typename T, typename To>(const T& old, auto& before, const To& terms,
                                          auto& after) {
    constexpr bool kHasNone = std::is_same_v<T, SlidingLog> || std::is_same_v<T, Concurrency> ||
                              std::is_same_v<T, SlidingBuckets>;
    if constexpr (std::is_same_v<T, FixedWindow> && std::is_same_v<To, FixedWindow>) {
      after = before;
      Convert(old, terms, after, now, stagger_);
      is_done = true;
    } else if constexpr (std::is_same_v<T, To> && !kHasNone) {
      after = before;
      Convert(old, terms, after, now);
      is_done = true;
    } else if constexpr ((std::is_same_v<T, TokenBucket> && std::is_same_v<To, IntervalBucket>) ||
                         (std::is_same_v<T, IntervalBucket> && std::is_same_v<To, TokenBucket>)) {
      after = CarryOver(old, before, terms, now);
      is_done = true;
    }
  });
  return is_done;
}

std::string KeyState::ToText(std::string_view tag) {
  std::string text(tag);
  text.push_back(' ');
  NumberWriter writer(' ', text);
  With([&](const auto& terms, auto& state) {
    StateWriter{writer}(terms, state);
    return Decision{};
  });
  return text;
}

Time KeyState::UnusedFrom() {
  Time unused{};
  With([&](const auto& terms, auto& state) {
    unused = UnusedAt(terms, state);
    return Decision{};
  });
  return unused;
}

}  // namespace sluice
