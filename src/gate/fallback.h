// Fallback: decides by the rule's own policy if a remote store could not be asked.
#pragma once

#include <span>
#include <vector>

#include "gate/limit_place.h"
#include "sluice/charge.h"
#include "sluice/decision.h"
#include "store/local.h"
#include "store/memory_store.h"

namespace sluice {

// One charge that the remote store has not decided.
struct FallbackCharge {
  Charge charge;  // charge of this node's share
  Enforcement enforcement = Enforcement::kEnforce;
  Cost min_remaining{0};
  OnStoreFailure policy = OnStoreFailure::kLocal;
};

// Decides on this node alone: by the node's share of a limit, or as the rule says without looking
// at any state. All of its decisions have Source::kFallback.
//
// Thread safety: none; one per thread. Ownership: the store must outlive it.
//
// Invariants
//   (1) The charges of a request are taken from shares all or none, as by a Local. A rule that
//       denies refuses the request, so then only debts are taken.
//   (2) A rule that allows or denies has no numbers; a denied request is told to retry after
//       kDeniedFor.
class Fallback {
 public:
  static constexpr Nanos kDeniedFor = std::chrono::seconds{1};

  explicit Fallback(MemoryStore& store) : store_(store) {}

  // Decides the charges of one request. REQUIRES: decisions.size() >= charges.size().
  void DecideTogether(std::span<const FallbackCharge> charges, ChargeMode charge_mode, Time now,
                      std::span<Decision> decisions);
  // Decides each charge on its own, for kPeek, kRefund or kReset. REQUIRES: decisions.size() >=
  // charges.size().
  void DecideEach(Operation operation, std::span<const FallbackCharge> charges, Time now,
                  std::span<Decision> decisions);

 private:
  // Collects the charges whose policy is this node's share, and decides the others.
  void SplitByLocation(Operation operation, std::span<const FallbackCharge> charges,
                       std::span<Decision> decisions);
  void Tell(std::span<Decision> decisions);

  MemoryStore& store_;
  std::vector<std::size_t> shares_;  // indexes of the charges that use this node's share
  std::vector<Charge> charges_;
  std::vector<Enforcement> enforcements_;
  std::vector<Cost> min_remaining_;
  std::vector<Decision> decisions_;
};

}  // namespace sluice
