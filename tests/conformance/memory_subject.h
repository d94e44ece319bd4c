// MemorySubject: the memory store, the reference for all other subjects.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conformance/conformance_step.h"
#include "store/memory_store.h"

namespace sluice::testing {

class MemorySubject final : public ConformanceSubject {
 public:
  [[nodiscard]] std::string name() const override { return "memory"; }
  void Begin(const std::vector<ConformanceKey>& keys, Time now) override;
  std::vector<Decision> Take(const ConformanceStep& step) override;
  std::string Faults() override { return ""; }

  // Returns the key's hash in every such store, from which staggered windows derive their phase.
  static std::uint64_t HashOf(const ConformanceKey& key);

 private:
  const std::vector<ConformanceKey>* keys_ = nullptr;
  std::unique_ptr<MemoryStore> store_;
  std::vector<LimitHandle> handles_;
};

}  // namespace sluice::testing
