// RemoteFixture: a Gate and a GateSession with a remote store that answers when the test tells it
// to.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gate/gate_session.h"
#include "gate_fixture.h"
#include "support/fake_clock.h"
#include "support/stepped_remote.h"

namespace sluice::testing {

class KeptVerdict final : public VerdictWaiter {
 public:
  void OnVerdict(Verdict& there) override {
    ++times;
    std::swap(verdict, there);
  }

  Verdict verdict;
  int times = 0;
};

class RemoteFixture : public ::testing::Test {
 protected:
  void Use(std::vector<RuleSpec> rules) { ASSERT_TRUE(TryUse(std::move(rules)).ok()); }
  Result<Done> TryUse(std::vector<RuleSpec> rules) {
    DomainSpec domain;
    domain.name = "api";
    domain.rules = std::move(rules);
    RuleSetSpec spec;
    spec.domains.push_back(std::move(domain));
    return gate_.Use(RuleSet::Make(std::move(spec)));
  }

  // Decides; an immediate verdict is in now_, a later one in later_.
  GateSession::Decided Ask(std::int64_t cost = 1, Purpose purpose = Purpose::kTake,
                           const std::string& user = "42") {
    const std::vector<Attribute> attributes{{"user", user}};
    const AttributeSet set{attributes, Cost{cost}, purpose};
    return session_.Decide({"api", {&set, 1}}, now_, later_);
  }
  // Decides, and lets the remote store answer.
  const Verdict& Check(std::int64_t cost = 1) {
    EXPECT_EQ(Ask(cost), GateSession::Decided::kLater);
    remote_.Answer();
    return later_.verdict;
  }

  static RuleSpec Local(RuleSpec rule) {
    rule.consistency = Consistency::kLocal;
    return rule;
  }
  static RuleSpec OnFailure(OnStoreFailure policy, RuleSpec rule) {
    rule.on_store_failure = policy;
    return rule;
  }
  static RuleSpec PerUser(RuleSpec rule) {
    rule.per = {{{"user"}, {}}};
    return rule;
  }

  FakeClock clock_{Time{std::chrono::seconds{1'700'000'000}}};
  std::unique_ptr<MemoryStore> store_ = MemoryStore::Create({.seed = {1, 2}}).value();
  SteppedLimits limits_;
  SteppedRemote remote_{clock_};
  Gate gate_{*store_, clock_, &limits_};
  GateSession session_{gate_, {.remote = &remote_, .timeout = std::chrono::milliseconds{5}}};
  Verdict now_;
  KeptVerdict later_;
};

}  // namespace sluice::testing
