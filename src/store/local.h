// Local: the synchronous interface to a store of states.
#pragma once

#include <cstdint>
#include <span>

#include "core/algorithm/concurrency.h"
#include "sluice/charge.h"
#include "sluice/decision.h"
#include "sluice/time.h"

namespace sluice {

// An operation on a key.
enum class Operation : std::uint8_t {
  kCheck,    // take the cost if it passes
  kPeek,     // answer as kCheck would, but take nothing
  kDebt,     // take the cost in any case (core/algorithm/debt.h); not for concurrency limits
  kRefund,   // give back at most the units that are held
  kReset,    // forget the key
  kAcquire,  // concurrency: take a permit
  kRenew,    // concurrency: move a permit's deadline
  kRelease,  // concurrency: give a permit back
};

// Whether the charges of a request that are not debts are taken.
enum class ChargeMode : std::uint8_t {
  kAllOrNone,
  kNone,  // they are decided together, but nothing is taken or recorded
};

// One or more charges. Debts are taken in any case; the other charges are taken all or none.
struct Request {
  std::span<const Charge> charges;
  std::span<const Enforcement> enforcements = {};  // one per charge; if empty, all kEnforce
  // One per charge, or empty: the units that must remain after the charge. Not allowed for limits
  // with count_refused.
  std::span<const Cost> min_remaining = {};
  ChargeMode charge_mode = ChargeMode::kAllOrNone;
};

constexpr Enforcement EnforcementOf(std::span<const Enforcement> enforcements, std::size_t i) {
  return enforcements.empty() ? Enforcement::kEnforce : enforcements[i];
}

// Returns the units that must remain after charge i. A cost of 0 takes nothing and requires
// nothing.
constexpr Cost MinRemaining(const Request& request, std::size_t i) {
  const bool any = !request.min_remaining.empty() && request.charges[i].cost.units != 0;
  return any ? request.min_remaining[i] : Cost{0};
}

// Returns whether the request is a single charge that can be decided on its own.
constexpr bool IsAlone(const Request& request) {
  return request.charges.size() == 1 && MinRemaining(request, 0).units == 0 &&
         request.charge_mode == ChargeMode::kAllOrNone;
}

// Returns the operation for charge i.
constexpr Operation OperationOf(const Request& request, std::size_t i) {
  return EnforcementOf(request.enforcements, i) == Enforcement::kDebt ? Operation::kDebt
                                                                      : Operation::kCheck;
}

// Keeps states and decides on them. Never blocks except for a short lock.
//
// Thread safety: every method may be called from any thread.
//
// Invariants
//   (1) Requests of one call are independent and take effect in order, all at one time.
//   (2) If a request goes ahead, every charge that passes on its own is taken; if not, none is
//       (count_refused records in the limits that themselves refuse). A kDebt charge is taken even
//       if its request is refused, because that cost has been incurred already. With
//       ChargeMode::kNone only debts are taken: each other charge reports whether it would pass
//       together with those of the same key.
//   (3) The same key twice in a request counts cumulatively. Debts are applied first, wherever they
//       are in the request: each reports the state after all debts of its key, and the other
//       charges are decided on the state that remains.
//   (4) Time never goes back: an earlier `now` is taken as the latest one seen.
class Local {
 public:
  Local() = default;
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;
  virtual ~Local() = default;

  // Decides each charge on its own.
  // REQUIRES: decisions.size() >= charges.size(); not kAcquire, kRenew or kRelease.
  virtual void DecideEach(Operation operation, std::span<const Charge> charges,
                          std::span<Decision> decisions, Time now) = 0;

  // Decides requests with several charges. Writes the decisions in the order of the charges.
  // REQUIRES: decisions has room for every charge; at most kMaxCharges charges per request; no
  // kDebt charge of a concurrency limit.
  virtual void Decide(std::span<const Request> requests, std::span<Decision> decisions,
                      Time now) = 0;

  // Applies kAcquire, kRenew or kRelease to one permit.
  virtual Decision DecidePermit(Operation operation, const Charge& charge, PermitId permit,
                                Time now) = 0;

  static constexpr std::size_t kMaxCharges = 64;
};

// Returns whether a request with these decisions goes ahead.
bool GoesAhead(std::span<const Decision> decisions, std::span<const Enforcement> enforcements);

}  // namespace sluice
