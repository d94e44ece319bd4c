// ConformanceFixture: runs the same random trace on every subject.
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

// Where the keys of a request are in a cluster.
enum class Routes : std::uint8_t {
  kOne,     // in one slot
  kSpread,  // in any slot; then no pacers and no limits that record refusals
};

struct ConformanceCounts {
  int steps = 0;
  int allowed = 0;
  int refused = 0;
  int in_use = 0;  // decisions about a key in use
};

// Keys under random limits. All subjects take every step at the same time, and must decide like the
// first subject.
class ConformanceFixture {
 public:
  ConformanceFixture(std::span<ConformanceSubject* const> subjects, Routes routes, Random& random);

  void AddKey(Kind kind);
  // Takes random steps until one fails or the maximum time is reached, and counts them.
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

// Returns every kind of limit that Redis supports.
std::vector<Kind> ConformanceKinds(Routes routes);

}  // namespace sluice::testing
