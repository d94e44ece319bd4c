// Shard: states that fit in a slot.
#include <type_traits>
#include <utility>
#include <variant>

#include "core/algorithm/carry_over.h"
#include "store/caller_terms.h"
#include "store/plausible.h"
#include "store/shard.h"

namespace sluice {
namespace {

// FixedWindow derives its phase from the key's hash; other algorithms do not use it.
template <typename L>
Decision CheckOf(const L& terms, typename L::State& state, const Call& call, Time now) {
  if constexpr (std::is_same_v<L, FixedWindow>) {
    return Check(terms, state, call.cost, now, Stagger{call.hash});
  } else {
    return Check(terms, state, call.cost, now);
  }
}

template <typename L>
Decision TakeDebtOf(const L& terms, typename L::State& state, const Call& call, Time now) {
  if constexpr (std::is_same_v<L, FixedWindow>) {
    return TakeDebt(terms, state, call.cost, now, Stagger{call.hash});
  } else {
    return TakeDebt(terms, state, call.cost, now);
  }
}

template <typename L>
Decision PeekOf(const L& terms, const typename L::State& state, Cost cost, const Call& call,
                Time now) {
  if constexpr (std::is_same_v<L, FixedWindow>) {
    return Peek(terms, state, cost, now, Stagger{call.hash});
  } else {
    return Peek(terms, state, cost, now);
  }
}

template <typename L>
void RefundOf(const L& terms, typename L::State& state, Cost cost, Time now) {
  constexpr bool kKeepsUnits = !std::is_same_v<L, Pacer> && !std::is_same_v<L, WarmUpPacer>;
  if constexpr (kKeepsUnits) Refund(terms, state, cost, now);
}

template <typename L>
void ConvertOf(const L& from, const L& to, typename L::State& state, const Call& call, Time now) {
  if constexpr (std::is_same_v<L, FixedWindow>) {
    Convert(from, to, state, now, Stagger{call.hash});
  } else {
    Convert(from, to, state, now);
  }
}

// A state in debt, or one that was converted from it, may stay in use for longer than its terms
// say. Not inlined, because the code of the checks should stay small.
template <typename L>
[[gnu::noinline]] void NoteDebt(const L& terms, const typename L::State& state, const Call& call,
                                Time now) {
  const Nanos span = call.terms->span;
  const Time unused_at = UnusedAt(terms, state);
  if (unused_at > now + span) call.limit->NoteUse(call.terms->id, unused_at - span);
}

template <typename L>
[[gnu::noinline]] Decision ApplyDebt(const L& terms, typename L::State& state, const Call& call,
                                     Time now) {
  const Decision decision = TakeDebtOf(terms, state, call, now);
  NoteDebt(terms, state, call, now);
  return decision;
}

template <typename L>
Decision Apply(const L& terms, typename L::State& state, const Call& call, Time now) {
  switch (call.operation) {
    case Operation::kCheck:
      return CheckOf(terms, state, call, now);
    case Operation::kDebt:
      return ApplyDebt(terms, state, call, now);
    case Operation::kRefund:
      RefundOf(terms, state, call.cost, now);
      break;
    case Operation::kReset:
      state = {};
      break;
    // A limit that counts units has no permits: permit operations are answered and take nothing.
    case Operation::kPeek:
    case Operation::kAcquire:
    case Operation::kRenew:
    case Operation::kRelease:
      return PeekOf(terms, state, call.cost, call, now);
  }
  return PeekOf(terms, state, Cost{0}, call, now);
}

// Whether the two variants of one algorithm keep different states.
template <typename From, typename To>
constexpr bool kChangesState = (std::is_same_v<From, TokenBucket> &&
                                std::is_same_v<To, IntervalBucket>) ||
                               (std::is_same_v<From, IntervalBucket> &&
                                std::is_same_v<To, TokenBucket>) ||
                               (std::is_same_v<From, Pacer> && std::is_same_v<To, WarmUpPacer>) ||
                               (std::is_same_v<From, WarmUpPacer> && std::is_same_v<To, Pacer>);

}  // namespace

template <std::size_t kWords, typename L>
void Shard::LoadState(const Slot<kWords>& slot, const L& terms, typename L::State& state) const {
  const NarrowPacking narrow{epoch_};
  if constexpr (std::is_same_v<L, SlidingWindow>) {
    state = LoadWindow(narrow, terms, slot);
  } else if constexpr (kWords == 1) {
    state = narrow.Load(slot);
  } else {
    Load(slot, state);
  }
}

template <std::size_t kWords, typename L>
void Shard::SaveState(const L& terms, const typename L::State& state, Slot<kWords>& slot) const {
  const NarrowPacking narrow{epoch_};
  if constexpr (std::is_same_v<L, SlidingWindow>) {
    SaveWindow(narrow, terms, state, slot);
  } else if constexpr (kWords == 1) {
    narrow.Save(state, slot);
  } else {
    Save(state, slot);
  }
}

// Returns whether these terms can have written the state. Only a file can contain others.
template <typename L>
bool Shard::Believes(const L& terms, Nanos span, const typename L::State& state, Time now) const {
  return !restored_ || IsPlausible(terms, state, {.now = now, .span = span});
}

// Returns the state in a slot that is in use, under the terms of the call. The slot may have
// another width, if it was written under earlier terms. An implausible state from a snapshot counts
// as unused.
template <std::size_t kWords, typename L>
typename L::State Shard::StateIn(const Slot<kWords>& slot, const L& terms, const Call& call,
                                 Time now) const {
  typename L::State state{};
  const std::uint8_t id = Table<kWords, KeepSlot>::TermsOf(slot);
  if constexpr (FitsSlot<L, kWords>()) {
    if (id == call.terms->id) [[likely]] {
      LoadState<kWords>(slot, terms, state);
      if (!Believes(terms, call.terms->span, state, now)) [[unlikely]] {
        return {};
      }
      return state;
    }
    if constexpr (kWords == 1 && std::is_same_v<L, TokenBucket>) {
      if (call.limit->terms_from() == TermsFrom::kCharge) {
        LoadState<kWords>(slot, terms, state);
        return Rescale(state, CallerTerms::TicksPerNs(id), terms.interval.ticks_per_ns);
      }
    }
  }
  const PreparedTerms* const written = call.limit->ById(id);
  if (written == nullptr) return state;  // only in snapshots
  const auto convert = [&]<typename From>(const From& from) {
    if constexpr (!FitsSlot<From, kWords>()) {
      return;
    } else if constexpr (std::is_same_v<From, L> || kChangesState<From, L>) {
      typename From::State before{};
      LoadState<kWords>(slot, from, before);
      if (!Believes(from, written->span, before, now)) return;
      if constexpr (std::is_same_v<From, L>) {
        state = before;
        ConvertOf(from, terms, state, call, now);
      } else {
        state = CarryOver(from, before, terms, now);
      }
    }
  };
  std::visit(convert, written->limit.terms);
  NoteDebt(terms, state, call, now);
  return state;
}

// Moves the key's state from a table that earlier terms used, if it has one there. Returns the
// terms under which the key continues: those of the call, or the earlier ones if there is no memory
// to move. Returns null if there is no state.
template <std::size_t kFrom, std::size_t kTo, typename L>
const PreparedTerms* Shard::MoveHere(const L& terms, const Call& call, Time now) {
  auto& before = TableOf<kFrom>();
  Slot<kFrom>* const slot = before.Find(call.key());
  if (slot == nullptr) return nullptr;
  if (slot->words[0] <= Threshold(slot, now)) {
    before.Erase(*slot);
    return nullptr;
  }
  const std::uint8_t id = Table<kFrom, KeepSlot>::TermsOf(*slot);
  const typename L::State state = StateIn<kFrom>(*slot, terms, call, now);
  if (UnusedAt(terms, state) <= now) {
    before.Erase(*slot);
    return nullptr;
  }
  Slot<kTo>* const place = Insert(TableOf<kTo>(), call, now);
  if (place == nullptr) return StayUnder(id, call, now);
  SaveState<kTo>(terms, state, *place);
  // Looked up again, because Insert may have done housekeeping in the other table.
  before.Erase(*before.Find(call.key()));
  return call.terms;
}

template <std::size_t kWords, typename L>
const PreparedTerms* Shard::MoveFromElsewhere(const L& terms, const Call& call, Time now) {
  const PreparedTerms* found = nullptr;
  if constexpr (kWords != 1) found = MoveHere<1, kWords>(terms, call, now);
  if constexpr (kWords != 2) {
    if (found == nullptr) found = MoveHere<2, kWords>(terms, call, now);
  }
  if constexpr (kWords != 3) {
    if (found == nullptr) found = MoveHere<3, kWords>(terms, call, now);
  }
  return found;
}

template <std::size_t kWords, typename L>
Decision Shard::RunInSlot(const L& terms, const Call& call, Time now) {
  auto& table = TableOf<kWords>();
  Slot<kWords>* slot = table.Find(call.key());
  if (slot == nullptr && call.limit->HasOtherShapes(call.terms->shape)) [[unlikely]] {
    const PreparedTerms* const found = MoveFromElsewhere<kWords>(terms, call, now);
    if (found != nullptr && found != call.terms) return RunUnder(*found, call, now);
    slot = table.Find(call.key());
  }
  if (slot == nullptr && BoundToOverflow(call, now)) [[unlikely]] {
    return RunShared(call, now);
  }
  typename L::State state{};
  const bool in_use =
      slot != nullptr && slot->words[0] > Threshold(slot, now) && slot->words[0] != kClaimed;
  if (in_use) [[likely]] {
    state = StateIn<kWords>(*slot, terms, call, now);
  }
  const Decision decision = Apply(terms, state, call, now);
  if (call.operation == Operation::kPeek) return decision;
  if (UnusedAt(terms, state) <= now) {
    if (slot != nullptr) table.Erase(*slot);
    return decision;
  }
  if (slot == nullptr) {
    slot = Insert(table, call, now);
    if (slot == nullptr) return RunShared(call, now);
  }
  slot->key = (call.key().bits << 8U) | call.terms->id;
  SaveState<kWords>(terms, state, *slot);
  return decision;
}

template <std::size_t kWords, typename L>
bool Shard::ClaimInSlot(const L& terms, Call& call, Time now) {
  auto& table = TableOf<kWords>();
  Slot<kWords>* slot = table.Find(call.key());
  if (slot == nullptr && call.limit->HasOtherShapes(call.terms->shape)) {
    const PreparedTerms* const found = MoveFromElsewhere<kWords>(terms, call, now);
    if (found != nullptr) {
      call.terms = found;
      return true;
    }
  }
  if (slot != nullptr && slot->words[0] > Threshold(slot, now)) return true;
  if (slot == nullptr) {
    if (BoundToOverflow(call, now)) return false;
    slot = Insert(table, call, now);
    if (slot == nullptr) return false;
  }
  slot->key = (call.key().bits << 8U) | call.terms->id;
  slot->words[0] = kClaimed;
  return true;
}

// Calls f<kWords>(terms) with the terms of a call whose state fits in a slot.
template <typename F>
auto Shard::WithSlotTerms(const PreparedTerms& prepared, F f) {
  using Answer = decltype(f.template operator()<1>(std::declval<const TokenBucket&>()));
  const auto in_width = [&]<std::size_t kWords>() -> Answer {
    return std::visit(
        [&]<typename L>(const L& terms) -> Answer {
          if constexpr (FitsSlot<L, kWords>()) {
            return f.template operator()<kWords>(terms);
          } else {
            return Answer{};
          }
        },
        prepared.limit.terms);
  };
  if (prepared.shape == Shape::kNarrow) return in_width.template operator()<1>();
  if (prepared.shape == Shape::kPair) return in_width.template operator()<2>();
  return in_width.template operator()<3>();
}

Decision Shard::RunSlot(const Call& call, Time now) {
  return WithSlotTerms(*call.terms, [&]<std::size_t kWords>(const auto& terms) {
    const Decision decision = RunInSlot<kWords>(terms, call, now);
    HousekeepSometimes(TableOf<kWords>(), now);
    return decision;
  });
}

bool Shard::ClaimSlot(Call& call, Time now) {
  return WithSlotTerms(*call.terms, [&]<std::size_t kWords>(const auto& terms) {
    return ClaimInSlot<kWords>(terms, call, now);
  });
}

void Shard::ReleaseSlot(const Call& call) {
  const auto release = [&call](auto& table) {
    auto* const slot = table.Find(call.key());
    if (slot != nullptr && slot->words[0] == kClaimed) table.Erase(*slot);
  };
  if (call.terms->shape == Shape::kNarrow) return release(narrow_);
  if (call.terms->shape == Shape::kPair) return release(pairs_);
  release(triples_);
}

}  // namespace sluice
