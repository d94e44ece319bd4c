#include "store/memory_store.h"

#include <algorithm>
#include <utility>

namespace sluice {
namespace {

// With less memory, the first pages of the tables would not fit.
constexpr std::uint64_t kMinMemory = std::uint64_t{16} << 20U;
// The tables reserve three times their memory in address space, which is limited to 128 TiB.
constexpr std::uint64_t kMaxMemory = std::uint64_t{16} << 40U;

// Holds the lock of one shard at a time and keeps it while consecutive calls are in the same shard.
class RunLock {
 public:
  RunLock() = default;
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;
  ~RunLock() {
    if (shard_ != nullptr) shard_->lock.Unlock();
  }

  void MoveTo(Shard& shard) {
    if (shard_ == &shard) return;
    if (shard_ != nullptr) shard_->lock.Unlock();
    shard_ = &shard;
    shard_->lock.Lock();
  }

 private:
  Shard* shard_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<MemoryStore>> MemoryStore::Create(const MemoryStoreOptions& options) {
  if (options.memory_bytes < kMinMemory) {
    return Error{"a memory limit of " + std::to_string(options.memory_bytes) +
                 " bytes is too small; expected at least 16 MiB"};
  }
  if (options.memory_bytes > kMaxMemory) {
    return Error{"a memory limit of " + std::to_string(options.memory_bytes) +
                 " bytes is too large; expected at most 16 TiB"};
  }
  std::unique_ptr<MemoryStore> store(new MemoryStore(options));
  if (Result<Done> done = store->Init(options); !done.ok()) return done.error();
  return store;
}

Result<Done> MemoryStore::Init(const MemoryStoreOptions& options) {
  const auto each = static_cast<std::size_t>(options.memory_bytes / kShards);
  const std::size_t for_overflow = each / 4 / kPageBytes * kPageBytes;
  const std::size_t budget = each - for_overflow;
  const std::size_t rows_bytes = (budget / kPieceBytes + 1) * kRowBytes;
  const std::size_t for_tables = Shard::kTables * rows_bytes;
  Result<Pages> pages = Pages::Reserve(for_tables + kShards * for_overflow);
  if (!pages.ok()) return pages.error();
  pages_ = std::move(pages).value();
  for (std::size_t i = 0; i < Shard::kTables; ++i) {
    // The first row stays on small pages, so that a few keys do not take megabytes.
    Pages::PreferLarge(pages_.data() + i * rows_bytes + kRowBytes, rows_bytes - kRowBytes);
  }
  shards_ = std::make_unique<Shard[]>(kShards);
  for (std::size_t i = 0; i < kShards; ++i) {
    shards_[i].Init({.tables = pages_.data() + i * kPieceBytes,
                     .rows_bytes = rows_bytes,
                     .budget = budget,
                     .overflow = pages_.data() + for_tables + i * for_overflow,
                     .overflow_bytes = for_overflow});
  }
  limits_ = std::make_unique<std::atomic<RegisteredLimit*>[]>(kMaxLimits);
  return Done{};
}

Result<LimitHandle> MemoryStore::Add(std::string_view name, const Limit& limit, Time now) {
  return AddFrom(TermsFrom::kLimit, name, limit, now);
}

// The limit passed here only fills the place of terms in snapshots; no charge is decided by it.
Result<LimitHandle> MemoryStore::AddCallerLimit(std::string_view name, Time now) {
  LimitSpec spec;
  spec.rate = Rate{1, Nanos{1}};
  return AddFrom(TermsFrom::kCharge, name, std::get<Limit>(MakeLimit(spec, {})), now);
}

Result<LimitHandle> MemoryStore::AddFrom(TermsFrom terms_from, std::string_view name,
                                         const Limit& limit, Time now) {
  const std::lock_guard guard(registry_mutex_);
  now = Advance(now);
  const auto named = [name](const auto& entry) { return entry->name() == name; };
  if (names_.contains(name)) {
    return Error{"a limit '" + std::string(name) +
                 "' exists already; expected a new name, or a change of its terms"};
  }
  if (registry_.size() >= kMaxLimits) return Error{"65,535 limits exist; no more can be added"};
  const auto index = static_cast<std::uint32_t>(registry_.size());
  auto added = std::make_unique<RegisteredLimit>(std::string(name), index, seed_,
                                                 limit.spec.algorithm, terms_from);
  const auto before = std::find_if(restored_.begin(), restored_.end(), [&](const auto& entry) {
    return named(entry) && entry->algorithm() == limit.spec.algorithm &&
           entry->terms_from() == terms_from;
  });
  if (before != restored_.end()) {
    for (const PreparedTerms* const terms : (*before)->AllTerms()) {
      added->RestoreTerms(terms->limit, terms->id, std::max(now, (*before)->UsedAt(terms->id)));
    }
  }
  if (Result<Done> done = added->Change(limit, now); !done.ok()) return done.error();
  limits_[index].store(added.get(), std::memory_order_release);
  names_.insert(added->name());
  registry_.push_back(std::move(added));
  return LimitHandle{index};
}

Result<Done> MemoryStore::Change(LimitHandle limit, const Limit& to, Time now) {
  const std::lock_guard guard(registry_mutex_);
  return LimitOf(limit).Change(to, Advance(now));
}

Result<Done> MemoryStore::Prepare(LimitHandle limit, const Limit& to, Time now) {
  const std::lock_guard guard(registry_mutex_);
  return LimitOf(limit).Prepare(to, Advance(now));
}

Time MemoryStore::Advance(Time now) {
  const std::int64_t count = std::min(now, kLatestTime).time_since_epoch().count();
  std::int64_t latest = latest_.load(std::memory_order_relaxed);
  // Relaxed: shards keep their own order under their locks; this only carries time between them.
  while (count > latest &&
         !latest_.compare_exchange_weak(latest, count, std::memory_order_relaxed)) {
  }
  return Time{Nanos{std::max(count, latest)}};
}

void MemoryStore::MakeCall(Operation operation, const Charge& charge, Call& call) const {
  const RegisteredLimit& limit = LimitOf(charge.limit);
  // Assigned member by member: copying a call right after it was built would stall on the stores to
  // its members.
  call.limit = &limit;
  call.terms = &limit.current();
  call.hash = limit.Hash(charge.key);
  call.cost = charge.cost;
  call.permit = {};
  call.operation = operation;
}

// Hashes and prefetches all keys first, so that their cache misses overlap. make_call_at(i, call)
// builds the i-th call. REQUIRES: count <= kBatch.
template <typename MakeCallAt>
void MemoryStore::DecideBatch(std::size_t count, MakeCallAt make_call_at,
                              std::span<Decision> decisions, Time now) {
  std::array<Call, kBatch> calls;
  for (std::size_t i = 0; i < count; ++i) {
    make_call_at(i, calls[i]);
    ShardOf(calls[i]).Prefetch(calls[i]);
  }
  RunLock lock;
  for (std::size_t i = 0; i < count; ++i) {
    Shard& shard = ShardOf(calls[i]);
    lock.MoveTo(shard);
    shard.Run(calls[i], shard.Advance(now), decisions[i]);
  }
}

void MemoryStore::DecideEach(Operation operation, std::span<const Charge> charges,
                             std::span<Decision> decisions, Time now) {
  now = Advance(now);
  if (charges.size() == 1) {
    Call call;
    MakeCall(operation, charges[0], call);
    decisions[0] = DecideOne(call, now);
    return;
  }
  while (!charges.empty()) {
    const std::size_t count = std::min(charges.size(), kBatch);
    const auto make_call_at = [&](std::size_t i, Call& call) {
      MakeCall(operation, charges[i], call);
    };
    DecideBatch(count, make_call_at, decisions, now);
    charges = charges.subspan(count);
    decisions = decisions.subspan(count);
  }
}

void MemoryStore::DecideCallerCharges(LimitHandle limit, std::span<const CallerCharge> charges,
                                      std::span<Decision> decisions, Time now) {
  now = Advance(now);
  const RegisteredLimit& registered = LimitOf(limit);
  while (!charges.empty()) {
    const std::size_t count = std::min(charges.size(), kBatch);
    const auto make_call_at = [&](std::size_t i, Call& call) {
      const CallerCharge& charge = charges[i];
      call.limit = &registered;
      call.terms = &charge.terms->prepared();
      call.hash = registered.Hash(charge.key);
      call.cost = charge.cost;
      call.permit = {};
      call.operation = charge.cost.units == 0 ? Operation::kPeek : Operation::kCheck;
    };
    DecideBatch(count, make_call_at, decisions, now);
    charges = charges.subspan(count);
    decisions = decisions.subspan(count);
  }
}

Decision MemoryStore::DecideOne(const Call& call, Time now) {
  RunLock lock;
  Shard& shard = ShardOf(call);
  lock.MoveTo(shard);
  Decision decision;
  shard.Run(call, shard.Advance(now), decision);
  return decision;
}

// Single charges need no claims: each is charged or refused on its own.
std::size_t MemoryStore::DecideAlone(std::span<const Request> requests,
                                     std::span<Decision> decisions, Time now) {
  std::size_t count = 0;
  while (count < std::min(requests.size(), kBatch) && IsAlone(requests[count])) ++count;
  const auto make_call_at = [&](std::size_t i, Call& call) {
    MakeCall(OperationOf(requests[i], 0), requests[i].charges[0], call);
  };
  DecideBatch(count, make_call_at, decisions, now);
  return count;
}

Decision MemoryStore::DecidePermit(Operation operation, const Charge& charge, PermitId permit,
                                   Time now) {
  now = Advance(now);
  Call call;
  MakeCall(operation, charge, call);
  call.permit = permit;
  return DecideOne(call, now);
}

PermitId MemoryStore::HashPermit(std::string_view id) const {
  SipHash hash(seed_);
  hash.Absorb("permit");
  return {hash.Finish(id)};
}

MemoryStoreStats MemoryStore::StatsApprox() const {
  MemoryStoreStats sum;
  for (std::size_t i = 0; i < kShards; ++i) {
    RunLock lock;
    lock.MoveTo(shards_[i]);
    const ShardStats stats = shards_[i].Stats();
    sum.keys += stats.keys;
    sum.bytes += stats.bytes;
    sum.overflow_decisions += stats.overflow_decisions;
    sum.max_slots_moved = std::max(sum.max_slots_moved, stats.max_slots_moved);
  }
  return sum;
}

}  // namespace sluice
