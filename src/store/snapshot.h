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
// with its terms by id; then for each shard its epoch and its four tables, each a number of slots
// (at most so many follow) and a run of them ended by a key word of 0; then for every limit and its
// terms the last use that is known of them. States are those of the shards one after the other, not
// of one instant.
class Snapshot {
 public:
  // Thread safety: decisions may go on; a shard waits while it is written.
  static Result<Done> Save(MemoryStore& store, const std::string& path, Time now);

  // REQUIRES: nothing else uses the store. An error if it has limits already, if the file is
  // damaged, or if its states do not fit the store's memory; the store is then to be thrown away.
  static Result<Done> Restore(MemoryStore& store, const std::string& path, const ZoneSource& zones,
                              Time now);

 private:
  // Every limit that has states, in the order of the file.
  static std::vector<const RegisteredLimit*> LimitsOf(const MemoryStore& store);
  static void SaveLimits(const MemoryStore& store, SnapshotWriter& out);
  static void SaveUses(const MemoryStore& store, SnapshotWriter& out);
  static void SaveShard(Shard& shard, Time now, SnapshotWriter& out);
  static Result<Done> RestoreLimits(MemoryStore& store, const ZoneSource& zones, Time now,
                                    SnapshotReader& in);
  static Result<Done> RestoreShard(Shard& shard, Time now, SnapshotReader& in);
  static Result<Done> RestoreBlocks(Shard& shard, Time now, SnapshotReader& in);
  template <typename TableType, typename Adjust>
  static Result<Done> RestoreTable(Shard& shard, TableType& table, Time now, SnapshotReader& in,
                                   Adjust adjust);
};

}  // namespace sluice
