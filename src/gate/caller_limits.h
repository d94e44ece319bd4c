// CallerLimits: token buckets whose terms callers bring with each charge.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gate/gate.h"
#include "sluice/charge.h"
#include "sluice/decision.h"
#include "sluice/result.h"
#include "store/brought_terms.h"

namespace sluice {

// What a caller asks for: `count` units in `period`, at most `burst` at one instant.
struct CallerTerms {
  std::int64_t burst = 1;
  std::int64_t count = 1;
  std::chrono::seconds period{1};

  friend bool operator==(const CallerTerms&, const CallerTerms&) = default;
};

// One thread's way to limits that are no rule's: any key, under any terms. What is kept of a key is
// the time at which it is unused again, so the same key under other terms goes on from there, and
// no number of different terms takes room in the store. Its keys are never those of rules.
//
// Charges are added one by one and decided together, in their order.
//
// Thread safety: none; one for each thread. Ownership: the gate outlives it, the bytes of the keys
// the next Decide.
//
// Invariants
//   (1) It remembers kRemembered terms, so that terms that come again are not worked out again, and
//       no more: a flood of different ones costs time, not memory.
//   (2) Nothing is allocated for terms that it remembers, once a batch of that size was decided.
class CallerLimits {
 public:
  static constexpr std::size_t kRemembered = 256;

  explicit CallerLimits(Gate& gate) : gate_(gate) {}

  // Adds a charge to the batch. An error, and nothing is added, if the terms make no limit.
  Result<Done> Add(const CallerTerms& terms, std::string_view key, Cost cost);

  // Decides what was added, and begins the next batch. One decision a charge, valid until the next
  // call. Source::kOverflow: there is no memory for the key, so it cannot tell.
  std::span<const Decision> Decide();

 private:
  struct Remembered {
    CallerTerms asked;
    std::unique_ptr<const BroughtTerms> terms;
  };

  // An error before the gate has its first rules.
  Result<Done> Find();
  Result<const BroughtTerms*> Recall(const CallerTerms& asked);

  Gate& gate_;
  std::optional<LimitHandle> handle_;
  std::array<Remembered, kRemembered> remembered_;  // by hash
  // Terms that were forgotten and that charges of the batch still refer to.
  std::vector<std::unique_ptr<const BroughtTerms>> forgotten_;
  std::vector<BroughtCharge> charges_;
  std::vector<Decision> decisions_;
};

}  // namespace sluice
