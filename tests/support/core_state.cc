#include "support/core_state.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::testing {
namespace {

template <typename Limit>
constexpr bool kHasPermits = std::is_same_v<Limit, Concurrency>;

// These overloads hide that a fixed window, which may be staggered, takes one argument more.
template <typename Limit, typename State>
Decision CheckOne(const Limit& limit, State& state, Cost cost, Time now, Stagger stagger) {
  if constexpr (std::is_same_v<Limit, FixedWindow>) {
    return sluice::Check(limit, state, cost, now, stagger);
  } else if constexpr (kHasPermits<Limit>) {
    return sluice::Peek(limit, state, cost, now);
  } else {
    return sluice::Check(limit, state, cost, now);
  }
}

template <typename Limit, typename State>
Decision TakeDebtOne(const Limit& limit, State& state, Cost cost, Time now, Stagger stagger) {
  if constexpr (std::is_same_v<Limit, FixedWindow>) {
    return sluice::TakeDebt(limit, state, cost, now, stagger);
  } else if constexpr (kHasPermits<Limit>) {
    return sluice::Peek(limit, state, Cost{0}, now);
  } else {
    return sluice::TakeDebt(limit, state, cost, now);
  }
}

template <typename Limit, typename State>
Decision PeekOne(const Limit& limit, const State& state, Cost cost, Time now, Stagger stagger) {
  if constexpr (std::is_same_v<Limit, FixedWindow>) {
    return sluice::Peek(limit, state, cost, now, stagger);
  } else {
    return sluice::Peek(limit, state, cost, now);
  }
}

template <typename Limit, typename State>
void RefundOne(const Limit& limit, State& state, Cost cost, Time now) {
  constexpr bool kIsPacer = std::is_same_v<Limit, Pacer> || std::is_same_v<Limit, WarmUpPacer>;
  if constexpr (!kIsPacer && !kHasPermits<Limit>) sluice::Refund(limit, state, cost, now);
}

}  // namespace

CoreState::CoreState(const Terms& terms, Stagger stagger) : terms_(terms), stagger_(stagger) {
  Forget();
}

CoreState::CoreState(const CoreState& other)
    : Subject(other),
      terms_(other.terms_),
      stagger_(other.stagger_),
      state_(other.state_),
      ring_(other.ring_),
      parts_(other.parts_),
      permits_(other.permits_),
      latest_(other.latest_) {
  Bind();
}

CoreState& CoreState::operator=(const CoreState& other) {
  if (this == &other) return *this;
  terms_ = other.terms_;
  stagger_ = other.stagger_;
  state_ = other.state_;
  ring_ = other.ring_;
  parts_ = other.parts_;
  permits_ = other.permits_;
  latest_ = other.latest_;
  Bind();
  return *this;
}

Time CoreState::Latest(Time now) {
  latest_ = std::max(latest_, now);
  return latest_;
}

void CoreState::Forget() {
  ring_.assign(2, {});
  permits_.assign(2, {});
  std::visit(
      [this](const auto& limit) {
        using Limit = std::decay_t<decltype(limit)>;
        if constexpr (std::is_same_v<Limit, SlidingBuckets>) {
          parts_.assign(static_cast<std::size_t>(limit.buckets) + 1, 0);
        }
        state_ = typename Limit::State{};
      },
      terms_);
  Bind();
}

void CoreState::Bind() {
  if (auto* log = std::get_if<LogState>(&state_)) log->ring = ring_;
  if (auto* parts = std::get_if<PartsState>(&state_)) parts->parts = parts_;
  if (auto* held = std::get_if<PermitsState>(&state_)) held->permits = permits_;
}

void CoreState::MakeRoom() {
  if (auto* log = std::get_if<LogState>(&state_); log != nullptr && log->size >= ring_.size()) {
    std::vector<LogEntry> larger(ring_.size() * 2);
    for (std::uint32_t i = 0; i < log->size; ++i) larger[i] = log->At(i);
    ring_ = std::move(larger);
    log->head = 0;
  }
  if (auto* held = std::get_if<PermitsState>(&state_);
      held != nullptr && held->size >= permits_.size()) {
    permits_.resize(permits_.size() * 2);
  }
  Bind();
}

Decision CoreState::Check(Cost cost, Time now) {
  MakeRoom();
  return std::visit(
      [&](const auto& limit) {
        auto& state = std::get<typename std::decay_t<decltype(limit)>::State>(state_);
        return CheckOne(limit, state, cost, Latest(now), stagger_);
      },
      terms_);
}

Decision CoreState::Peek(Cost cost, Time now) {
  return std::visit(
      [&](const auto& limit) {
        const auto& state = std::get<typename std::decay_t<decltype(limit)>::State>(state_);
        return PeekOne(limit, state, cost, Latest(now), stagger_);
      },
      terms_);
}

Decision CoreState::TakeDebt(Cost cost, Time now) {
  MakeRoom();
  return std::visit(
      [&](const auto& limit) {
        auto& state = std::get<typename std::decay_t<decltype(limit)>::State>(state_);
        return TakeDebtOne(limit, state, cost, Latest(now), stagger_);
      },
      terms_);
}

Decision CoreState::Refund(Cost cost, Time now) {
  std::visit(
      [&](const auto& limit) {
        auto& state = std::get<typename std::decay_t<decltype(limit)>::State>(state_);
        RefundOne(limit, state, cost, Latest(now));
      },
      terms_);
  return Peek(Cost{0}, now);
}

Decision CoreState::Reset(Time now) {
  Forget();
  return Peek(Cost{0}, now);
}

Decision CoreState::Acquire(PermitId id, Cost cost, Time now) {
  MakeRoom();
  return sluice::Acquire(std::get<Concurrency>(terms_), std::get<PermitsState>(state_), id, cost,
                         Latest(now));
}

Decision CoreState::Renew(PermitId id, Time now) {
  return sluice::Renew(std::get<Concurrency>(terms_), std::get<PermitsState>(state_), id,
                       Latest(now));
}

Decision CoreState::Release(PermitId id, Time now) {
  return sluice::Release(std::get<Concurrency>(terms_), std::get<PermitsState>(state_), id,
                         Latest(now));
}

void CoreState::Change(const Terms& terms, Time now) {
  const Time at = Latest(now);
  assert(terms.index() == terms_.index());
  std::visit(
      [&](const auto& from) {
        using Limit = std::decay_t<decltype(from)>;
        const auto& to = std::get<Limit>(terms);
        auto& state = std::get<typename Limit::State>(state_);
        if constexpr (std::is_same_v<Limit, FixedWindow>) {
          Convert(from, to, state, at, stagger_);
        } else if constexpr (!std::is_same_v<Limit, SlidingBuckets> && !kHasPermits<Limit>) {
          Convert(from, to, state, at);
        }
      },
      terms_);
  if (const auto* from = std::get_if<SlidingBuckets>(&terms_)) {
    const std::int64_t in_view = UnitsInView(*from, std::get<PartsState>(state_), at);
    terms_ = terms;
    Forget();
    const std::int64_t max = std::get<SlidingBuckets>(terms).rate.count;
    Check(Cost{std::min(in_view, max)}, at);
  }
  terms_ = terms;
}

Time CoreState::UnusedFrom() const {
  return std::visit(
      [&](const auto& limit) {
        return UnusedAt(limit, std::get<typename std::decay_t<decltype(limit)>::State>(state_));
      },
      terms_);
}

}  // namespace sluice::testing
