// ConformanceWorld: the same random trace for every subject.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/conformance_step.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "support/trace.h"

namespace sluice::testing {

// Where the states of a request are in a cluster.
enum class Routes : std::uint8_t {
  kOne,     // in one slot
  kSpread,  // anywhere; then no limit records refused checks, and none is a pacer
};

struct ConformanceCounts {
  int steps = 0;
  int allowed = 0;
  int refused = 0;
  int in_use = 0;  // with a key that was in use then
};

// Some keys under random limits. Every step is taken by all subjects at one time, and what they
// decide must be what the first decides.
class ConformanceWorld {
 public:
  ConformanceWorld(std::span<ConformanceSubject* const> subjects, Routes routes, Random& random);

  void AddKey(Kind kind);
  // Takes random steps until one fails, or time is at its end; how many is counted.
  void Run(int steps, ConformanceCounts& counts);

 private:
  LimitSpec RandomSpec(Kind kind);
  void DrawStagger(ConformanceKey& key) const;
  void MoveOn();
  [[nodiscard]] ConformanceStep NextStep();
  ConformanceCharge NextCharge();
  void Compare(const ConformanceStep& step, ConformanceCounts& counts);

  const std::vector<ConformanceSubject*> subjects_;
  const Routes routes_;
  Random& random_;
  Time now_;
  std::vector<ConformanceKey> keys_;
  std::vector<std::unique_ptr<TraceMaker>> makers_;
  std::vector<Decision> last_;
};

// Every kind of limit that redis keeps.
std::vector<Kind> ConformanceKinds(Routes routes);

}  // namespace sluice::testing
