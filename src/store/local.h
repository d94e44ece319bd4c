// Local: the synchronous interface to where states are kept.
#pragma once

#include <cstdint>
#include <span>

#include "core/concurrency.h"
#include "sluice/charge.h"
#include "sluice/decision.h"
#include "sluice/time.h"

namespace sluice {

// What is asked of a key.
enum class Operation : std::uint8_t {
  kCheck,    // take the cost if it passes
  kPeek,     // answer as check would, take nothing
  kDebt,     // take the cost in any case (core/debt.h); not of a concurrency limit
  kRefund,   // give back at most what is held
  kReset,    // forget the key
  kAcquire,  // concurrency: take a permit
  kRenew,    // concurrency: move a permit's deadline
  kRelease,  // concurrency: give a permit back
};

// What becomes of the charges of a request that are no debts.
enum class Taking : std::uint8_t {
  kAllOrNone,
  kNone,  // they are asked together, and nothing is taken or recorded
};

// One or more charges that are taken all or not at all, but for debts, which are taken in any case.
struct Request {
  std::span<const Charge> charges;
  std::span<const Veto> vetoes = {};  // one a charge, or none: all kEnforce
  // One a charge, or none: units that must be left when it is taken. Not for limits with
  // count_refused.
  std::span<const Cost> left_alone = {};
  Taking taking = Taking::kAllOrNone;
};

constexpr Veto VetoOf(std::span<const Veto> vetoes, std::size_t i) {
  return vetoes.empty() ? Veto::kEnforce : vetoes[i];
}

// A cost of 0 takes nothing, whatever is left.
constexpr Cost LeftAlone(const Request& request, std::size_t i) {
  const bool any = !request.left_alone.empty() && request.charges[i].cost.units != 0;
  return any ? request.left_alone[i] : Cost{0};
}

// Whether a request is one charge that passes or not by itself.
constexpr bool IsAlone(const Request& request) {
  return request.charges.size() == 1 && LeftAlone(request, 0).units == 0 &&
         request.taking == Taking::kAllOrNone;
}

// What is asked of the key of a charge.
constexpr Operation OperationOf(const Request& request, std::size_t i) {
  return VetoOf(request.vetoes, i) == Veto::kDebt ? Operation::kDebt : Operation::kCheck;
}

// Keeps states and decides on them without waiting for anything but a short lock.
//
// Thread safety: every method from any thread.
//
// Invariants
//   (1) Requests of one call are independent and take effect in order, all at one time.
//   (2) If a request goes ahead, every charge that passes on its own is taken; if not, none is
//       (count_refused records in the limits that themselves refuse). A kDebt charge is taken
//       whatever its request comes to: that cost was incurred already. With Taking::kNone nothing
//       else is taken: each charge is told whether it would pass, with those of the same key.
//   (3) The same key twice in a request counts cumulatively. Debts come first, wherever they stand:
//       each reports the state that those of its key leave, and the other charges are decided on
//       what is left then.
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

  // Decides requests of several charges; decisions are written in the order of the charges.
  // REQUIRES: room for a decision for every charge; at most kChargesMost charges a request; no
  // kDebt of a concurrency limit.
  virtual void Decide(std::span<const Request> requests, std::span<Decision> decisions,
                      Time now) = 0;

  // kAcquire, kRenew or kRelease of one permit.
  virtual Decision DecidePermit(Operation operation, const Charge& charge, PermitId permit,
                                Time now) = 0;

  static constexpr std::size_t kChargesMost = 64;
};

// Whether a request with these decisions goes ahead.
bool GoesAhead(std::span<const Decision> decisions, std::span<const Veto> vetoes);

}  // namespace sluice
