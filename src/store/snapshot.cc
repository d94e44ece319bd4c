#include "store/snapshot.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "store/block_codec.h"
#include "store/restore_bounds.h"
#include "store/snapshot_file.h"
#include "store/spec_codec.h"

namespace sluice {
namespace {

constexpr std::uint32_t kVersion = 5;

// Maximum size of the limits and the framing of a file; its states are at most as large as in
// memory.
constexpr std::uint64_t kBytesBesideStates = std::uint64_t{256} << 20U;

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

Error EndsTooEarly() { return {"the snapshot ends too early"}; }

Error Senseless(const std::string& what) {
  return {"the snapshot has " + what + "; expected one that was not changed"};
}

// Converts a narrow word to another epoch, earlier or later; 0 if it does not fit or the key is
// unused.
// REQUIRES: the epochs differ by a multiple of NarrowPacking::kCoarse.
std::uint64_t WordUnder(const NarrowPacking& before, const NarrowPacking& after,
                        std::uint64_t word) {
  const auto whole = static_cast<std::int64_t>(word >> 8U) - (after.epoch - before.epoch).count();
  const bool fits = whole > 0 && whole >> 56U == 0;
  return fits ? (static_cast<std::uint64_t>(whole) << 8U) | (word & 0xffU) : 0;
}

// Returns the epoch to convert slots of another epoch to: at `now` or less than kCoarse before it.
NarrowPacking EpochAt(const NarrowPacking& before, Time now) {
  constexpr Nanos kCoarse = NarrowPacking::kCoarse;
  Nanos moved = (now - before.epoch) / kCoarse * kCoarse;
  if (before.epoch + moved > now) moved -= kCoarse;
  return {before.epoch + moved};
}

}  // namespace

Result<Done> Snapshot::Save(MemoryStore& store, const std::string& path, Time now) {
  SnapshotWriter out(path);
  Save(store, out, now);
  return out.Commit();
}

void Snapshot::Save(MemoryStore& store, SnapshotWriter& out, Time now) {
  now = store.Advance(now);
  // Held throughout: terms that are added while states are written would be missing in the file.
  const std::lock_guard guard(store.registry_mutex_);
  out.Number(kVersion);
  out.Number(store.seed_);
  out.Number(now);
  SaveLimits(store, out);
  for (std::uint16_t i = 0; i < MemoryStore::kShards; ++i) {
    SaveShard(store.shards_[i], static_cast<std::uint16_t>(i + 1), now, out);
  }
  out.Number(std::uint16_t{0});
  SaveUses(store, out);
}

std::vector<const RegisteredLimit*> Snapshot::LimitsOf(const MemoryStore& store) {
  std::vector<const RegisteredLimit*> limits;
  for (const auto& limit : store.registry_) limits.push_back(limit.get());
  // A limit of an earlier snapshot that was not added again still has states and may be added
  // later.
  for (const auto& limit : store.restored_) {
    const auto same = [&limit](const RegisteredLimit* other) {
      return other->name() == limit->name() && other->algorithm() == limit->algorithm() &&
             other->terms_from() == limit->terms_from();
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
    WriteAlgorithm(limit->algorithm(), out);
    out.Number(limit->terms_from());
    const std::vector<const PreparedTerms*> all = limit->AllTerms();
    out.Number(static_cast<std::uint64_t>(all.size()));
    for (const PreparedTerms* const terms : all) {
      out.Number(terms->id);
      WriteSpec(terms->limit.spec, out);
    }
  }
}

// Written after the states, so that no debt that was taken meanwhile is missing.
void Snapshot::SaveUses(const MemoryStore& store, SnapshotWriter& out) {
  for (const RegisteredLimit* const limit : LimitsOf(store)) {
    for (const PreparedTerms* const terms : limit->AllTerms()) {
      out.Number(limit->UsedAt(terms->id));
    }
  }
}

void Snapshot::SaveShard(Shard& shard, std::uint16_t number, Time now, SnapshotWriter& out) {
  shard.lock.Lock();
  now = shard.Advance(now);
  if (shard.Stats().keys > 0) {
    const auto nothing = [](const auto& /*slot*/) {};
    out.Number(number);
    out.Number(shard.epoch_);
    SaveTable(shard.narrow_, shard.Threshold(static_cast<const Slot<1>*>(nullptr), now), out,
              nothing);
    SaveTable(shard.pairs_, TimeWord(now), out, nothing);
    SaveTable(shard.triples_, TimeWord(now), out, nothing);
    SaveTable(shard.block_slots_, TimeWord(now), out,
              [&out](const Slot<2>& slot) { WriteBlock(BlockOf(slot), out); });
  }
  shard.lock.Unlock();
}

struct Snapshot::Source {
  SnapshotReader& in;
  const RestoreBounds& bounds;
  Time now;
};

Result<Done> Snapshot::Restore(MemoryStore& store, const std::string& path, const ZoneSource& zones,
                               Time now) {
  Result<SnapshotReader> opened =
      SnapshotReader::Open(path, store.memory_bytes_ + kBytesBesideStates);
  if (!opened.ok()) return opened.error();
  SnapshotReader in = std::move(opened).value();
  return Restore(store, in, zones, now);
}

Result<Done> Snapshot::Restore(MemoryStore& store, SnapshotReader& in, const ZoneSource& zones,
                               Time now) {
  if (!store.registry_.empty() || !store.restored_.empty()) {
    return Error{"a snapshot is restored once, before limits are added"};
  }
  const auto version = in.Number<std::uint32_t>();
  if (version != kVersion) {
    return Error{"the snapshot is of version " + std::to_string(version) + "; expected version " +
                 std::to_string(kVersion)};
  }
  store.seed_ = in.Number<HashSeed>();
  // The clock may have been set back a little since then; the saved time may be anything.
  now = store.Advance(now);
  now = store.Advance(std::min(in.Number<Time>(), now + kMaxClockLead));
  if (Result<Done> done = RestoreLimits(store, zones, now, in); !done.ok()) return done;
  const RestoreBounds bounds(store.restored_);
  if (Result<Done> done = RestoreShards(store, {in, bounds, now}); !done.ok()) return done;
  RestoreUses(store, now, in);
  return in.failed() ? Result<Done>(EndsTooEarly()) : Done{};
}

Result<Done> Snapshot::RestoreLimits(MemoryStore& store, const ZoneSource& zones, Time now,
                                     SnapshotReader& in) {
  // Limits of the registry, plus limits of earlier runs that were not added again.
  constexpr std::uint64_t kMaxCount = 2 * MemoryStore::kMaxLimits;
  const auto count = in.Number<std::uint64_t>();
  if (count > kMaxCount) return Senseless("more limits than a store can have");
  std::unordered_set<std::string> known;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    const std::string name = in.Text();
    const Algorithm algorithm = ReadAlgorithm(in);
    const auto from = in.Number<std::uint8_t>();
    if (from > static_cast<std::uint8_t>(TermsFrom::kCharge)) in.Fail();
    if (in.failed()) break;
    if (!known.insert(name + static_cast<char>(algorithm) + static_cast<char>(from)).second) {
      return Senseless("two limits '" + name + "'");
    }
    auto limit = std::make_unique<RegisteredLimit>(name, 0, store.seed_, algorithm,
                                                   static_cast<TermsFrom>(from));
    if (Result<Done> done = RestoreTerms(*limit, zones, now, in); !done.ok()) {
      return Error{"limit '" + name + "' of the snapshot: " + done.error().message};
    }
    store.restored_.push_back(std::move(limit));
  }
  return in.failed() ? Result<Done>(EndsTooEarly()) : Done{};
}

Result<Done> Snapshot::RestoreTerms(RegisteredLimit& limit, const ZoneSource& zones, Time now,
                                    SnapshotReader& in) {
  const auto count = in.Number<std::uint64_t>();
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    const auto id = in.Number<std::uint8_t>();
    const LimitSpec spec = ReadSpec(in);
    if (in.failed()) break;
    if (id == 0 || limit.ById(id) != nullptr) return Error{"two terms have one id"};
    if (spec.algorithm != limit.algorithm()) return Error{"terms of another algorithm"};
    const auto made = MakeLimit(spec, zones);
    if (const auto* const error = std::get_if<LimitError>(&made)) return Error{error->message};
    limit.RestoreTerms(std::get<Limit>(made), id, now);
  }
  return in.failed() ? Result<Done>(EndsTooEarly()) : Done{};
}

