// CallerLimits: token buckets whose terms callers send with each charge.
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
#include "store/caller_terms.h"

namespace sluice {

// The limit that a caller asks for: `count` units per `period`, at most `burst` at one instant.
struct CallerLimit {
  std::int64_t burst = 1;
  std::int64_t count = 1;
  std::chrono::seconds period{1};

  friend bool operator==(const CallerLimit&, const CallerLimit&) = default;
};

// One thread's access to limits that no rule defines: any key, under any terms. The state of a key
// is only the time at which it is unused again, so the same key under other terms continues from
// there, and no number of different terms takes memory in the store. Its keys never collide with
// those of rules.
//
// Charges are added one by one and decided together, in their order.
//
// Thread safety: none; one per thread. Ownership: the gate must outlive it, and the bytes of the
// keys must stay valid until the next Decide.
//
// Invariants
//   (1) It caches kRemembered terms, so that repeated terms are not computed again, and no more: a
//       flood of different terms costs time, not memory.
//   (2) Cached terms need no allocation once a batch of that size has been decided.
class CallerLimits {
 public:
  static constexpr std::size_t kRemembered = 256;

  explicit CallerLimits(Gate& gate) : gate_(gate) {}

  // Adds a charge to the batch. If the terms make no valid limit, adds nothing and returns an
  // error.
  Result<Done> Add(const CallerLimit& terms, std::string_view key, Cost cost);

  // Decides the added charges and begins the next batch. Returns one decision per charge, valid
  // until the next call. Source::kOverflow: there is no memory for the key, so this is no real
  // refusal.
  std::span<const Decision> Decide();

 private:
  struct Remembered {
    CallerLimit asked;
    std::unique_ptr<const CallerTerms> terms;
  };

  // Returns an error before the gate has its first rules.
  Result<Done> Find();
  Result<const CallerTerms*> Recall(const CallerLimit& asked);

  Gate& gate_;
  std::optional<LimitHandle> handle_;
  std::array<Remembered, kRemembered> remembered_;  // by hash
  // Evicted terms to which charges of the batch still refer.
  std::vector<std::unique_ptr<const CallerTerms>> forgotten_;
  std::vector<CallerCharge> charges_;
  std::vector<Decision> decisions_;
};

}  // namespace sluice
