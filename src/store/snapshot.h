// Snapshot: every state of a memory store in a file, and back.
#pragma once

#include <string>
#include <vector>

#include "core/limit.h"
#include "sluice/result.h"
#include "store/memory_store.h"

namespace sluice {

class SnapshotReader;
class SnapshotWriter;

// Saves and restores a MemoryStore. The file has a version and a checksum, and holds the hash seed,
// so treat it as a secret. Shared overflow states are not saved: their keys start afresh.
//
// Layout, all numbers little endian as the machine has them: version; seed; time; the limits, each
// with its terms by id; then each shard that has states: its number from 1 on, its epoch and its
// four tables, each a number of slots (at most so many follow) and a run of them ended by a key
// word of 0; then a shard number of 0; then for every limit and its terms the last use that is
// known of them. States are those of the shards one after the other, not of one instant.
//
// The content of a file is not trusted. What cannot be read is an error. Slots that no limit of the
// file can have written are dropped on restore, and slots that do not fit their own limit count as
// unused when that limit meets them (plausible.h).
class Snapshot {
 public:
  // How far ahead of the machine's clock the time of a snapshot may move the store's. A clock that
  // was set back further does not hold the store up: states that lie too far ahead are dropped.
  static constexpr Nanos kMaxClockLead{std::int64_t{60} * 1'000'000'000};

  // Thread safety: decisions may go on; a shard waits while it is written.
  static Result<Done> Save(MemoryStore& store, const std::string& path, Time now);

  // REQUIRES: nothing else uses the store. An error if it has limits already, if the file is
  // damaged, or if its states do not fit the store's memory; the store is then to be thrown away.
  static Result<Done> Restore(MemoryStore& store, const std::string& path, const ZoneSource& zones,
                              Time now);
  // The same for the content of a file.
  static void Save(MemoryStore& store, SnapshotWriter& out, Time now);
  static Result<Done> Restore(MemoryStore& store, SnapshotReader& in, const ZoneSource& zones,
                              Time now);

 private:
  // Every limit that has states, in the order of the file.
  static std::vector<const RegisteredLimit*> LimitsOf(const MemoryStore& store);
  static void SaveLimits(const MemoryStore& store, SnapshotWriter& out);
  static void SaveUses(const MemoryStore& store, SnapshotWriter& out);
  static void SaveShard(Shard& shard, std::uint16_t number, Time now, SnapshotWriter& out);

  // What the states of a file are read with.
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
