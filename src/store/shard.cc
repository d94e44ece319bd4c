#include "store/shard.h"

#include <algorithm>

namespace sluice {
Shard::Shard() = default;

Shard::~Shard() {
  block_slots_.ForEach([this](const Slot<2>& slot) { FreeBlock{&blocks_}(slot); });
}

void Shard::FreeBlock::operator()(const Slot<2>& slot) const { blocks->Free(BlockOf(slot)); }

void Shard::Init(const Memory& memory) {
  budget_ = memory.budget;
  narrow_.Init(memory.tables);
  pairs_.Init(memory.tables + memory.rows_bytes);
  triples_.Init(memory.tables + 2 * memory.rows_bytes);
  block_slots_.Init(memory.tables + 3 * memory.rows_bytes);
  overflow_.Init(memory.overflow, memory.overflow_bytes);
}

std::size_t Shard::BytesInUse() const {
  return narrow_.Bytes() + pairs_.Bytes() + triples_.Bytes() + block_slots_.Bytes() +
         blocks_.Bytes();
}

std::size_t Shard::BytesFor(std::size_t own) const {
  // The first piece of every table is set aside, so that a limit of another shape always finds
  // room.
  std::size_t aside = 0;
  const auto set_aside = [&aside](const auto& table) {
    if (!table.touched()) aside += table.kMinBytes;
  };
  set_aside(narrow_);
  set_aside(pairs_);
  set_aside(triples_);
  set_aside(block_slots_);
  const std::size_t others = BytesInUse() - own + aside;
  return budget_ > others ? budget_ - others : 0;
}

std::uint64_t Shard::Threshold(const Slot<1>* /*width*/, Time now) const {
  const auto age = static_cast<std::uint64_t>((now - epoch_).count());
  return age >> 56U != 0 ? kClaimed - 1 : age << 8U;
}

void Shard::PrefetchWide(const Call& call) const {
  switch (call.terms->shape) {
    case Shape::kNarrow:
      return narrow_.Prefetch(call.key());
    case Shape::kPair:
      return pairs_.Prefetch(call.key());
    case Shape::kTriple:
      return triples_.Prefetch(call.key());
    case Shape::kBlock:
      return block_slots_.Prefetch(call.key());
  }
}

Decision Shard::RunShared(const Call& call, Time now) {
  ++overflow_decisions_;
  const std::uint32_t limit = call.limit->index();
  const OverflowTerms& terms = call.terms->overflow;
  const auto peek = [&](Cost cost) { return overflow_.Peek(limit, terms, call.hash, cost, now); };
  switch (call.operation) {
    case Operation::kCheck:
    case Operation::kAcquire:
      return overflow_.Check(limit, terms, call.hash, call.cost, now);
    case Operation::kDebt:
      return overflow_.TakeDebt(limit, terms, call.hash, call.cost, now);
    case Operation::kPeek:
      return peek(call.cost);
    case Operation::kRenew: {
      // Shared states never give out permits.
      Decision decision = peek(Cost{0});
      decision.allowed = false;
      decision.retry_after = kNever;
      return decision;
    }
    // Shared states give nothing back, because that could raise the limit of another key.
    case Operation::kRefund:
    case Operation::kReset:
    case Operation::kRelease:
      break;
  }
  return peek(Cost{0});
}

// Moves the epoch of this shard's narrow slots. Needed once a year.
void Shard::MoveEpoch(Time now) {
  const NarrowPacking before{epoch_};
  const NarrowPacking after = before.MovedTo(now);
  narrow_.ForEach([&](Slot<1>& slot) { slot.words[0] = before.WordUnder(after, slot); });
  epoch_ = after.epoch;
}

Decision Shard::RunAny(const Call& call, Time now) {
  if (now - epoch_ > kEpochAge) [[unlikely]] {
    MoveEpoch(now);
  }
  return call.terms->shape == Shape::kBlock ? RunBlock(call, now) : RunSlot(call, now);
}

bool Shard::Claim(Call& call, Time now) {
  if (now - epoch_ > kEpochAge) [[unlikely]] {
    MoveEpoch(now);
  }
  return call.terms->shape == Shape::kBlock ? ClaimBlock(call, now) : ClaimSlot(call, now);
}

void Shard::ReleaseClaim(const Call& call) {
  return call.terms->shape == Shape::kBlock ? ReleaseBlock(call) : ReleaseSlot(call);
}

void Shard::StepAnother(const void* just_stepped, Time now) {
  constexpr std::uint32_t kTurns = 5;
  bool stepped = false;
  const auto step = [&](auto& table) {
    if (!table.touched() || &table == just_stepped) return;
    StepTable(table, now, Pace::kQuiet);
    NoteMoves(table);
    stepped = true;
  };
  for (std::uint32_t i = 0; i < kTurns && !stepped; ++i) {
    switch (turn_++ % kTurns) {
      case 0:
        step(narrow_);
        break;
      case 1:
        step(pairs_);
        break;
      case 2:
        step(triples_);
        break;
      case 3:
        step(block_slots_);
        break;
      default:
        overflow_.GiveBack(now);
        break;
    }
  }
}

ShardStats Shard::Stats() const {
  return {narrow_.used() + pairs_.used() + triples_.used() + block_slots_.used(),
          BytesInUse() + overflow_.Bytes(), overflow_decisions_, max_slots_moved_};
}

}  // namespace sluice
