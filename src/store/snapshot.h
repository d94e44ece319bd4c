// Snapshot: writes all states of a memory store to a file and reads them back.
#pragma once

#include <string>
#include <vector>

#include "core/limit/limit.h"
#include "sluice/result.h"
#include "store/memory_store.h"

namespace sluice {

class SnapshotReader;
class SnapshotWriter;

// Saves and restores a MemoryStore. The file has a version and a checksum. It contains the hash
// seed, so treat it as a secret. Shared overflow states are not saved: their keys start afresh.
//
// Layout, all numbers little endian as in memory: version; seed; time; the limits, each with its
// terms by id; then each shard that has states: its number (from 1), its epoch and its four tables;
// then a shard number of 0; then, for every limit and each of its terms, the last known use. A
// table is the number of its slots (at most so many follow), then the slots, ended by a key word of
// 0. Shards are saved one after the other, so the states are not of a single instant.
//
// The content of a file is not trusted. Unreadable content is an error. Slots that no limit of the
// file can have written are dropped on restore, and slots that do not fit their own limit count as
// unused when that limit first uses them (plausible.h).
class Snapshot {
 public:
  // How far ahead of the machine's clock the time of a snapshot may move the store's. If the clock
  // was set back further, the store does not wait for it: states that are too far ahead are
  // dropped.
  static constexpr Nanos kMaxClockLead{std::int64_t{60} * 1'000'000'000};

  // Thread safety: decisions may continue; each shard is locked while it is written.
  static Result<Done> Save(MemoryStore& store, const std::string& path, Time now);

  // REQUIRES: nothing else uses the store. Returns an error if the store already has limits, if the
  // file is damaged, or if its states do not fit the store's memory; then discard the store.
  static Result<Done> Restore(MemoryStore& store, const std::string& path, const ZoneSource& zones,
                              Time now);
  // Save and restore the content of a file.
  static void Save(MemoryStore& store, SnapshotWriter& out, Time now);
  static Result<Done> Restore(MemoryStore& store, SnapshotReader& in, const ZoneSource& zones,
                              Time now);

 private:
  // Returns every limit that has states, in the order of the file.
  static std::vector<const RegisteredLimit*> LimitsOf(const MemoryStore& store);
  static void SaveLimits(const MemoryStore& store, SnapshotWriter& out);
  static void SaveUses(const MemoryStore& store, SnapshotWriter& out);
  static void SaveShard(Shard& shard, std::uint16_t number, Time now, SnapshotWriter& out);

  // The input of a restore: reader, bounds and time.
  struct Source;
  static Result<Done> RestoreLimits(MemoryStore& store, const ZoneSource& zones, Time now,
                                    SnapshotReader& in);
  static Result<Done> RestoreTerms(RegisteredLimit& limit, const ZoneSource& zones, Time now,
                                   SnapshotReader& in);
  static Result<Done> RestoreShards(MemoryStore& store, const Source& source);
  static Result<Done> RestoreShard(Shard& shard, const Source& source);
  template <Shape kShape, typename TableType, typename Adjust>
  static Result<Done> RestoreTable(Shard& shard, TableType& table, const Source& source,
                                   Adjust adjust);
  static void RestoreUses(const MemoryStore& store, Time now, SnapshotReader& in);
};

}  // namespace sluice
