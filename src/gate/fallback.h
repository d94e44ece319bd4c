// Fallback: answers by the rule's own policy where a remote could not be asked.
#pragma once

#include <span>
#include <vector>

#include "gate/limit_place.h"
#include "sluice/charge.h"
#include "sluice/decision.h"
#include "store/local.h"
#include "store/memory_store.h"

namespace sluice {

// One charge that the remote has not decided.
struct FallbackCharge {
  Charge charge;  // of this node's share
  Veto veto = Veto::kEnforce;
  Cost left_alone{0};
  OnStoreFailure policy = OnStoreFailure::kLocal;
};

// Decides on this node alone: by its share of a limit, or as the rule says without looking. All
// that it decides has Source::kFallback.
//
// Thread safety: none; one for each thread. Ownership: the store outlives it.
//
// Invariants
//   (1) Charges of a request are taken from shares all or not at all, as a Local does it; a rule
//       that denies refuses the request, so then nothing is taken but debts.
//   (2) A rule that allows or denies knows no numbers; who is denied is told to come back after
//       kDeniedFor.
class Fallback {
 public:
  static constexpr Nanos kDeniedFor = std::chrono::seconds{1};

  explicit Fallback(MemoryStore& store) : store_(store) {}

  // The charges of one request. REQUIRES: decisions.size() >= charges.size().
  void DecideTogether(std::span<const FallbackCharge> charges, Taking taking, Time now,
                      std::span<Decision> decisions);
  // Each on its own; kPeek, kRefund or kReset. REQUIRES: likewise.
  void DecideEach(Operation operation, std::span<const FallbackCharge> charges, Time now,
                  std::span<Decision> decisions);

 private:
  // Notes in shares_ those whose policy is this node's share, and decides the others.
  void Part(Operation operation, std::span<const FallbackCharge> charges,
            std::span<Decision> decisions);
  void Tell(std::span<Decision> decisions);

  MemoryStore& store_;
  std::vector<std::size_t> shares_;  // indexes of the charges
  std::vector<Charge> charges_;
  std::vector<Veto> vetoes_;
  std::vector<Cost> left_alone_;
  std::vector<Decision> decisions_;
};

}  // namespace sluice
