// Shard: one 256th of the keys, under one lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

#include "core/limit/limit.h"
#include "store/block.h"
#include "store/local.h"
#include "store/overflow.h"
#include "store/packing.h"
#include "store/registered_limit.h"
#include "store/shard_lock.h"
#include "store/table.h"

namespace sluice {

// One operation on one key, with its hash and terms looked up. Members have no initial values, so
// that an array of calls costs nothing to construct.
struct Call {
  const RegisteredLimit* limit;
  const PreparedTerms* terms;
  std::uint64_t hash;  // all 64 bits; the top 8 select the shard
  Cost cost;
  PermitId permit;
  Operation operation;

  [[nodiscard]] KeyHash key() const {
    const std::uint64_t bits = hash & ((std::uint64_t{1} << 56U) - 1);
    return {bits != 0 ? bits : 1};
  }
};

struct ShardStats {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  std::uint64_t overflow_decisions = 0;
  std::uint64_t max_slots_moved = 0;
};

// The states of the keys whose hash selects this shard: a table for each slot width, blocks for
// larger states, and the shared states for when memory runs out.
//
// Thread safety: callers hold `lock` for everything except Prefetch. Padded to its own cache lines.
// Memory: tables and blocks together never take more than the budget given to Init.
//
// Invariants
//   (1) A key has a state in at most one table.
//   (2) The time of a call is never before that of an earlier call.
//   (3) A key that is in use is never dropped.
//   (4) No call moves more than 64 slots.
class alignas(128) Shard {
 public:
  struct Memory {
    std::byte* tables = nullptr;    // this shard's piece of the first row
    std::size_t rows_bytes = 0;     // rows of one table; there are kTables tables
    std::size_t budget = 0;         // maximum bytes for tables and blocks
    std::byte* overflow = nullptr;  // zeroed
    std::size_t overflow_bytes = 0;
  };

  Shard();
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  static constexpr std::size_t kTables = 4;

  void Init(const Memory& memory);

  ShardLock lock;

  void Prefetch(const Call& call) const {
    if (call.terms->shape == Shape::kNarrow) [[likely]] {
      return narrow_.Prefetch(call.key());
    }
    PrefetchWide(call);
  }

  // Returns the latest time seen here, `now` included.
  Time Advance(Time now) {
    if (now > latest_) latest_ = now;
    return latest_;
  }

  // Executes one call. REQUIRES: `now` came from Advance.
  void Run(const Call& call, Time now, Decision& decision) {
    decision = {};
    if (call.operation != Operation::kCheck || !CheckHeld(call, now, decision)) [[unlikely]] {
      decision = RunAny(call, now);
    }
  }

  // Claims a state of the key's own for a later charge, which cannot be dropped until Run or
  // ReleaseClaim has been called for it. Returns false if the charges go to a shared state. If a
  // state of earlier terms cannot be converted for lack of memory, the call continues under those
  // terms: `call.terms` is changed.
  bool Claim(Call& call, Time now);

  // Reserves a shared state for a call without a claim, if there is memory left for one and the
  // call could be charged to it.
  void ClaimShared(const Call& call, Time now) {
    const bool charges = call.cost.units != 0 && call.terms->overflow.limit != 0;
    if (charges) overflow_.Reserve(call.limit->index(), now);
  }
  // Frees shared states that were reserved but not charged.
  void ReleaseShared() { overflow_.DropUnused(); }

  // Executes one call on the state that the key shares with others.
  Decision RunShared(const Call& call, Time now);

  // Returns whether two calls without a claim would be charged to the same shared state.
  [[nodiscard]] bool ShareState(const Call& a, const Call& b) const {
    return a.limit == b.limit && overflow_.SameCell(a.limit->index(), a.hash, b.hash);
  }

  // Releases a claim that was not used.
  void ReleaseClaim(const Call& call);

  [[nodiscard]] ShardStats Stats() const;

  friend class Snapshot;

 private:
  struct KeepSlot {
    template <typename SlotType>
    void operator()(const SlotType& /*slot*/) const {}
  };
  struct FreeBlock {
    Blocks* blocks;
    void operator()(const Slot<2>& slot) const;
  };

