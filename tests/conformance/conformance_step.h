// ConformanceStep: what every subject is asked; ConformanceSubject: who is asked.
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
#include "store/remote.h"

namespace sluice::testing {

// A key under a limit of its own, as all subjects know it.
struct ConformanceKey {
  std::string name;  // of the limit
  std::string text;  // of the key
  LimitSpec spec;
  std::shared_ptr<const RemoteTerms> terms;
  FleetKey fleet_key;
  std::uint32_t route = 0;
};

struct ConformanceCharge {
  std::size_t key = 0;  // its place among the keys
  Cost cost{};
  Veto veto = Veto::kEnforce;
  Cost left_alone{0};
};

// kCheck: one request. All others: each charge on its own.
struct ConformanceStep {
  Operation operation = Operation::kCheck;
  Taking taking = Taking::kAllOrNone;
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

  // Forgets everything; from now on it is `now`.
  virtual void Begin(const std::vector<ConformanceKey>& keys, Time now) = 0;
  // A decision a charge. Fails the test where there is none.
  virtual std::vector<Decision> Take(const ConformanceStep& step) = 0;
  // What is wrong with what it keeps; empty where nothing is.
  virtual std::string Faults() = 0;
};

}  // namespace sluice::testing
