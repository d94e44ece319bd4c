// Compares matching by index with the naive matcher, on random rules and requests.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/limit/parse_limit.h"
#include "rules/check/check_rules.h"
#include "rules/compile/explain.h"
#include "rules/compile/rule_set.h"
#include "support/naive_match.h"
#include "support/random.h"

namespace sluice::testing {
namespace {

using Names = std::vector<std::string>;

const Names kAttributes = {"user", "ip", "path", "method", "plan", "header.x-user", "units"};
const Names kTexts = {"a",   "b",   "ab",     "abc",       "/v1/a",   "/v1/a/b", "/v1/b",
                      "/v2", "GET", "POST",   "free",      "pro",     "7",       "-1",
                      "",    "x y", "/v1/a/", "/v1/x%20y", "/v1/x y", "/"};
const Names kGlobs = {"*", "a*", "*b", "/v1/*", "/v1/*/b", "/v*", "*a*", "P*T", "ab*c"};
const Names kAddresses = {"10.0.0.1",       "10.0.0.2",      "10.1.2.3",      "192.0.2.1",
                          "2001:db8::1",    "2001:db8::2",   "2001:db8:1::1", "::ffff:10.0.0.1",
                          "not an address", "2001:DB8:0::1", "::FFFF:a00:2",  "0:0::1"};
const Names kAddressGlobs = {"10.0.*", "*:*", "2001:db8:*", "*.1", "*1", "::*"};
const Names kPrefixes = {"10.0.0.0/8",    "10.0.0.1",    "10.0.0.0/30",
                         "2001:db8::/32", "2001:db8::1", "0.0.0.0/0"};
const Names kRegexes = {"a.*", "[ab]+", "/v1/(a|b)", "GET|POST", "[0-9]*", "10\\..*", "[0-9a-f:]+"};

const std::string& Any(Random& random, const Names& names) {
  return names[static_cast<std::size_t>(
      random.Between(0, static_cast<std::int64_t>(names.size()) - 1))];
}

std::string ValueFor(Random& random, const std::string& attribute) {
  return Any(random, attribute == "ip" && !random.OneIn(6) ? kAddresses : kTexts);
}

MatcherSpec RandomMatcher(Random& random, const std::string& attribute) {
  MatcherSpec matcher;
  matcher.negated = random.OneIn(5);
  switch (random.Between(0, 9)) {
    case 0:
      matcher.kind = MatcherSpec::Kind::kPresent;
      return matcher;
    case 1:
      matcher.kind = MatcherSpec::Kind::kRegex;
      matcher.texts = {Any(random, kRegexes)};
      return matcher;
    case 2:
      matcher.kind = MatcherSpec::Kind::kIn;
      matcher.texts = {attribute == "ip" ? "addresses" : "texts"};
      return matcher;
    default:
      break;
  }
  for (std::int64_t count = random.Between(1, 3); count > 0; --count) {
    const bool glob = random.OneIn(3);
    const Names& globs = attribute == "ip" && random.OneIn(2) ? kAddressGlobs : kGlobs;
    matcher.texts.push_back(Any(random, glob ? globs : attribute == "ip" ? kPrefixes : kTexts));
  }
  return matcher;
}

NamedLimit LimitNamed(const std::string& name) {
  static const Limit limit = ParseLimit("10/m", {}).value();
  return {name, limit, {}};
}

void AddKeyParts(Random& random, RuleSpec& rule) {
  for (std::int64_t parts = random.Between(0, 2); parts > 0; --parts) {
    KeyPartSpec part;
    for (std::int64_t count = random.Between(1, 2); count > 0; --count) {
      part.attributes.push_back(Any(random, kAttributes));
    }
    rule.per.push_back(std::move(part));
  }
}

RuleSpec RandomRule(Random& random, std::int64_t number) {
  RuleSpec rule;
  rule.name = "rule " + std::to_string(number);
  for (std::int64_t count = random.Between(0, 3); count > 0; --count) {
    const std::string& attribute = Any(random, kAttributes);
    rule.match.push_back({attribute, RandomMatcher(random, attribute)});
  }
  rule.mode =
      random.OneIn(4) ? random.Pick({RuleMode::kShadow, RuleMode::kOff}) : RuleMode::kEnforce;
  if (random.OneIn(6)) {
    rule.action = random.Pick({RuleAction::kAllow, RuleAction::kDeny});
    return rule;
  }
  AddKeyParts(random, rule);
  if (random.OneIn(4)) {
    rule.plan = PlanChoiceSpec{.by = "plan", .otherwise = std::nullopt, .origin = {}};
    if (random.OneIn(2)) rule.plan->otherwise = "free";
  } else {
    rule.limits.push_back(LimitNamed("m"));
    if (random.OneIn(3)) rule.limits.push_back(LimitNamed("d"));
  }
  if (random.OneIn(4)) rule.cost = random.OneIn(2) ? CostSpec{std::int64_t{3}} : CostSpec{"units"};
  if (random.OneIn(5)) rule.enforce.millionths = 0;
  // A rule replaces only earlier ones, so there is no cycle.
  if (number > 0 && random.OneIn(3)) {
    rule.replaces.push_back({"rule " + std::to_string(random.Between(0, number - 1)), {}});
  }
  return rule;
}

DomainSpec RandomDomain(Random& random) {
  DomainSpec domain;
  domain.name = "api";
  domain.lists = {{"addresses", kPrefixes, {}}, {"texts", {"a", "/v1/a", "POST", ""}, {}}};
  domain.plans = {{"free", {LimitNamed("s")}, {}}, {"pro", {LimitNamed("s"), LimitNamed("h")}, {}}};
  if (random.OneIn(2)) domain.aliases.push_back({"user", "header.x-user", {}});
  if (random.OneIn(4)) domain.aliases.push_back({"plan", "user", {}});
  if (random.OneIn(4)) domain.aliases.push_back({"header.x-user", "ip", {}});
  domain.ip_prefix = {.v4 = random.Pick({32, 24, 30}), .v6 = random.Pick({64, 128, 48})};
  const std::int64_t rules = random.Between(1, 9);
  for (std::int64_t i = 0; i < rules; ++i) domain.rules.push_back(RandomRule(random, i));
  return domain;
}

struct Drawn {
  std::string name;
  std::string value;
};

struct DrawnRequest {
  std::vector<Drawn> drawn;
  std::string strict_path;
};

DrawnRequest RandomRequest(Random& random) {
  DrawnRequest request;
  if (random.OneIn(3)) request.strict_path = Any(random, kTexts);
  std::vector<Drawn>& drawn = request.drawn;
  for (const std::string& attribute : kAttributes) {
    if (!random.OneIn(3)) drawn.push_back({attribute, ValueFor(random, attribute)});
  }
  if (random.OneIn(5)) drawn.push_back({"user", "a second one"});
  return request;
}

std::string Printed(const NaiveCharge& charge) {
  return "api/rules/" + charge.rule + (charge.plan.empty() ? "" : "/" + charge.plan) + "/" +
         charge.limit;
}

class RulesMatchTest : public ::testing::Test {
 protected:
  void Use(DomainSpec domain) {
    RuleSetSpec spec;
    spec.files = {"rules.yaml"};
    spec.domains.push_back(std::move(domain));
    rules_ = RuleSet::Make(std::move(spec));
    domain_ = rules_->Find("api");
    keys_.clear();
    bytes_.clear();
  }