  // The number of calls between two steps of housekeeping if no key is added.
  static constexpr std::uint32_t kCallsPerStep = 16;
  // A narrow slot has room for 2.28 years of nanoseconds; states reach a year ahead, so the epoch
  // may be a year old.
  static constexpr Nanos kEpochAge{std::int64_t{365} * 86400 * 1'000'000'000};
  // words[0] of a slot that is claimed but holds no state yet.
  static constexpr std::uint64_t kClaimed = ~std::uint64_t{0};

  void PrefetchWide(const Call& call) const;

  // The fast path: a check of a key that has a state under the same terms. Returns false if nothing
  // was done and RunAny has to run.
  bool CheckHeld(const Call& call, Time now, Decision& decision) {
    const PreparedTerms& terms = *call.terms;
    if (call.cost.units <= 0 || call.cost.units > terms.quick_units) return false;
    if (now - epoch_ > kEpochAge) return false;
    return terms.shape == Shape::kNarrow ? CheckHeldIn(narrow_, call, now, decision)
                                         : CheckHeldIn(pairs_, call, now, decision);
  }

  template <typename TableType>
  bool CheckHeldIn(TableType& table, const Call& call, Time now, Decision& decision) {
    auto* const slot = table.Find(call.key(), call.terms->id);
    if (slot == nullptr || slot->words[0] == kClaimed) return false;
    const NarrowPacking packing{epoch_};
    if (const auto* const window = std::get_if<QuickWindow>(&call.terms->quick)) {
      SlidingWindow::State state = LoadWindow(packing, *window, *slot);
      if (!sluice::Check(*window, state, call.cost, now, decision)) return false;
      SaveWindow(packing, *window, state, *slot);
    } else if constexpr (std::is_same_v<decltype(slot), Slot<1>* const>) {
      FineTime tat = packing.Load(*slot);
      sluice::Check(*std::get_if<QuickBucket>(&call.terms->quick), tat, call.cost, now, decision);
      packing.Save(tat, *slot);
    }
    HousekeepSometimes(table, now);
    return true;
  }

  Decision RunAny(const Call& call, Time now);

  // Returns how much of the budget is left for a table that uses `own` bytes now.
  [[nodiscard]] std::size_t BytesFor(std::size_t own) const;
  [[nodiscard]] std::size_t BytesInUse() const;

  // Returns the threshold for unused slots: a slot whose words[0] is at most this is unused.
  [[nodiscard]] std::uint64_t Threshold(const Slot<1>* /*width*/, Time now) const;
  template <std::size_t kWords>
  [[nodiscard]] std::uint64_t Threshold(const Slot<kWords>* /*width*/, Time now) const {
    return TimeWord(now);
  }

  template <std::size_t kWords>
  auto& TableOf() {
    if constexpr (kWords == 1) {
      return narrow_;
    } else if constexpr (kWords == 2) {
      return pairs_;
    } else {
      return triples_;
    }
  }

  // States in slots (shard_slots.cc).
  Decision RunSlot(const Call& call, Time now);
  bool ClaimSlot(Call& call, Time now);
  void ReleaseSlot(const Call& call);
  template <typename F>
  auto WithSlotTerms(const PreparedTerms& prepared, F f);
  template <std::size_t kWords, typename L>
  Decision RunInSlot(const L& terms, const Call& call, Time now);
  template <std::size_t kWords, typename L>
  bool ClaimInSlot(const L& terms, Call& call, Time now);
  template <std::size_t kWords, typename L>
  typename L::State StateIn(const Slot<kWords>& slot, const L& terms, const Call& call,
                            Time now) const;
  template <typename L>
  [[nodiscard]] bool Believes(const L& terms, Nanos span, const typename L::State& state,
                              Time now) const;
  template <std::size_t kWords, typename L>
  const PreparedTerms* MoveFromElsewhere(const L& terms, const Call& call, Time now);
  template <std::size_t kFrom, std::size_t kTo, typename L>
  const PreparedTerms* MoveHere(const L& terms, const Call& call, Time now);
  template <std::size_t kWords, typename L>
  void LoadState(const Slot<kWords>& slot, const L& terms, typename L::State& state) const;
  template <std::size_t kWords, typename L>
  void SaveState(const L& terms, const typename L::State& state, Slot<kWords>& slot) const;

  // States in blocks (shard_blocks.cc).
  Decision RunBlock(Call call, Time now);
  bool ClaimBlock(Call& call, Time now);
  void ReleaseBlock(const Call& call);
  bool HasClaimedBlock(const Call& call);
  template <typename L>
  Decision RunInBlock(const L& terms, const Call& call, Time now);
  template <typename L>
  Slot<2>* FindOrMakeBlock(const L& terms, const Call& call, Time now);
  template <typename L>
  bool MakeRoom(const L& terms, const Call& call, Slot<2>& slot, Time now);
  template <typename L>
  bool Adopt(const L& terms, const Call& call, Slot<2>& slot, Time now);
  void AdoptOrStay(Call& call, Time now);
  // Returns whether a block from a snapshot is plausible under the terms that its slot names.
  bool FitsItsTerms(const Slot<2>& slot, const Call& call, Time now) const;

  // Returns the earlier terms under which a key continues because there is no memory to convert its
  // state.
  static const PreparedTerms* StayUnder(std::uint8_t id, const Call& call, Time now) {
    call.limit->NoteUse(id, now);
    return call.limit->ById(id);
  }

  // Executes a call under other terms than its own.
  Decision RunUnder(const PreparedTerms& terms, Call call, Time now) {
    call.terms = &terms;
    return RunAny(call, now);
  }

  [[nodiscard]] bool BoundToOverflow(const Call& call, Time now) const {
    return overflow_.active(now) &&
           overflow_.Binds(call.limit->index(), call.terms->overflow, call.hash, now);
  }

  // A bounded step of housekeeping. It runs before every key that is added and otherwise once every
  // few calls, so that a call never has more than one.
  template <typename TableType>
  void Housekeep(TableType& table, Time now, Pace pace) {
    calls_since_step_ = 0;
    StepTable(table, now, pace);
    NoteMoves(table);
    if (table.moved() == 0) StepAnother(&table, now);
  }
  template <typename TableType>
  void StepTable(TableType& table, Time now, Pace pace) {
    table.ResetMoved();
    if (table.WantsResize()) table.Resize(BytesFor(table.Bytes()));
    table.Step(Threshold(static_cast<const typename TableType::SlotType*>(nullptr), now), pace);
  }
  // Tables that are not being called must be swept and shrunk, too; they take turns.
  void StepAnother(const void* just_stepped, Time now);
  template <typename TableType>
  void HousekeepSometimes(TableType& table, Time now) {
    if (++calls_since_step_ >= kCallsPerStep) Housekeep(table, now, Pace::kQuiet);
  }
  template <typename TableType>
  void NoteMoves(TableType& table) {
    max_slots_moved_ = std::max(max_slots_moved_, static_cast<std::uint64_t>(table.moved()));
  }

  // Returns a slot for a key that has none in `table`, or null if there is no memory for it.
  template <typename TableType>
  auto* Insert(TableType& table, const Call& call, Time now) {
    Housekeep(table, now, Pace::kAdding);
    auto* const slot =
        table.Insert(call.key(), call.terms->id,
                     Threshold(static_cast<const typename TableType::SlotType*>(nullptr), now));
    NoteMoves(table);
    return slot;
  }

  void MoveEpoch(Time now);

  // All guarded by `lock`. The members that every call reads are in the first two cache lines.
  Time latest_{};
  Time epoch_{};  // epoch of narrow slots
  std::uint32_t calls_since_step_ = 0;
  std::uint32_t turn_ = 0;  // of StepAnother
  Table<1, KeepSlot> narrow_{KeepSlot{}};
  Table<2, KeepSlot> pairs_{KeepSlot{}};
  Table<3, KeepSlot> triples_{KeepSlot{}};
  std::size_t budget_ = 0;
  Blocks blocks_;
  Table<2, FreeBlock> block_slots_{FreeBlock{&blocks_}};
  Overflow overflow_;
  std::uint64_t overflow_decisions_ = 0;
  std::uint64_t max_slots_moved_ = 0;
  // Whether slots may come from a snapshot, whose content is not trusted (plausible.h).
  bool restored_ = false;
};

}  // namespace sluice
