// The Limiter of the public API: names, handles and a clock over the memory store.
#include <array>
#include <utility>

#include "core/limit/parse_limit.h"
#include "limiter/system_random.h"
#include "limiter/system_zones.h"
#include "sluice/limiter.h"
#include "store/memory_store.h"
#include "store/snapshot.h"

namespace sluice {
namespace {

class MemoryLimiter final : public Limiter {
 public:
  MemoryLimiter(std::unique_ptr<MemoryStore> store, std::unique_ptr<Clock> owned, Clock* clock)
      : owned_(std::move(owned)),
        clock_(clock != nullptr ? *clock : *owned_),
        store_(std::move(store)),
        zones_(SystemZones()) {}

  using Limiter::Add;

  Result<LimitHandle> Add(std::string_view name, const LimitSpec& spec) override {
    const Result<Limit> limit = Make(name, spec);
    return limit.ok() ? store_->Add(name, limit.value(), clock_.Now()) : limit.error();
  }

  Result<Done> Change(LimitHandle handle, const LimitSpec& spec) override {
    const Result<Limit> limit = Make("the new terms", spec);
    return limit.ok() ? store_->Change(handle, limit.value(), clock_.Now()) : limit.error();
  }

  Decision Check(const Charge& charge) override { return One(Operation::kCheck, charge); }
  Decision Peek(const Charge& charge) override { return One(Operation::kPeek, charge); }
  Decision TakeDebt(const Charge& charge) override { return One(Operation::kDebt, charge); }
  Decision Refund(const Charge& charge) override { return One(Operation::kRefund, charge); }
  Decision Reset(const Charge& charge) override { return One(Operation::kReset, charge); }

  void Check(std::span<const Charge> charges, std::span<Decision> decisions) override {
    store_->DecideEach(Operation::kCheck, charges, decisions, clock_.Now());
  }
  void Peek(std::span<const Charge> charges, std::span<Decision> decisions) override {
    store_->DecideEach(Operation::kPeek, charges, decisions, clock_.Now());
  }
  void Refund(std::span<const Charge> charges, std::span<Decision> decisions) override {
    store_->DecideEach(Operation::kRefund, charges, decisions, clock_.Now());
  }

  bool CheckAll(std::span<const Charge> charges, std::span<Decision> decisions) override {
    const Request request{charges};
    store_->Decide({&request, 1}, decisions, clock_.Now());
    return GoesAhead(decisions.first(charges.size()), {});
  }

  Decision WaitFor(const Charge& charge) override {
    const Decision decision = Check(charge);
    if (decision.allowed) clock_.SleepFor(decision.wait);
    return decision;
  }

  void WaitFor(const Charge& charge, const Later& later,
               std::function<void(const Decision&)> done) override {
    const Decision decision = Check(charge);
    if (!decision.allowed || decision.wait.count() == 0) return done(decision);
    later(decision.wait, [decision, done = std::move(done)] { done(decision); });
  }

  Decision Acquire(const Charge& charge, std::string_view id) override {
    return Permit(Operation::kAcquire, charge, id);
  }
  Decision Renew(const Charge& charge, std::string_view id) override {
    return Permit(Operation::kRenew, charge, id);
  }
  Decision Release(const Charge& charge, std::string_view id) override {
    return Permit(Operation::kRelease, charge, id);
  }

  Result<Done> SaveSnapshot(const std::string& path) override {
    return Snapshot::Save(*store_, path, clock_.Now());
  }
  Result<Done> RestoreSnapshot(const std::string& path) override {
    return Snapshot::Restore(*store_, path, zones_, clock_.Now());
  }

  [[nodiscard]] LimiterStats StatsApprox() const override {
    const MemoryStoreStats stats = store_->StatsApprox();
    return {stats.keys, stats.bytes, stats.overflow_decisions, stats.max_slots_moved};
  }

 private:
  Result<Limit> Make(std::string_view name, const LimitSpec& spec) {
    auto made = MakeLimit(spec, zones_);
    if (auto* const limit = std::get_if<Limit>(&made)) return std::move(*limit);
    const auto& error = std::get<LimitError>(made);
    return Error{std::string(name) + ": " + error.message};
  }

  Decision One(Operation operation, const Charge& charge) {
    Decision decision;
    store_->DecideEach(operation, {&charge, 1}, {&decision, 1}, clock_.Now());
    return decision;
  }

  Decision Permit(Operation operation, const Charge& charge, std::string_view id) {
    return store_->DecidePermit(operation, charge, store_->HashPermit(id), clock_.Now());
  }

  std::unique_ptr<Clock> owned_;  // only if the caller passed no clock
  Clock& clock_;
  std::unique_ptr<MemoryStore> store_;
  ZoneSource zones_;
};

}  // namespace

Result<LimitHandle> Limiter::Add(std::string_view name, std::string_view text) {
  // Add below looks up zones; the string form names none.
  const Result<Limit> limit = ParseLimit(text, ZoneSource{});
  if (!limit.ok()) return Error{std::string(name) + ": " + limit.error().message};
  return Add(name, limit.value().spec);
}

Result<std::unique_ptr<Limiter>> Limiter::Create(const Options& options) {
  const HashSeed seed = options.seed ? HashSeed{*options.seed, ~*options.seed} : DrawHashSeed();
  auto store = MemoryStore::Create({options.memory_bytes, seed});
  if (!store.ok()) return store.error();
  std::unique_ptr<Clock> owned = options.clock == nullptr ? MakeSystemClock() : nullptr;
  return std::unique_ptr<Limiter>(
      new MemoryLimiter(std::move(store).value(), std::move(owned), options.clock));
}

}  // namespace sluice