  void Ask(const DrawnRequest& request) {
    std::vector<Attribute> attributes;
    for (const Drawn& each : request.drawn) attributes.push_back({each.name, each.value});
    const MatchedAttributes matched{attributes, request.strict_path};
    const NaiveAnswer expected = NaiveMatch(domain_->spec(), matched, 2);
    match_.Clear();
    domain_->MatchRules(matched, Cost{2}, match_);
    ASSERT_EQ(match_.outcome(), expected.outcome);
    const CompiledRule* const by = match_.decided_by();
    ASSERT_EQ(by == nullptr ? "" : by->spec->name, expected.decided_by);
    if (expected.outcome != MatchOutcome::kCharges) return;
    ASSERT_EQ(match_.charges().size(), expected.charges.size());
    for (std::size_t i = 0; i < expected.charges.size(); ++i) {
      const RuleCharge& charge = match_.charges()[i];
      const std::string& id = rules_->limits()[charge.limit].id;
      ASSERT_EQ(id, Printed(expected.charges[i]));
      ASSERT_EQ(charge.cost.units, expected.charges[i].cost);
      ASSERT_EQ(charge.enforcement, expected.charges[i].enforcement);
      ExpectKey(charge.rule->spec->name, std::string(match_.Key(charge)), expected.charges[i].key);
    }
  }

