// MemoryStore: keeps every state in this process, in 256 shards.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/limit/limit.h"
#include "sluice/result.h"
#include "store/caller_terms.h"
#include "store/local.h"
#include "store/pages.h"
#include "store/registered_limit.h"
#include "store/shard.h"

namespace sluice {

struct MemoryStoreOptions {
  std::uint64_t memory_bytes = std::uint64_t{1} << 30U;  // maximum memory for states
  HashSeed seed;                                         // for the key hash; keep it secret
};

struct MemoryStoreStats {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  std::uint64_t overflow_decisions = 0;
  std::uint64_t max_slots_moved = 0;
};

// Keeps the states of all keys in memory, under a hard cap.
//
// Thread safety: every method may be called from any thread.
// Memory: three quarters of memory_bytes are for states; the last quarter is touched only when
// those are used up, for the states that new keys then share.
// Cost: one short lock for each run of charges in one shard. Batches are cheaper per charge,
// because all keys of a batch are hashed and prefetched before the first is decided.
//
// Invariants: those of Local, and
//   (5) A key in use is never forgotten, so no key ever gets a second allowance.
//   (6) No operation moves more than 64 slots.
class MemoryStore final : public Local {
 public:
  static Result<std::unique_ptr<MemoryStore>> Create(const MemoryStoreOptions& options);

  static constexpr std::size_t kMaxLimits = 65'535;

  // Adds a limit. Returns an error if the name is taken or there are kMaxLimits already.
  Result<LimitHandle> Add(std::string_view name, const Limit& limit, Time now);

  // Adds a limit whose terms come with each charge, for DecideCallerCharges only; otherwise as Add.
  Result<LimitHandle> AddCallerLimit(std::string_view name, Time now);

  // Gives a limit new terms; used units carry over. REQUIRES: a handle of this store.
  Result<Done> Change(LimitHandle limit, const Limit& to, Time now);
  // Makes room for new terms, so that the next Change of the limit cannot fail if it is to these.
  // REQUIRES: a handle of this store.
  Result<Done> Prepare(LimitHandle limit, const Limit& to, Time now);

  void DecideEach(Operation operation, std::span<const Charge> charges,
                  std::span<Decision> decisions, Time now) override;
  void Decide(std::span<const Request> requests, std::span<Decision> decisions, Time now) override;
  Decision DecidePermit(Operation operation, const Charge& charge, PermitId permit,
                        Time now) override;

  // Decides each charge on its own, under the terms that it carries; a cost of 0 is a peek. A
  // charge that there is no memory for is refused with Source::kOverflow, because a shared state is
  // meaningless when every charge has different terms.
  // REQUIRES: a handle of AddCallerLimit; decisions.size() >= charges.size().
  void DecideCallerCharges(LimitHandle limit, std::span<const CallerCharge> charges,
                           std::span<Decision> decisions, Time now);

  // Returns the permit for a caller's id: a hash of the id.
  [[nodiscard]] PermitId HashPermit(std::string_view id) const;

  // Locks one shard after the other, so the sum is not of a single instant.
  [[nodiscard]] MemoryStoreStats StatsApprox() const;

 private:
  friend class Snapshot;

  static constexpr std::size_t kShards = 256;
  static constexpr std::size_t kBatch = 16;

  // One charge of a request with several; see decide_together.cc.
  struct Item;

  explicit MemoryStore(const MemoryStoreOptions& options)
      : memory_bytes_(options.memory_bytes), seed_(options.seed) {}
  Result<Done> Init(const MemoryStoreOptions& options);
  Result<LimitHandle> AddFrom(TermsFrom terms_from, std::string_view name, const Limit& limit,
                              Time now);

  // Returns the latest time seen by any call, `now` included.
  Time Advance(Time now);

  [[nodiscard]] RegisteredLimit& LimitOf(LimitHandle handle) const {
    return *limits_[handle.index].load(std::memory_order_acquire);
  }
  void MakeCall(Operation operation, const Charge& charge, Call& call) const;
  [[nodiscard]] Shard& ShardOf(const Call& call) const { return shards_[call.hash >> 56U]; }

  Decision DecideOne(const Call& call, Time now);
  template <typename MakeCallAt>
  void DecideBatch(std::size_t count, MakeCallAt make_call_at, std::span<Decision> decisions,
                   Time now);
  // Decides the leading requests that are a single charge, at most one batch. Returns how many it
  // decided.
  std::size_t DecideAlone(std::span<const Request> requests, std::span<Decision> decisions,
                          Time now);
  std::span<Item> MakeItems(const Request& request, Operation operation,
                            std::span<Item> room) const;
  static void TakeDebts(std::span<Item> items, std::span<Decision> decisions, Time now);
  static void ClaimAll(std::span<Item> items, Time now);
  static void JoinShared(std::span<Item> items);
  void DecideTogether(const Request& request, std::span<Decision> decisions, Time now);

  const std::uint64_t memory_bytes_;
  HashSeed seed_;
  Pages pages_;
  std::unique_ptr<Shard[]> shards_;
  std::atomic<std::int64_t> latest_{0};

  // Written under registry_mutex_; read through the atomics without it.
  mutable std::mutex registry_mutex_;
  std::unique_ptr<std::atomic<RegisteredLimit*>[]> limits_;
  std::vector<std::unique_ptr<RegisteredLimit>> registry_;
  std::unordered_set<std::string_view> names_;  // views of the names in registry_
  // Limits of a restored snapshot that have not been added again yet.
  std::vector<std::unique_ptr<RegisteredLimit>> restored_;
};

}  // namespace sluice
