#include "store/snapshot.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "store/snapshot_file.h"
#include "store/spec_codec.h"

namespace sluice {
namespace {

constexpr std::uint32_t kVersion = 4;

Error DoesNotFit() { return {"the snapshot's states do not fit; expected a larger memory limit"}; }

template <typename TableType, typename Extra>
void SaveTable(TableType& table, std::uint64_t threshold, SnapshotWriter& out, Extra extra) {
  out.Number(table.extent());
  table.ForEach([&](const auto& slot) {
    if (slot.words[0] <= threshold) return;
    out.Number(slot);
    extra(slot);
  });
  out.Number(std::uint64_t{0});
}

std::size_t EntryBytes(const Block& block) {
  return block.capacity == 0 ? 0 : (block.bytes - sizeof(Block)) / block.capacity;
}

}  // namespace

Result<Done> Snapshot::Save(MemoryStore& store, const std::string& path, Time now) {
  now = store.Advance(now);
  // Held throughout: terms that were added while states are written would be missing in the file,
  // and two snapshots at once would write to one.
  const std::lock_guard guard(store.registry_mutex_);
  SnapshotWriter out(path);
  out.Number(kVersion);
  out.Number(store.seed_);
  out.Number(now);
  SaveLimits(store, out);
  for (std::size_t i = 0; i < MemoryStore::kShards; ++i) SaveShard(store.shards_[i], now, out);
  SaveUses(store, out);
  return out.Commit();
}

std::vector<const RegisteredLimit*> Snapshot::LimitsOf(const MemoryStore& store) {
  std::vector<const RegisteredLimit*> limits;
  for (const auto& limit : store.registry_) limits.push_back(limit.get());
  // A limit of an earlier snapshot that was not added again has states still, and it may yet be.
  for (const auto& limit : store.restored_) {
    const auto same = [&limit](const RegisteredLimit* other) {
      return other->name() == limit->name() && other->algorithm() == limit->algorithm();
    };
    if (std::none_of(limits.begin(), limits.end(), same)) limits.push_back(limit.get());
  }
  return limits;
}

void Snapshot::SaveLimits(const MemoryStore& store, SnapshotWriter& out) {
  const std::vector<const RegisteredLimit*> limits = LimitsOf(store);
  out.Number(static_cast<std::uint64_t>(limits.size()));
  for (const RegisteredLimit* const limit : limits) {
    out.Text(limit->name());
    out.Number(limit->algorithm());
    const std::vector<const PreparedTerms*> all = limit->AllTerms();
    out.Number(static_cast<std::uint64_t>(all.size()));
    for (const PreparedTerms* const terms : all) {
      out.Number(terms->id);
      WriteSpec(terms->limit.spec, out);
    }
  }
}

// After the states, so that no debt that was taken meanwhile is missing.
void Snapshot::SaveUses(const MemoryStore& store, SnapshotWriter& out) {
  for (const RegisteredLimit* const limit : LimitsOf(store)) {
    for (const PreparedTerms* const terms : limit->AllTerms()) {
      out.Number(limit->UsedAt(terms->id));
    }
  }
}

void Snapshot::SaveShard(Shard& shard, Time now, SnapshotWriter& out) {
  shard.lock.Lock();
  now = shard.Advance(now);
  const auto nothing = [](const auto& /*slot*/) {};
  out.Number(shard.epoch_);
  SaveTable(shard.narrow_, shard.Threshold(static_cast<const Slot<1>*>(nullptr), now), out,
            nothing);
  SaveTable(shard.pairs_, TimeWord(now), out, nothing);
  SaveTable(shard.triples_, TimeWord(now), out, nothing);
  SaveTable(shard.block_slots_, TimeWord(now), out, [&out](const Slot<2>& slot) {
    const Block& block = *BlockOf(slot);
    out.Number(block);
    out.Bytes(&block + 1, block.bytes - sizeof(Block));
  });
  shard.lock.Unlock();
}

Result<Done> Snapshot::Restore(MemoryStore& store, const std::string& path, const ZoneSource& zones,
                               Time now) {
  if (!store.registry_.empty() || !store.restored_.empty()) {
    return Error{"a snapshot is restored once, before limits are added"};
  }
  Result<SnapshotReader> opened = SnapshotReader::Open(path);
  if (!opened.ok()) return opened.error();
  SnapshotReader in = std::move(opened).value();
  const auto version = in.Number<std::uint32_t>();
  if (version != kVersion) {
    return Error{"'" + path + "' is a snapshot of version " + std::to_string(version) +
                 "; expected version " + std::to_string(kVersion)};
  }
  store.seed_ = in.Number<HashSeed>();
  store.Advance(in.Number<Time>());
  now = store.Advance(now);
  if (Result<Done> done = RestoreLimits(store, zones, now, in); !done.ok()) return done;
  for (std::size_t i = 0; i < MemoryStore::kShards; ++i) {
    if (Result<Done> done = RestoreShard(store.shards_[i], now, in); !done.ok()) return done;
  }
  for (const auto& limit : store.restored_) {
    for (const PreparedTerms* const terms : limit->AllTerms()) {
      limit->NoteUse(terms->id, in.Number<Time>());
    }
  }
  if (in.failed()) return Error{"'" + path + "' ends too early"};
  return Done{};
}

Result<Done> Snapshot::RestoreLimits(MemoryStore& store, const ZoneSource& zones, Time now,
                                     SnapshotReader& in) {
  for (auto left = in.Number<std::uint64_t>(); left > 0 && !in.failed(); --left) {
    const std::string name = in.Text();
    const auto algorithm = in.Number<Algorithm>();
    auto limit = std::make_unique<RegisteredLimit>(name, 0, store.seed_, algorithm);
    for (auto terms = in.Number<std::uint64_t>(); terms > 0 && !in.failed(); --terms) {
      const auto id = in.Number<std::uint8_t>();
      const auto made = MakeLimit(ReadSpec(in), zones);
      if (const auto* const error = std::get_if<LimitError>(&made)) {
        return Error{"limit '" + name + "' of the snapshot: " + error->message};
      }
      limit->RestoreTerms(std::get<Limit>(made), id, now);
    }
    store.restored_.push_back(std::move(limit));
  }
  return Done{};
}

template <typename TableType, typename Adjust>
Result<Done> Snapshot::RestoreTable(Shard& shard, TableType& table, Time now, SnapshotReader& in,
                                    Adjust adjust) {
  using SlotType = typename TableType::SlotType;
  const std::uint64_t threshold = shard.Threshold(static_cast<const SlotType*>(nullptr), now);
  // Nothing was inserted yet, so the table's own first piece is set aside for it.
  table.Reserve(in.Number<typename TableType::Extent>(),
                shard.BytesFor(0) + TableType::kBytesLeast);
  while (true) {
    SlotType slot;
    slot.key = in.Number<std::uint64_t>();
    if (slot.key == 0) {
      table.Restored();
      return Done{};
    }
    in.Bytes(slot.words, sizeof(slot.words));
    if (in.failed()) return Error{"the snapshot ends too early"};
    if (Result<Done> done = adjust(slot); !done.ok()) return done;
    if (slot.words[0] <= threshold) continue;
    SlotType* const place =
        table.Restore({TableType::HashOf(slot)}, TableType::TermsOf(slot), threshold);
    if (place == nullptr) {
      if constexpr (std::is_same_v<TableType, decltype(shard.block_slots_)>) {
        shard.blocks_.Free(BlockOf(slot));
      }
      return DoesNotFit();
    }
    *place = slot;
  }
}

Result<Done> Snapshot::RestoreShard(Shard& shard, Time now, SnapshotReader& in) {
  shard.Advance(now);
  const NarrowPacking before{in.Number<Time>()};
  const NarrowPacking after = before.MovedTo(now);
  shard.epoch_ = after.epoch;
  const auto from_new_epoch = [before, after](Slot<1>& slot) -> Result<Done> {
    slot.words[0] = before.WordUnder(after, slot);
    return Done{};
  };
  const auto as_it_is = [](const auto& /*slot*/) -> Result<Done> { return Done{}; };
  Result<Done> done = RestoreTable(shard, shard.narrow_, now, in, from_new_epoch);
  if (done.ok()) done = RestoreTable(shard, shard.pairs_, now, in, as_it_is);
  if (done.ok()) done = RestoreTable(shard, shard.triples_, now, in, as_it_is);
  return done.ok() ? RestoreBlocks(shard, now, in) : done;
}

Result<Done> Snapshot::RestoreBlocks(Shard& shard, Time now, SnapshotReader& in) {
  return RestoreTable(shard, shard.block_slots_, now, in, [&](Slot<2>& slot) -> Result<Done> {
    const auto saved = in.Number<Block>();
    const std::size_t whole = sizeof(Block) + EntryBytes(saved) * saved.capacity;
    if (in.failed() || saved.bytes != whole) return Error{"the snapshot ends too early"};
    Block* const block = shard.blocks_.Make(EntryBytes(saved), saved.capacity,
                                            shard.BytesFor(shard.blocks_.Bytes()));
    if (block == nullptr) return DoesNotFit();
    *block = saved;
    in.Bytes(block + 1, saved.bytes - sizeof(Block));
    SetBlock(block, slot);
    // It was in use when it was saved, but time may have passed since.
    if (slot.words[0] <= TimeWord(now)) shard.blocks_.Free(block);
    return Done{};
  });
}

}  // namespace sluice
