// Fixture: a memory store, its limits and a time that the test controls.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/memory_store.h"
#include "support/random_limit.h"

namespace sluice::testing {

inline constexpr Nanos kSecond{1'000'000'000};
inline constexpr Nanos kHour{3600 * kSecond};
inline constexpr Nanos kDay{24 * kHour};
inline constexpr Nanos kYear{365 * kDay};
inline constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;

inline LimitSpec SpecOf(std::int64_t count, Nanos period,
                        Algorithm algorithm = Algorithm::kTokenBucket) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = Rate{count, period};
  return spec;
}

// Every call is made at `now`, which the test may set freely.
class Fixture {
 public:
  explicit Fixture(std::uint64_t memory_bytes = 64 * kMebibyte, HashSeed seed = {1, 2}) {
    auto made = MemoryStore::Create({memory_bytes, seed});
    if (made.ok()) {
      store_ = std::move(made).value();
    } else {
      ADD_FAILURE() << made.error().message;
    }
  }

  MemoryStore& store() { return *store_; }

  LimitHandle Add(const LimitSpec& spec, std::string_view name = "") {
    const std::string drawn = name.empty() ? "limit " + std::to_string(limits_++) : "";
    auto added = store_->Add(name.empty() ? drawn : name, MustMake(spec), now);
    if (!added.ok()) {
      ADD_FAILURE() << added.error().message;
      return {};
    }
    return added.value();
  }
  void Change(LimitHandle limit, const LimitSpec& spec) {
    const Result<Done> changed = store_->Change(limit, MustMake(spec), now);
    EXPECT_TRUE(changed.ok()) << changed.error().message;
  }

  Decision Run(Operation operation, const Charge& charge) {
    Decision decision;
    store_->DecideEach(operation, {&charge, 1}, {&decision, 1}, now);
    return decision;
  }
  Decision Check(LimitHandle limit, std::string_view key, std::int64_t cost = 1) {
    return Run(Operation::kCheck, {limit, key, Cost{cost}});
  }
  Decision Peek(LimitHandle limit, std::string_view key, std::int64_t cost = 0) {
    return Run(Operation::kPeek, {limit, key, Cost{cost}});
  }
  Decision Refund(LimitHandle limit, std::string_view key, std::int64_t cost = 1) {
    return Run(Operation::kRefund, {limit, key, Cost{cost}});
  }
  Decision Reset(LimitHandle limit, std::string_view key) {
    return Run(Operation::kReset, {limit, key, Cost{0}});
  }
  Decision Permit(Operation operation, LimitHandle limit, std::string_view key, std::string_view id,
                  std::int64_t cost = 1) {
    return store_->DecidePermit(operation, {limit, key, Cost{cost}}, store_->HashPermit(id), now);
  }

  // Makes one request. Returns true if it went ahead.
  bool Together(const std::vector<Charge>& charges,
                const std::vector<Enforcement>& enforcements = {},
                ChargeMode charge_mode = ChargeMode::kAllOrNone) {
    const Request request{charges, enforcements, {}, charge_mode};
    decisions.assign(charges.size(), Decision{});
    store_->Decide({&request, 1}, decisions, now);
    return GoesAhead(decisions, enforcements);
  }

  std::int64_t Left(LimitHandle limit, std::string_view key) { return Peek(limit, key).remaining; }

  Time now{Nanos{1'700'000'000'000'000'001}};
  std::vector<Decision> decisions;  // of the last request

 private:
  std::unique_ptr<MemoryStore> store_;
  int limits_ = 0;
};

}  // namespace sluice::testing
