// MemorySubject: the memory store, which all others are held against.
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

  // The hash of a key in every such store: what staggered windows are drawn from.
  static std::uint64_t HashOf(const ConformanceKey& key);

 private:
  const std::vector<ConformanceKey>* keys_ = nullptr;
  std::unique_ptr<MemoryStore> store_;
  std::vector<LimitHandle> handles_;
};

}  // namespace sluice::testing
