// Shard: states that need a block of memory (logs, parts, permits).
#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "store/plausible.h"
#include "store/shard.h"

namespace sluice {
namespace {

constexpr std::uint32_t kEntriesAtFirst = 4;
constexpr std::uint32_t kMaxEntries = std::uint32_t{1} << 30U;

// Per kind of block: its state, and how many entries it needs initially.
template <typename L>
struct Kind {};

template <>
struct Kind<SlidingLog> {
  static constexpr BlockKind kKind = BlockKind::kLog;
  static LogState Of(Block* block) { return LogOf(block); }
  static std::uint32_t First(const SlidingLog& /*terms*/) { return kEntriesAtFirst; }
};

template <>
struct Kind<SlidingBuckets> {
  static constexpr BlockKind kKind = BlockKind::kParts;
  static PartsState Of(Block* block) { return PartsOf(block); }
  static std::uint32_t First(const SlidingBuckets& terms) {
    return static_cast<std::uint32_t>(terms.buckets) + 1;
  }
};

template <>
struct Kind<Concurrency> {
  static constexpr BlockKind kKind = BlockKind::kPermits;
  static PermitsState Of(Block* block) { return PermitsOf(block); }
  static std::uint32_t First(const Concurrency& /*terms*/) { return kEntriesAtFirst; }
};

void Clear(LogState& state) { state.size = 0, state.units = 0; }
void Clear(PartsState& state) {
  std::fill(state.parts.begin(), state.parts.end(), 0);
  state.units = 0;
}
void Clear(PermitsState& state) { state.size = 0; }

template <typename L>
constexpr bool kInBlock = std::is_same_v<L, SlidingLog> || std::is_same_v<L, SlidingBuckets> ||
                          std::is_same_v<L, Concurrency>;

template <typename L>
Decision Apply(const L& terms, typename L::State& state, const Call& call, Time now) {
  switch (call.operation) {
    case Operation::kCheck:
      return Check(terms, state, call.cost, now);
    case Operation::kDebt:
      return TakeDebt(terms, state, call.cost, now);
    case Operation::kRefund:
      Refund(terms, state, call.cost, now);
      break;
    case Operation::kReset:
      Clear(state);
      break;
    // A limit that counts units has no permits: permit operations are answered and take nothing.
    case Operation::kPeek:
    case Operation::kAcquire:
    case Operation::kRenew:
    case Operation::kRelease:
      return Peek(terms, state, call.cost, now);
  }
  return Peek(terms, state, Cost{0}, now);
}

Decision Apply(const Concurrency& terms, PermitsState& state, const Call& call, Time now) {
  switch (call.operation) {
    case Operation::kAcquire:
      return Acquire(terms, state, call.permit, call.cost, now);
    case Operation::kRenew:
      return Renew(terms, state, call.permit, now);
    case Operation::kRelease:
      return Release(terms, state, call.permit, now);
    // Permits have ids: a call without one is answered and takes nothing.
    case Operation::kCheck:
    case Operation::kPeek:
      return Peek(terms, state, call.cost, now);
    case Operation::kReset:
      Clear(state);
      break;
    case Operation::kDebt:
    case Operation::kRefund:
      break;
  }
  return Peek(terms, state, Cost{0}, now);
}

// Copies the entries in order into a larger block.
void CopyEntries(const LogState& from, Block* to) {
  for (std::uint32_t i = 0; i < from.size; ++i) to->Entries<LogEntry>()[i] = from.At(i);
  to->size = from.size;
  to->units = from.units;
}

void CopyEntries(const PermitsState& from, Block* to) {
  std::copy_n(from.permits.begin(), from.size, to->Entries<Permit>());
  to->size = from.size;
}

// Joins the two oldest entries of a log: their units are held until the later one expires, which
// may refuse for too long but never admits too much.
void JoinOldest(Block* block) {
  LogState log = LogOf(block);
  log.At(1).units += log.At(0).units;
  log.head = static_cast<std::uint32_t>((std::size_t{log.head} + 1) % log.ring.size());
  --log.size;
  Store(log, block);
}

// Drops expired entries from a full block. Returns true if it is still full and the call adds an
// entry. Then room must be made, which a refused call must not trigger, because it may join
// entries.
template <typename L>
bool AddsToFull(const L& terms, const Call& call, Block* block, Time now) {
  typename L::State state = Kind<L>::Of(block);
  DropPast(terms, state, now);
  Store(state, block);
  if (state.size < block->capacity || call.cost.units == 0) return false;
  const bool passes = Peek(terms, state, call.cost, now).allowed;
  if constexpr (std::is_same_v<L, SlidingLog>) {
    const bool records = terms.count_refused == Refused::kRecord;
    return passes || records || call.operation == Operation::kDebt;
  } else {
    // A check takes no permit.
    return call.operation == Operation::kAcquire && passes && !IsHeld(state, call.permit);
  }
}

}  // namespace

// Makes room for the entry that the call adds. Returns false only for permits, if there is no
// memory.
template <typename L>
bool Shard::MakeRoom(const L& terms, const Call& call, Slot<2>& slot, Time now) {
  Block* const block = BlockOf(slot);
  if constexpr (std::is_same_v<L, SlidingBuckets>) {
    return true;
  } else {
    if (block->size < block->capacity || !AddsToFull(terms, call, block, now)) return true;
    const std::uint32_t capacity = std::min(block->capacity * 2, kMaxEntries);
    Block* const larger = capacity == block->capacity
                              ? nullptr
                              : blocks_.Make(Kind<L>::kKind, capacity, BytesFor(blocks_.Bytes()));
    if (larger != nullptr) {
      CopyEntries(Kind<L>::Of(block), larger);
      blocks_.Free(block);
      SetBlock(larger, slot);
      return true;
    }
    if constexpr (std::is_same_v<L, SlidingLog>) {
      JoinOldest(block);
      return true;
    }
    return false;
  }
}

// Converts a block that was written under other terms to the terms of the call. Returns false if
// there is no memory for that.
template <typename L>
bool Shard::Adopt(const L& terms, const Call& call, Slot<2>& slot, Time now) {
  const PreparedTerms& before = *call.limit->ById(static_cast<std::uint8_t>(slot.key));
  const L& from = std::get<L>(before.limit.terms);
  if constexpr (std::is_same_v<L, SlidingLog>) {
    LogState state = LogOf(BlockOf(slot));
    Convert(from, terms, state, now);
    Store(state, BlockOf(slot));
  } else if constexpr (std::is_same_v<L, SlidingBuckets>) {
    const std::int64_t in_view = UnitsInView(from, PartsOf(BlockOf(slot)), now);
    Block* const fresh = blocks_.Make(BlockKind::kParts, Kind<SlidingBuckets>::First(terms),
                                      BytesFor(blocks_.Bytes()));
    if (fresh == nullptr) return false;
    PartsState state = PartsOf(fresh);
    Check(terms, state, Cost{std::min(in_view, terms.rate.count)}, now);
    Store(state, fresh);
    blocks_.Free(BlockOf(slot));
    SetBlock(fresh, slot);
  }
  slot.key = (call.key().bits << 8U) | call.terms->id;
  return true;
}

template <typename L>
Slot<2>* Shard::FindOrMakeBlock(const L& terms, const Call& call, Time now) {
  Slot<2>* slot = block_slots_.Find(call.key());
  if (slot != nullptr && slot->words[0] <= Threshold(slot, now)) {
    block_slots_.Erase(*slot);
    slot = nullptr;
  }
  if (slot != nullptr) return slot;
  if (BoundToOverflow(call, now)) return nullptr;
  Block* const block =
      blocks_.Make(Kind<L>::kKind, Kind<L>::First(terms), BytesFor(blocks_.Bytes()));
  if (block == nullptr) return nullptr;
  slot = Insert(block_slots_, call, now);
  if (slot == nullptr) {
    blocks_.Free(block);
    return nullptr;
  }
  slot->words[0] = kClaimed;
  SetBlock(block, *slot);
  return slot;
}

template <typename L>
Decision Shard::RunInBlock(const L& terms, const Call& call, Time now) {
  // A peek must not release a claim of the request in progress.
  const bool keep_claim = call.operation == Operation::kPeek && HasClaimedBlock(call);
  Slot<2>* const slot = FindOrMakeBlock(terms, call, now);
  if (slot == nullptr) return RunShared(call, now);
  const bool adds = call.operation == Operation::kCheck || call.operation == Operation::kDebt ||
                    call.operation == Operation::kAcquire;
  if (adds && !MakeRoom(terms, call, *slot, now)) return RunShared(call, now);
  typename L::State state = Kind<L>::Of(BlockOf(*slot));
  const Decision decision = Apply(terms, state, call, now);
  if (keep_claim) return decision;
  Store(state, BlockOf(*slot));
  slot->words[0] = TimeWord(UnusedAt(terms, state));
  if (UnusedAt(terms, state) <= now) block_slots_.Erase(*slot);
  return decision;
}

// Calls f(terms) with the terms of a call whose state is in a block.
template <typename F>
auto WithBlockTerms(const PreparedTerms& prepared, F f) {
  using Answer = decltype(f(std::declval<const SlidingLog&>()));
  return std::visit(
      [&f]<typename L>(const L& terms) -> Answer {
        if constexpr (kInBlock<L>) {
          return f(terms);
        } else {
          return Answer{};
        }
      },
      prepared.limit.terms);
}

bool Shard::FitsItsTerms(const Slot<2>& slot, const Call& call, Time now) const {
  const PreparedTerms* const written = call.limit->ById(static_cast<std::uint8_t>(slot.key));
  if (written == nullptr) return false;
  PlausibleAt at{.now = now, .span = written->span};
  for (const PreparedTerms* const terms : call.limit->AllTerms()) {
    if (call.limit->algorithm() == Algorithm::kConcurrency) {
      at.span = std::max(at.span, terms->span);
    }
  }
  return WithBlockTerms(*written, [&]<typename L>(const L& terms) {
    Block* const block = BlockOf(slot);
    return block->kind == Kind<L>::kKind && IsPlausible(terms, Kind<L>::Of(block), at);
  });
}

// Converts a block of earlier terms; if there is no memory for that, the call continues under them.
void Shard::AdoptOrStay(Call& call, Time now) {
  Slot<2>* const slot = block_slots_.Find(call.key());
  if (slot == nullptr || slot->words[0] <= Threshold(slot, now)) return;
  if (BlockOf(*slot)->origin == BlockOrigin::kSnapshot) [[unlikely]] {
    if (!FitsItsTerms(*slot, call, now)) return block_slots_.Erase(*slot);
    BlockOf(*slot)->origin = BlockOrigin::kHere;
  }
  const auto id = static_cast<std::uint8_t>(slot->key);
  if (id == call.terms->id) [[likely]] {
    return;
  }
  const bool adopted = WithBlockTerms(
      *call.terms, [&](const auto& terms) { return Adopt(terms, call, *slot, now); });
  if (!adopted) call.terms = StayUnder(id, call, now);
}

Decision Shard::RunBlock(Call call, Time now) {
  AdoptOrStay(call, now);
  const Decision decision =
      WithBlockTerms(*call.terms, [&](const auto& terms) { return RunInBlock(terms, call, now); });
  HousekeepSometimes(block_slots_, now);
  return decision;
}

bool Shard::ClaimBlock(Call& call, Time now) {
  AdoptOrStay(call, now);
  // Room for another entry is made when it is added: a log can always join entries, and a check
  // takes no permit.
  return WithBlockTerms(
      *call.terms, [&](const auto& terms) { return FindOrMakeBlock(terms, call, now) != nullptr; });
}

bool Shard::HasClaimedBlock(const Call& call) {
  const Slot<2>* const slot = block_slots_.Find(call.key());
  return slot != nullptr && slot->words[0] == kClaimed;
}

void Shard::ReleaseBlock(const Call& call) {
  if (HasClaimedBlock(call)) block_slots_.Erase(*block_slots_.Find(call.key()));
}

}  // namespace sluice
