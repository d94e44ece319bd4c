// ConformanceStep: one operation for all stores under test. ConformanceSubject: one such store.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sluice/charge.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "store/fleet_key.h"
#include "store/local.h"
#include "store/remote_store.h"

namespace sluice::testing {

// A key under its own limit, as all subjects know it.
struct ConformanceKey {
  std::string name;  // name of the limit
  std::string text;  // text of the key
  LimitSpec spec;
  std::shared_ptr<const RemoteTerms> terms;
  FleetKey fleet_key;
  std::uint32_t route = 0;
};

struct ConformanceCharge {
  std::size_t key = 0;  // index of the key
  Cost cost{};
  Enforcement enforcement = Enforcement::kEnforce;
  Cost min_remaining{0};
};

// A kCheck is one request. Any other operation applies to each charge separately.
struct ConformanceStep {
  Operation operation = Operation::kCheck;
  ChargeMode charge_mode = ChargeMode::kAllOrNone;
  std::vector<ConformanceCharge> charges;
  Time now{};
};

std::string ToText(const ConformanceStep& step, const std::vector<ConformanceKey>& keys);

class ConformanceSubject {
 public:
  ConformanceSubject() = default;
  ConformanceSubject(const ConformanceSubject&) = delete;
  ConformanceSubject& operator=(const ConformanceSubject&) = delete;
  virtual ~ConformanceSubject() = default;

  [[nodiscard]] virtual std::string name() const = 0;

  // Drops all state and sets the time to `now`.
  virtual void Begin(const std::vector<ConformanceKey>& keys, Time now) = 0;
  // Returns one decision per charge. Fails the test if there is none.
  virtual std::vector<Decision> Take(const ConformanceStep& step) = 0;
  // Describes inconsistencies in the stored data; empty if there are none.
  virtual std::string Faults() = 0;
};

}  // namespace sluice::testing