Result<Done> Snapshot::RestoreShards(MemoryStore& store, const Source& source) {
  std::uint16_t before = 0;
  while (true) {
    const auto number = source.in.Number<std::uint16_t>();
    if (source.in.failed()) return EndsTooEarly();
    if (number == 0) return Done{};
    if (number <= before || number > MemoryStore::kShards) return Senseless("shards in disorder");
    before = number;
    if (Result<Done> done = RestoreShard(store.shards_[number - 1U], source); !done.ok()) {
      return done;
    }
  }
}

template <Shape kShape, typename TableType, typename Adjust>
Result<Done> Snapshot::RestoreTable(Shard& shard, TableType& table, const Source& source,
                                    Adjust adjust) {
  using SlotType = typename TableType::SlotType;
  SnapshotReader& in = source.in;
  const std::uint64_t threshold =
      shard.Threshold(static_cast<const SlotType*>(nullptr), source.now);
  const auto unused_at = [&](const SlotType& slot) {
    if constexpr (kShape == Shape::kNarrow) return RoundUp(NarrowPacking{shard.epoch_}.Load(slot));
    return TimeOf(slot.words[0]);
  };
  // Nothing was inserted yet, so the table's own first piece is set aside for it.
  table.Reserve(in.Number<typename TableType::Extent>(), shard.BytesFor(0) + TableType::kMinBytes);
  while (true) {
    SlotType slot;
    slot.key = in.Number<std::uint64_t>();
    if (slot.key == 0) {
      table.Restored();
      return in.failed() ? Result<Done>(EndsTooEarly()) : Done{};
    }
    in.Bytes(slot.words, sizeof(slot.words));
    if (in.failed()) return EndsTooEarly();
    // Frees the block of a dropped slot.
    const auto drop = [&] {
      if constexpr (kShape == Shape::kBlock) shard.blocks_.Free(BlockOf(slot));
    };
    if (Result<Done> done = adjust(slot); !done.ok()) return done;
    const KeyHash hash{TableType::HashOf(slot)};
    if (slot.words[0] <= threshold || hash.bits == 0 || table.Find(hash) != nullptr ||
        !source.bounds.Admits(kShape, TableType::TermsOf(slot), unused_at(slot), source.now)) {
      drop();
      continue;
    }
    SlotType* const place = table.Restore(hash, TableType::TermsOf(slot), threshold);
    if (place == nullptr) {
      drop();
      return StatesDoNotFit();
    }
    *place = slot;
  }
}