  void AskWhy(const DrawnRequest& request) {
    std::vector<Attribute> attributes;
    for (const Drawn& each : request.drawn) attributes.push_back({each.name, each.value});
    const MatchedAttributes matched{attributes, request.strict_path};
    const NaiveAnswer expected = NaiveMatch(domain_->spec(), matched, 1);
    std::set<std::string> charged;
    for (const NaiveCharge& charge : expected.charges) charged.insert(charge.rule);
    std::set<std::string> applies;
    const Explanation all = Explain(*domain_, matched);
    ASSERT_EQ(all.rules.size(), domain_->spec().rules.size());
    for (const RuleExplanation& why : all.rules) {
      if (why.outcome == RuleFate::kApplies) applies.insert(why.rule->name);
      const bool decides = why.outcome == RuleFate::kDecides || why.outcome == RuleFate::kBadCost;
      ASSERT_EQ(decides, why.rule->name == expected.decided_by);
      if (why.outcome == RuleFate::kReplaced) {
        const RuleSpec& other = *why.other;
        ASSERT_TRUE(other.mode == RuleMode::kEnforce && other.enforce.millionths != 0);
        ASSERT_EQ(other.replaces.front().name, why.rule->name);
        ASSERT_TRUE(charged.contains(other.name) || expected.outcome != MatchOutcome::kCharges);
      }
      ASSERT_NO_FATAL_FAILURE(ExpectTrue(why, matched));
    }
    ASSERT_EQ(applies, charged);
  }

 private:
  // Checks the reason: a rule with only the reported obstacle does not apply either.
  void ExpectTrue(const RuleExplanation& why, const MatchedAttributes& matched) {
    DomainSpec domain = domain_->spec();
    RuleSpec rule;
    if (why.outcome == RuleFate::kNoMatch) {
      rule.match.push_back(*why.condition);
    } else if (why.outcome == RuleFate::kNoKey) {
      rule.per.push_back(*why.part);
    } else {
      return;
    }
    rule.limits.push_back(LimitNamed("m"));
    // Both forms of a path must match an allow rule; for a limit rule either one is enough.
    rule.action = why.rule->action;
    domain.rules = {rule};
    const NaiveAnswer answer = NaiveMatch(domain, matched, 1);
    ASSERT_TRUE(answer.charges.empty() && answer.outcome == MatchOutcome::kCharges);
  }

  // Checks that two keys of a rule are equal if and only if the naive matcher's are.
  void ExpectKey(const std::string& rule, const std::string& bytes, const Names& parts) {
    const auto by_bytes = keys_.try_emplace({rule, bytes}, parts).first;
    ASSERT_EQ(by_bytes->second, parts) << "two keys became one";
    const auto by_parts = bytes_.try_emplace({rule, parts}, bytes).first;
    ASSERT_EQ(by_parts->second, bytes) << "one key became two";
  }

  std::shared_ptr<const RuleSet> rules_;
  const Domain* domain_ = nullptr;
  Match match_;
  std::map<std::pair<std::string, std::string>, Names> keys_;
  std::map<std::pair<std::string, Names>, std::string> bytes_;
};

TEST_F(RulesMatchTest, MatchesNaiveMatcher) {
  ForEachSeed(100'000, [this](Random& random) {
    ASSERT_NO_FATAL_FAILURE(Use(RandomDomain(random)));
    for (int i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(Ask(RandomRequest(random)));
  });
}

// This tests the invariant of Explanation.
TEST_F(RulesMatchTest, ExplainsAppliedRulesAsThoseCharged) {
  ForEachSeed(20'000, [this](Random& random) {
    ASSERT_NO_FATAL_FAILURE(Use(RandomDomain(random)));
    for (int i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(AskWhy(RandomRequest(random)));
  });
}

}  // namespace
}  // namespace sluice::testing
