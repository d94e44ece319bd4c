// Compares the state effects that DiffRules reports with what a Gate does.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/limit/parse_limit.h"
#include "gate/gate_session.h"
#include "rules/diff/diff_rules.h"
#include "support/fake_clock.h"

namespace sluice::testing {
namespace {

using Attributes = std::vector<Attribute>;

DomainSpec Domain(std::vector<std::string> key, const std::string& limit) {
  RuleSpec rule;
  rule.name = "posts";
  for (std::string& attribute : key) rule.per.push_back({{std::move(attribute)}, {}});
  rule.limits.push_back({"h", ParseLimit(limit, {}).value(), {}});
  DomainSpec domain;
  domain.name = "api";
  domain.rules.push_back(std::move(rule));
  return domain;
}

RuleSetSpec SetOf(const DomainSpec& domain) {
  RuleSetSpec spec;
  spec.domains.push_back(domain);
  return spec;
}

// The reported effects, and the units left under the new rules after taking 2 under the old ones.
struct Outcome {
  std::vector<StateEffect> effects;
  std::int64_t remaining = 0;
};

Outcome Reload(const DomainSpec& before, const Attributes& request, const DomainSpec& after,
               const Attributes& next_request) {
  FakeClock clock;
  const auto store = MemoryStore::Create({.seed = {1, 2}}).value();
  Gate gate(*store, clock);
  GateSession session(gate);
  Verdict verdict;
  EXPECT_TRUE(gate.Use(RuleSet::Make(SetOf(before))).ok());
  const AttributeSet taken{request, Cost{2}};
  session.Decide({"api", {&taken, 1}}, verdict);
  EXPECT_TRUE(verdict.allowed());
  EXPECT_TRUE(gate.Use(RuleSet::Make(SetOf(after))).ok());
  const AttributeSet looked{next_request, Cost{1}, Purpose::kLook};
  session.Decide({"api", {&looked, 1}}, verdict);
  Outcome outcome;
  for (const RuleChange& change : DiffRules(SetOf(before), SetOf(after))) {
    outcome.effects.push_back(change.effect);
  }
  EXPECT_EQ(verdict.decisions().size(), 1U);
  outcome.remaining = verdict.decisions().front().decision.remaining;
  return outcome;
}

Outcome Reload(const DomainSpec& before, const DomainSpec& after) {
  const Attributes request = {{"user", "42"}, {"path", "/"}, {"ip", "192.0.2.1"}};
  return Reload(before, request, after, request);
}

using Effects = std::vector<StateEffect>;

TEST(StateEffectTest, CarriesUsedUnitsOver) {
  const Outcome outcome = Reload(Domain({"user"}, "2/h"), Domain({"user"}, "4/h"));
  EXPECT_EQ(outcome.effects, Effects({StateEffect::kCarryOver}));
  EXPECT_EQ(outcome.remaining, 2);
}

TEST(StateEffectTest, MatchDoesNotChangeStates) {
  DomainSpec after = Domain({"user"}, "2/h");
  after.rules[0].match.push_back({"path", {.texts = {"/*"}, .origin = {}}});
  const Outcome outcome = Reload(Domain({"user"}, "2/h"), after);
  EXPECT_EQ(outcome.effects, Effects({StateEffect::kStay}));
  EXPECT_EQ(outcome.remaining, 0);
}

TEST(StateEffectTest, AnotherLimitNameStartsAfresh) {
  DomainSpec after = Domain({"user"}, "2/h");
  after.rules[0].limits[0].name = "hourly";
  const Outcome outcome = Reload(Domain({"user"}, "2/h"), after);
  EXPECT_EQ(outcome.effects, Effects({StateEffect::kUnused, StateEffect::kAfresh}));
  EXPECT_EQ(outcome.remaining, 2);
}

TEST(StateEffectTest, AnotherAlgorithmStartsAfresh) {
  DomainSpec after = Domain({"user"}, "2/h");
  LimitSpec spec = after.rules[0].limits[0].limit.spec;
  spec.algorithm = Algorithm::kSlidingLog;
  after.rules[0].limits[0].limit = std::get<Limit>(MakeLimit(spec, {}));
  const Outcome outcome = Reload(Domain({"user"}, "2/h"), after);
  EXPECT_EQ(outcome.effects, Effects({StateEffect::kAfresh}));
  EXPECT_EQ(outcome.remaining, 2);
}

TEST(StateEffectTest, MorePartsOfTheKeyStartAfresh) {
  const Outcome outcome = Reload(Domain({"user"}, "2/h"), Domain({"user", "path"}, "2/h"));
  EXPECT_EQ(outcome.effects, Effects({StateEffect::kAfresh}));
  EXPECT_EQ(outcome.remaining, 2);
}

TEST(StateEffectTest, AttributeOfAnotherNameFindsTheStateOfItsValue) {
  const Outcome outcome = Reload(Domain({"user"}, "2/h"), {{"user", "42"}},
                                 Domain({"account"}, "2/h"), {{"account", "42"}});
  EXPECT_EQ(outcome.effects, Effects({StateEffect::kByValue}));
  EXPECT_EQ(outcome.remaining, 0);
}

TEST(StateEffectTest, AddressStartsAfreshAfterTextOfTheSameLetters) {
  const Outcome outcome = Reload(Domain({"user"}, "2/h"), {{"user", "192.0.2.1"}},
                                 Domain({"ip"}, "2/h"), {{"ip", "192.0.2.1"}});
  EXPECT_EQ(outcome.effects, Effects({StateEffect::kAfresh}));
  EXPECT_EQ(outcome.remaining, 2);
}

TEST(StateEffectTest, AnotherChoiceAtTheEndKeepsExistingKeys) {
  DomainSpec after = Domain({"user"}, "2/h");
  after.rules[0].per[0].attributes.emplace_back("ip");
  const Outcome outcome = Reload(Domain({"user"}, "2/h"), after);
  EXPECT_EQ(outcome.effects, Effects({StateEffect::kStay}));
  EXPECT_EQ(outcome.remaining, 0);
}

TEST(StateEffectTest, AddressWithAnotherPrefixLengthStartsAfresh) {
  DomainSpec after = Domain({"ip"}, "2/h");
  after.ip_prefix.v4 = 24;
  const Outcome outcome = Reload(Domain({"ip"}, "2/h"), after);
  EXPECT_EQ(outcome.effects, Effects({StateEffect::kAfresh}));
  EXPECT_EQ(outcome.remaining, 2);
  // The other version of IP keeps its keys.
  const Attributes v6 = {{"ip", "2001:db8::1"}};
  EXPECT_EQ(Reload(Domain({"ip"}, "2/h"), v6, after, v6).remaining, 0);
}

TEST(StateEffectTest, AttributeThatBecomesAnAddressStartsAfresh) {
  DomainSpec before = Domain({"client"}, "2/h");
  before.aliases.push_back({"client", "path", {}});
  DomainSpec after = Domain({"client"}, "2/h");
  after.aliases.push_back({"client", "ip", {}});
  const Attributes request = {{"client", "192.0.2.1"}};
  const Outcome outcome = Reload(before, request, after, request);
  EXPECT_EQ(outcome.effects, Effects({StateEffect::kAfresh}));
  EXPECT_EQ(outcome.remaining, 2);
}

}  // namespace
}  // namespace sluice::testing
