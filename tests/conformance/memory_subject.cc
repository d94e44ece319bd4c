#include "conformance/memory_subject.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "store/registered_limit.h"
#include "support/random_limit.h"

namespace sluice::testing {
namespace {

constexpr HashSeed kSeed{11, 12};

}  // namespace

std::uint64_t MemorySubject::HashOf(const ConformanceKey& key) {
  return RegisteredLimit(key.name, 0, kSeed, key.spec.algorithm, TermsFrom::kLimit).Hash(key.text);
}

void MemorySubject::Begin(const std::vector<ConformanceKey>& keys, Time now) {
  MemoryStoreOptions options;
  options.memory_bytes = std::uint64_t{64} << 20U;
  options.seed = kSeed;
  auto made = MemoryStore::Create(options);
  ASSERT_TRUE(made.ok());
  store_ = std::move(made).value();
  keys_ = &keys;
  handles_.clear();
  for (const ConformanceKey& key : keys) {
    handles_.push_back(store_->Add(key.name, MustMake(key.spec), now).value());
  }
}

std::vector<Decision> MemorySubject::Take(const ConformanceStep& step) {
  std::vector<Charge> charges;
  std::vector<Enforcement> enforcements;
  std::vector<Cost> min_remaining;
  for (const ConformanceCharge& each : step.charges) {
    charges.push_back({handles_[each.key], (*keys_)[each.key].text, each.cost});
    enforcements.push_back(each.enforcement);
    min_remaining.push_back(each.min_remaining);
  }
  std::vector<Decision> decisions(charges.size());
  if (step.operation == Operation::kCheck) {
    const Request request{charges, enforcements, min_remaining, step.charge_mode};
    store_->Decide({&request, 1}, decisions, step.now);
  } else {
    store_->DecideEach(step.operation, charges, decisions, step.now);
  }
  return decisions;
}

}  // namespace sluice::testing
