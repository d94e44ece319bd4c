// GateFixture: rules over a memory store and a clock that the test controls.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/limit/parse_limit.h"
#include "gate/gate_session.h"
#include "support/fake_clock.h"

namespace sluice::testing {

inline Limit LimitOf(const std::string& rate) { return ParseLimit(rate, {}).value(); }
inline Limit LimitOf(const LimitSpec& spec) { return std::get<Limit>(MakeLimit(spec, {})); }

inline RuleSpec Rule(const std::string& name, std::vector<NamedLimit> limits) {
  RuleSpec rule;
  rule.name = name;
  rule.limits = std::move(limits);
  return rule;
}
// Returns a rule with one limit, named "m".
inline RuleSpec Rule(const std::string& name, Limit limit) {
  return Rule(name, std::vector<NamedLimit>{{"m", std::move(limit), {}}});
}
inline RuleSpec Rule(const std::string& name, const std::string& rate) {
  return Rule(name, LimitOf(rate));
}

inline RuleSpec Shadow(RuleSpec rule) {
  rule.mode = RuleMode::kShadow;
  return rule;
}

inline RuleSpec Deny(const std::string& name) {
  RuleSpec rule;
  rule.name = name;
  rule.action = RuleAction::kDeny;
  return rule;
}

inline DescriptorSpec Descriptor(const std::string& key, const std::string& rate) {
  DescriptorSpec spec;
  spec.key = key;
  spec.limit = LimitOf(rate);
  return spec;
}

// Adds keys of a separate limit until new keys share states.
inline void FillMemory(MemoryStore& store, Time now) {
  const auto filler = store.Add("filler", LimitOf("1/w"), now);
  ASSERT_TRUE(filler.ok());
  for (int i = 0; store.StatsApprox().overflow_decisions < 1000; ++i) {
    for (int each = 0; each < 1000; ++each) {
      const std::string key = std::to_string(i * 1000 + each);
      const Charge charge{filler.value(), key, Cost{1}};
      Decision decision;
      store.DecideEach(Operation::kCheck, {&charge, 1}, {&decision, 1}, now);
    }
    ASSERT_LT(i, 2000);
  }
}

// Starts at 1,700,000,000.5 s after 1970.
class GateFixture : public ::testing::Test {
 protected:
  GateFixture() : GateFixture(MemoryStoreOptions{.seed = {1, 2}}) {}
  explicit GateFixture(const MemoryStoreOptions& options)
      : store_(MemoryStore::Create(options).value()), gate_(*store_, clock_) {}

  void Use(std::vector<RuleSpec> rules, std::vector<DescriptorSpec> descriptors = {}) {
    DomainSpec domain;
    domain.name = "api";
    domain.rules = std::move(rules);
    domain.descriptors = std::move(descriptors);
    RuleSetSpec spec;
    spec.domains.push_back(std::move(domain));
    ASSERT_TRUE(gate_.Use(RuleSet::Make(std::move(spec))).ok());
  }

  const Verdict& Check(std::int64_t cost = 1, const std::vector<Attribute>& attributes = {}) {
    return CheckIn("api", cost, attributes);
  }
  const Verdict& CheckIn(std::string_view domain, std::int64_t cost,
                         const std::vector<Attribute>& attributes) {
    const AttributeSet set{attributes, Cost{cost}};
    session_.Decide({domain, {&set, 1}}, verdict_);
    return verdict_;
  }

  static constexpr Time kStart{std::chrono::milliseconds{1'700'000'000'500}};

  FakeClock clock_{kStart};
  std::unique_ptr<MemoryStore> store_;
  Gate gate_;
  GateSession session_{gate_};
  Verdict verdict_;
};

}  // namespace sluice::testing