Result<Done> Snapshot::RestoreShard(Shard& shard, const Source& source) {
  shard.Advance(source.now);
  shard.restored_ = true;
  const NarrowPacking before{source.in.Number<Time>()};
  if (before.epoch < Time{} || before.epoch > kLatestTime) return Senseless("a shard of no time");
  const NarrowPacking after = EpochAt(before, source.now);
  shard.epoch_ = after.epoch;
  const auto from_new_epoch = [before, after](Slot<1>& slot) -> Result<Done> {
    slot.words[0] = WordUnder(before, after, slot.words[0]);
    return Done{};
  };
  const auto as_it_is = [](const auto& slot) -> Result<Done> {
    (void)slot;
    return Done{};
  };
  const auto with_block = [&](Slot<2>& slot) -> Result<Done> {
    const std::size_t bytes_max = shard.BytesFor(shard.blocks_.Bytes());
    Result<Block*> block = ReadBlock(shard.blocks_, bytes_max, source.in);
    if (!block.ok()) return block.error();
    SetBlock(block.value(), slot);
    if (block.value() == nullptr) slot.words[0] = 0;
    return Done{};
  };
  Result<Done> done = RestoreTable<Shape::kNarrow>(shard, shard.narrow_, source, from_new_epoch);
  if (done.ok()) done = RestoreTable<Shape::kPair>(shard, shard.pairs_, source, as_it_is);
  if (done.ok()) done = RestoreTable<Shape::kTriple>(shard, shard.triples_, source, as_it_is);
  if (!done.ok()) return done;
  return RestoreTable<Shape::kBlock>(shard, shard.block_slots_, source, with_block);
}

void Snapshot::RestoreUses(const MemoryStore& store, Time now, SnapshotReader& in) {
  for (const auto& limit : store.restored_) {
    for (const PreparedTerms* const terms : limit->AllTerms()) {
      const auto used_at = in.Number<Time>();
      limit->NoteUse(terms->id, std::clamp(used_at, Time{}, now + kLongestSpan));
    }
  }
}

}  // namespace sluice
