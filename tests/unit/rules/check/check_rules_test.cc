#include "rules/check/check_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "base/text.h"
#include "unit/rules/spec_builder.h"

namespace sluice {
namespace {

using Kind = MatcherSpec::Kind;

Texts LinesOf(const RuleSetSpec& spec) {
  ConfigProblems problems;
  CheckRules(spec, problems);
  Texts lines;
  for (const ConfigProblem& problem : problems.Take())
    lines.push_back(Describe(spec.files, problem));
  return lines;
}

Limit MakeLeakyBucket(std::int64_t burst) {
  const LimitSpec spec{.algorithm = Algorithm::kLeakyBucket,
                       .rate = Rate{5, std::chrono::seconds(1)},
                       .burst = Fraction(burst)};
  return std::get<Limit>(MakeLimit(spec, [](std::string_view) { return nullptr; }));
}

Limit MakeConcurrency() {
  const LimitSpec spec{.algorithm = Algorithm::kConcurrency, .max_in_flight = 5};
  return std::get<Limit>(MakeLimit(spec, [](std::string_view) { return nullptr; }));
}

TEST(CheckRulesTest, AcceptsEmptyAndUnconditionalRules) {
  EXPECT_EQ(LinesOf({}), Texts());
  EXPECT_EQ(LinesOf(SpecOf({})), Texts());
  EXPECT_EQ(LinesOf(SpecOf({LimitRule("a"), LimitRule("b")})), Texts());
}

TEST(CheckRulesTest, ReportsUnknownList) {
  RuleSetSpec spec = SpecOf({LimitRule("a", {{"user", Matcher(Kind::kIn, {"staf"})}})});
  EXPECT_EQ(LinesOf(spec), Texts({"r.yaml:1:1: unknown list 'staf'; the domain has no lists"}));
  spec.domains[0].lists.push_back({"staff", {"ann"}, {}});
  EXPECT_EQ(LinesOf(spec), Texts({"r.yaml:1:1: unknown list 'staf'; did you mean 'staff'?"}));
  spec.domains[0].rules[0].match[0].matcher.texts = {"staff"};
  EXPECT_EQ(LinesOf(spec), Texts());
}

TEST(CheckRulesTest, ReportsOtherValuesInListForIp) {
  RuleSetSpec spec = SpecOf({LimitRule("a", {{"ip", Matcher(Kind::kIn, {"l"})}})});
  spec.domains[0].lists.push_back({"l", {"berlin"}, {}});
  spec.domains[0].lists[0].origins = {Line(7)};
  EXPECT_EQ(LinesOf(spec),
            Texts({"r.yaml:7:1: 'berlin' is no IP address or prefix; expected one like 192.0.2.1, "
                   "10.0.0.0/8 or 2001:db8::/32 (the rule 'a' looks for 'ip' in the list 'l')"}));
  spec.domains[0].lists[0].values = {"10.0.0.0/8"};
  EXPECT_EQ(LinesOf(spec), Texts());
  spec.domains[0].lists[0].values = {};
  EXPECT_EQ(LinesOf(spec), Texts());
}

TEST(CheckRulesTest, ReportsUnknownDefaultPlan) {
  RuleSpec rule = LimitRule("a");
  rule.plan = PlanChoiceSpec{"tier", "fre", {}};
  RuleSetSpec spec = SpecOf({rule});
  EXPECT_EQ(LinesOf(spec), Texts({"r.yaml:1:1: unknown plan 'fre'; the domain has no plans"}));
  spec.domains[0].plans.push_back({"free", {}, {}});
  EXPECT_EQ(LinesOf(spec), Texts({"r.yaml:1:1: unknown plan 'fre'; did you mean 'free'?"}));
  spec.domains[0].rules[0].plan->otherwise = std::nullopt;
  EXPECT_EQ(LinesOf(spec), Texts());
  spec.domains[0].plans.clear();
  EXPECT_EQ(LinesOf(spec),
            Texts({"r.yaml:1:1: 'plan' needs plans to choose from; the domain has none"}));
}

TEST(CheckRulesTest, ReportsUnknownReplacedRule) {
  EXPECT_EQ(LinesOf(SpecOf({Replacing("a", {"bb"})})),
            Texts({"r.yaml:1:1: unknown rule 'bb'; the domain has no other rules"}));
  EXPECT_EQ(LinesOf(SpecOf({Replacing("a", {"postss"}), LimitRule("posts")})),
            Texts({"r.yaml:1:1: unknown rule 'postss'; did you mean 'posts'?"}));
}

TEST(CheckRulesTest, OmitsLongListsOfNamesFromMessages) {
  std::vector<RuleSpec> rules = {Replacing("first", {"name-007", "nothing like it"})};
  for (int i = 100; i < 120; ++i) rules.push_back(LimitRule(Concat("name-", i)));
  EXPECT_EQ(LinesOf(SpecOf(rules)),
            Texts({"r.yaml:1:1: unknown rule 'name-007'; did you mean 'name-107'?",
                   "r.yaml:1:1: unknown rule 'nothing like it'"}));
  for (int i = 1000; i < 2000; ++i) rules.push_back(LimitRule(Concat("name-", i)));
  EXPECT_EQ(LinesOf(SpecOf(rules)), Texts({"r.yaml:1:1: unknown rule 'name-007'",
                                           "r.yaml:1:1: unknown rule 'nothing like it'"}));
}

TEST(CheckRulesTest, StopsSuggestingNamesAfterFiftySearches) {
  Texts unknown;
  for (int i = 0; i < 60; ++i) unknown.push_back("postss");
  const Texts lines = LinesOf(SpecOf({Replacing("a", unknown), LimitRule("posts")}));
  ASSERT_EQ(lines.size(), 60U);
  EXPECT_EQ(lines[49], "r.yaml:1:1: unknown rule 'postss'; did you mean 'posts'?");
  EXPECT_EQ(lines[50], "r.yaml:1:1: unknown rule 'postss'");
}

TEST(CheckRulesTest, ReportsRegexThatDoesNotCompile) {
  EXPECT_EQ(LinesOf(SpecOf({LimitRule("a", {{"path", Matcher(Kind::kRegex, {"(a"})}}),
                            LimitRule("b", {{"path", Matcher(Kind::kRegex, {"[b"}, true)}}),
                            LimitRule("c", {{"path", Matcher(Kind::kRegex, {"/c"})}})})),
            Texts({"r.yaml:1:1: the regex does not compile: missing ) in '(a'",
                   "r.yaml:2:1: the regex does not compile: missing ] in '[b'"}));
}

TEST(CheckRulesTest, StopsAtMaximumTotalRegexSize) {
  std::vector<RuleSpec> rules;
  for (int i = 0; i < 60; ++i) {
    rules.push_back(LimitRule(Concat("r", i), {{"path", Matcher(Kind::kRegex, {"\\pL{20}"})}}));
  }
  const Texts lines = LinesOf(SpecOf(rules));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0],
            "r.yaml:22:1: this regex and those after it are not looked at; the ones before it are "
            "too large together, or too many do not compile");
  rules.resize(20);
  EXPECT_EQ(LinesOf(SpecOf(rules)), Texts());
}

// Each of them takes as long to compile as one that is just below the maximum.
TEST(CheckRulesTest, CountsBadRegexesTowardsMaximumSize) {
  std::vector<RuleSpec> rules;
  for (int i = 0; i < 100; ++i) {
    rules.push_back(LimitRule(Concat("r", i), {{"path", Matcher(Kind::kRegex, {"\\pL{900}"})}}));
  }
  const Texts lines = LinesOf(SpecOf(rules));
  ASSERT_EQ(lines.size(), 52U);
  EXPECT_TRUE(lines[50].starts_with("r.yaml:51:1: the regex does not compile")) << lines[50];
  EXPECT_TRUE(lines[51].starts_with("r.yaml:52:1: this regex and those after it")) << lines[51];
}

TEST(CheckRulesTest, CountsPlanLimitsOncePerRuleWithPlan) {
  const NamedLimit limit{"s", MakeLeakyBucket(1), {}};
  RuleSpec rule = LimitRule("a", {{"path", Matcher(Kind::kValues, {"/"})}});
  rule.plan = PlanChoiceSpec{"tier", std::nullopt, {}};
  std::vector<RuleSpec> rules(300, rule);
  for (std::size_t i = 0; i < rules.size(); ++i) rules[i].name = Concat("r", i);
  RuleSetSpec spec = SpecOf(rules);
  // 300 rules times 216 limits are 64,800. Another plan adds 300 more and exceeds 65,000 at the
  // last rule.
  for (int i = 0; i < 216; ++i) spec.domains[0].plans.push_back({Concat("p", i), {limit}, {}});
  EXPECT_EQ(LinesOf(spec), Texts());
  spec.domains[0].plans.push_back({"one more", {limit}, {}});
  EXPECT_EQ(LinesOf(spec),
            Texts({"r.yaml:300:1: with this one the rules have more than 65000 limits; those of "
                   "plans count for each rule that has a 'plan'"}));
  // A rule that is off has no limits.
  spec.domains[0].rules[0].mode = RuleMode::kOff;
  EXPECT_EQ(LinesOf(spec), Texts());
  DescriptorSpec descriptor;
  descriptor.limit = limit.limit;
  descriptor.origin = Line(400);
  spec.domains[0].descriptors.assign(117, descriptor);
  EXPECT_EQ(LinesOf(spec), Texts());
  spec.domains[0].descriptors.back().descriptors.push_back(descriptor);
  EXPECT_EQ(LinesOf(spec).size(), 1U);
}

TEST(CheckRulesTest, ReportsMoreUnconditionalLimitsThanOneRequestAllows) {
  const NamedLimit limit{"s", MakeLeakyBucket(1), {}};
  const auto with = [&](RuleSpec rule, std::size_t limits) {
    rule.limits.assign(limits, limit);
    return rule;
  };
  const ConditionSpec condition{"path", Matcher(Kind::kValues, {"/"})};
  std::vector<RuleSpec> rules = {with(LimitRule("a"), 32), with(Per(LimitRule("b"), {{"ip"}}), 32),
                                 with(LimitRule("c", {condition}), 32)};
  EXPECT_EQ(LinesOf(SpecOf(rules)), Texts());
  rules.push_back(with(LimitRule("d"), 1));
  EXPECT_EQ(LinesOf(SpecOf(rules)),
            Texts({"r.yaml:4:1: with this one the rules without a 'match' have more than 64 "
                   "limits, which no request can meet at once"}));
  rules[3].mode = RuleMode::kShadow;
  EXPECT_EQ(LinesOf(SpecOf(rules)).size(), 1U);
  rules[3].mode = RuleMode::kOff;
  EXPECT_EQ(LinesOf(SpecOf(rules)), Texts());
  rules[3] = with(Per(Replacing("d", {"a"}), {{"ip"}}), 32);
  EXPECT_EQ(LinesOf(SpecOf(rules)), Texts());
  rules[3].match.push_back(condition);
  EXPECT_EQ(LinesOf(SpecOf(rules)), Texts());
  // A rule that replaces others only for some requests does not remove them from the others.
  rules.push_back(with(LimitRule("e"), 1));
  EXPECT_EQ(LinesOf(SpecOf(rules)).size(), 1U);
}

TEST(CheckRulesTest, CountsLargestPlanPerRequest) {
  const NamedLimit limit{"s", MakeLeakyBucket(1), {}};
  RuleSpec rule = LimitRule("a");
  rule.plan = PlanChoiceSpec{"tier", std::nullopt, {}};
  RuleSetSpec spec = SpecOf({rule});
  spec.domains[0].plans = {{"small", {limit}, {}}, {"large", {}, {}}};
  spec.domains[0].plans[1].limits.assign(64, limit);
  EXPECT_EQ(LinesOf(spec), Texts());
  spec.domains[0].plans[1].limits.push_back(limit);
  EXPECT_EQ(LinesOf(spec).size(), 1U);
}

TEST(CheckRulesTest, CountsLongNamesForEverythingBelowThem) {
  const std::string half_a_megabyte(std::size_t{1} << 19U, 'k');
  RuleSetSpec spec = SpecOf({});
  DescriptorSpec descriptor;
  descriptor.key = half_a_megabyte;
  descriptor.origin = Line(1);
  DescriptorSpec below;
  below.key = "below";
  below.origin = Line(2);
  descriptor.descriptors.assign(126, below);
  spec.domains[0].descriptors = {descriptor};
  EXPECT_EQ(LinesOf(spec), Texts());
  spec.domains[0].descriptors[0].descriptors.push_back(below);
  EXPECT_EQ(LinesOf(spec),
            Texts({"r.yaml:2:1: with this one the names of limits have more than 67108864 bytes; "
                   "the domain and all keys above count for each of them"}));
  spec = SpecOf({LimitRule("a", {{"path", Matcher(Kind::kValues, {"/"})}})});
  spec.domains[0].name = half_a_megabyte;
  spec.domains[0].rules[0].limits.assign(127, {"s", MakeLeakyBucket(1), {}});
  EXPECT_EQ(LinesOf(spec), Texts());
  spec.domains[0].rules[0].limits.push_back({"s", MakeLeakyBucket(1), {}});
  EXPECT_EQ(LinesOf(spec).size(), 1U);
}

// Following each alias to its end separately took minutes for a megabyte of aliases.
TEST(CheckRulesTest, FollowsLongAliasChainsOnce) {
  constexpr int kLength = 20'000;
  std::vector<RuleSpec> rules;
  for (int i = 0; i < 5'000; ++i) rules.push_back(Per(LimitRule(Concat("r", i)), {{"a0"}}));
  RuleSetSpec spec = SpecOf(rules);
  for (int i = 0; i < kLength; ++i) {
    const std::string source = i + 1 < kLength ? Concat("a", i + 1) : "header.x";
    spec.domains[0].aliases.push_back({Concat("a", i), source, {}});
  }
  EXPECT_EQ(LinesOf(spec), Texts({"r.yaml:1:1: warning: a request without header x escapes every "
                                  "rule; limit such requests by ip, or deny them"}));
}

TEST(CheckRulesTest, ReportsReplaceCycles) {
  EXPECT_EQ(LinesOf(SpecOf({Replacing("a", {"a"})})),
            Texts({"r.yaml:1:1: the rule 'a' replaces itself"}));
  EXPECT_EQ(LinesOf(SpecOf({Replacing("a", {"b"}), Replacing("b", {"a"})})),
            Texts({"r.yaml:1:1: rules replace one another in a circle: a -> b -> a"}));
  EXPECT_EQ(LinesOf(SpecOf({Replacing("x", {"c"}), Replacing("a", {"b"}), Replacing("b", {"c"}),
                            Replacing("c", {"a"})})),
            Texts({"r.yaml:4:1: rules replace one another in a circle: c -> a -> b -> c"}));
}

TEST(CheckRulesTest, ReportsAliasCycles) {
  RuleSetSpec spec = SpecOf({});
  spec.domains[0].aliases = {{"a", "b", Line(1)}, {"b", "a", Line(2)}, {"c", "c", Line(3)}};
  EXPECT_EQ(LinesOf(spec),
            Texts({"r.yaml:1:1: attributes stand for one another in a circle: a -> b -> a",
                   "r.yaml:3:1: the attribute 'c' stands for itself"}));
}

TEST(CheckRulesTest, ReportsLimitRuleUnreachableBehindLaterDeny) {
  const Texts expected = {
      "r.yaml:1:1: unreachable rule 'limit'; all it matches is decided by the deny rule 'no' at "
      "r.yaml:2:1"};
  EXPECT_EQ(LinesOf(SpecOf({LimitRule("limit"), Decides(RuleAction::kDeny, "no")})), expected);
}

TEST(CheckRulesTest, ReportsDecidingRuleUnreachableOnlyBehindEarlierOne) {
  const std::vector<ConditionSpec> match = {{"path", Values({"/a"})}};
  EXPECT_EQ(
      LinesOf(SpecOf({Decides(RuleAction::kAllow, "a", match), Decides(RuleAction::kDeny, "b")})),
      Texts());
  EXPECT_EQ(
      LinesOf(SpecOf({Decides(RuleAction::kDeny, "b"), Decides(RuleAction::kAllow, "a", match)})),
      Texts({"r.yaml:2:1: unreachable rule 'a'; all it matches is decided by the deny rule "
             "'b' at r.yaml:1:1"}));
}

TEST(CheckRulesTest, IgnoresDenyThatIsNotEnforced) {
  for (const RuleMode mode : {RuleMode::kShadow, RuleMode::kOff}) {
    RuleSpec deny = Decides(RuleAction::kDeny, "no");
    deny.mode = mode;
    EXPECT_EQ(LinesOf(SpecOf({deny, LimitRule("a")})), Texts());
  }
}

TEST(CheckRulesTest, WarnsOfLeakyBucketWithoutQueue) {
  RuleSetSpec spec = SpecOf({LimitRule("a"), LimitRule("b")});
  spec.domains[0].rules[0].limits.push_back({"s", MakeLeakyBucket(0), Line(7)});
  spec.domains[0].rules[1].limits.push_back({"s", MakeLeakyBucket(1), Line(8)});
  spec.domains[0].plans.push_back({"p", {{"s", MakeLeakyBucket(0), Line(9)}}, {}});
  const std::string message =
      "warning: with a 'burst' of 0 nothing may wait, so a leaky_bucket refuses whatever does not "
      "come evenly spaced; did you mean a burst above 0?";
  EXPECT_EQ(LinesOf(spec), Texts({"r.yaml:7:1: " + message, "r.yaml:9:1: " + message}));
}

TEST(CheckRulesTest, WarnsOfConcurrencyLimitInRules) {
  RuleSetSpec spec = SpecOf({LimitRule("a")});
  spec.domains[0].rules[0].limits = {{"c", MakeConcurrency(), Line(7)}};
  EXPECT_EQ(LinesOf(spec),
            Texts({"r.yaml:7:1: warning: a check takes no permit, so in a service 'concurrency' "
                   "limits nothing; permits are acquired and released with the library alone"}));
}

Texts ErrorsOf(const RuleSetSpec& spec) {
  Texts lines = LinesOf(spec);
  std::erase_if(
      lines, [](const std::string& line) { return line.find("warning: ") != std::string::npos; });
  return lines;
}

TEST(CheckRulesTest, ReportsDebtOfConcurrencyLimit) {
  RuleSetSpec spec = SpecOf({LimitRule("a"), LimitRule("b")});
  std::vector<RuleSpec>& rules = spec.domains[0].rules;
  rules[0].limits = {{"s", MakeLeakyBucket(1), Line(6)}, {"c", MakeConcurrency(), Line(7)}};
  rules[1].plan = PlanChoiceSpec{"tier", std::nullopt, Line(8)};
  spec.domains[0].plans = {{"free", {{"s", MakeLeakyBucket(1), {}}}, {}},
                           {"pro", {{"c", MakeConcurrency(), {}}}, {}}};
  EXPECT_EQ(ErrorsOf(spec), Texts());
  rules[0].debt = true;
  rules[1].debt = true;
  EXPECT_EQ(ErrorsOf(spec),
            Texts({"r.yaml:7:1: 'debt' needs a limit of units; 'concurrency' has permits",
                   "r.yaml:8:1: 'debt' needs a limit of units; 'concurrency' in the plan 'pro' "
                   "has permits"}));
  rules[0].limits.pop_back();
  spec.domains[0].plans.pop_back();
  EXPECT_EQ(ErrorsOf(spec), Texts());
}

// Checks a rule after the rule that replaces it.
Texts ReplacedBy(const RuleSpec& by, const RuleSpec& replaced) {
  return LinesOf(SpecOf({by, replaced}));
}

TEST(CheckRulesTest, WarnsOfRuleThatIsAlwaysReplaced) {
  const Texts expected = {
      "r.yaml:2:1: warning: the rule 'a' never applies; the rule 'all' at r.yaml:1:1 replaces it "
      "wherever it would"};
  const RuleSpec all = Replacing("all", {"a"});
  EXPECT_EQ(ReplacedBy(all, LimitRule("a")), expected);
  EXPECT_EQ(ReplacedBy(all, LimitRule("a", {{"path", Values({"/a"})}})), expected);
  EXPECT_EQ(ReplacedBy(Per(all, {{"user", "ip"}}), Per(LimitRule("a"), {{"ip"}})), expected);
}

TEST(CheckRulesTest, AcceptsRuleThatIsSometimesReplaced) {
  const RuleSpec all = Replacing("all", {"a"});
  RuleSpec narrow = all;
  narrow.match = {{"path", Values({"/a"})}};
  EXPECT_EQ(ReplacedBy(narrow, LimitRule("a")), Texts());
  EXPECT_EQ(ReplacedBy(Per(all, {{"user"}}), LimitRule("a")), Texts());
  RuleSpec shadow = all;
  shadow.mode = RuleMode::kShadow;
  EXPECT_EQ(ReplacedBy(shadow, LimitRule("a")), Texts());
  RuleSpec share = all;
  share.enforce.millionths = Share::kWhole - 1;
  EXPECT_EQ(ReplacedBy(share, LimitRule("a")), Texts());
  RuleSpec cost = all;
  cost.cost = "size";
  EXPECT_EQ(ReplacedBy(cost, LimitRule("a")), Texts());
  RuleSpec off = LimitRule("a");
  off.mode = RuleMode::kOff;
  EXPECT_EQ(ReplacedBy(all, off), Texts());
}

TEST(CheckRulesTest, AcceptsRuleReplacedByReplacedRule) {
  RuleSpec narrow = Replacing("narrow", {"all"});
  narrow.match = {{"path", Values({"/a"})}};
  EXPECT_EQ(LinesOf(SpecOf({narrow, Replacing("all", {"a"}), LimitRule("a")})), Texts());
}

TEST(CheckRulesTest, WarnsOfReplacingAllowOrDenyRule) {
  EXPECT_EQ(LinesOf(SpecOf({Replacing("a", {"no"}),
                            Decides(RuleAction::kDeny, "no", {{"path", Values({"/x"})}})})),
            Texts({"r.yaml:1:1: warning: 'no' is a deny rule, which decides before any other could "
                   "replace it"}));
}

TEST(CheckRulesTest, WarnsOfKeysThatClientsCanLeaveOut) {
  RuleSetSpec spec =
      SpecOf({Per(LimitRule("a"), {{"user"}}), Per(LimitRule("b"), {{"ip"}, {"key"}})});
  spec.domains[0].aliases = {{"user", "login", {}}, {"login", "header.x-login", {}}};
  EXPECT_EQ(LinesOf(spec),
            Texts({"r.yaml:1:1: warning: a request without header x-login and attribute key "
                   "escapes every rule; limit such requests by ip, or deny them"}));
  spec.domains[0].aliases[1].source = "ip";
  EXPECT_EQ(LinesOf(spec), Texts());
}

TEST(CheckRulesTest, AcceptsEscapableRuleBesideOneThatAlwaysApplies) {
  EXPECT_EQ(LinesOf(SpecOf({Per(LimitRule("a"), {{"user"}}), LimitRule("b")})), Texts());
  EXPECT_EQ(
      LinesOf(SpecOf({Per(LimitRule("a"), {{"user"}}), Per(LimitRule("b"), {{"user", "ip"}})})),
      Texts());
  RuleSpec shadow = LimitRule("b");
  shadow.mode = RuleMode::kShadow;
  EXPECT_EQ(LinesOf(SpecOf({Per(LimitRule("a"), {{"user"}}), shadow})).size(), 1U);
}

TEST(CheckRulesTest, WarnsOfEscapeByOmittedHeaderOfMatchOrPlan) {
  const Texts expected = {
      "r.yaml:1:1: warning: a request without header x-tier escapes every rule; limit such "
      "requests by ip, or deny them"};
  for (const MatcherSpec& matcher :
       {Matcher(Kind::kPresent), Values({"free"}), Matcher(Kind::kRegex, {"f.*"})}) {
    EXPECT_EQ(LinesOf(SpecOf({Per(LimitRule("a", {{"header.x-tier", matcher}}), {{"ip"}})})),
              expected);
  }
  EXPECT_EQ(LinesOf(SpecOf({LimitRule("a", {{"header.x-tier", Values({"free"}, true)}})})),
            Texts());
  EXPECT_EQ(LinesOf(SpecOf({LimitRule("a", {{"service", Values({"billing"})}})})), Texts());
  RuleSpec by_plan = LimitRule("a");
  by_plan.plan = PlanChoiceSpec{"header.x-tier", std::nullopt, {}};
  RuleSetSpec spec = SpecOf({by_plan});
  spec.domains[0].plans.push_back({"free", {}, {}});
  EXPECT_EQ(LinesOf(spec), expected);
  spec.domains[0].rules[0].plan->otherwise = "free";
  EXPECT_EQ(LinesOf(spec), Texts());
}

TEST(CheckRulesTest, WarnsOfEscapeDespiteRuleForOtherRequests) {
  const RuleSpec user = Per(LimitRule("user"), {{"header.x-user"}});
  const RuleSpec login = Per(LimitRule("login", {{"path", Values({"/login*"})}}), {{"ip"}});
  EXPECT_EQ(LinesOf(SpecOf({user, login})),
            Texts({"r.yaml:1:1: warning: a request without header x-user escapes the rule 'user' "
                   "and may meet no other; limit such requests by ip, or deny them"}));
  // Every request that escapes is a login.
  RuleSpec by_account = user;
  by_account.match = {{"path", Values({"/login", "/login/again"})}};
  EXPECT_EQ(LinesOf(SpecOf({by_account, login})), Texts());
  EXPECT_EQ(LinesOf(SpecOf({user, Per(LimitRule("all", {{"path", Values({"*"})}}), {{"ip"}})})),
            Texts());
}

TEST(CheckRulesTest, AcceptsRuleForRequestsWithoutHeader) {
  const RuleSpec user =
      Per(LimitRule("user", {{"header.x-user", Matcher(Kind::kPresent)}}), {{"header.x-user"}});
  const RuleSpec others =
      Per(LimitRule("others", {{"header.x-user", Matcher(Kind::kPresent, {}, true)}}), {{"ip"}});
  EXPECT_EQ(LinesOf(SpecOf({user, others})), Texts());
  const RuleSpec outside =
      Per(LimitRule("outside", {{"header.x-inside", Values({"1"}, true)}}), {{"ip"}});
  EXPECT_EQ(LinesOf(SpecOf({user, outside})), Texts());
}

TEST(CheckRulesTest, IgnoresAliasOfAttributeThatIsAlwaysPresent) {
  RuleSetSpec spec = SpecOf({Per(LimitRule("a"), {{"client"}})});
  spec.domains[0].aliases = {{"ip", "header.x-real-ip", {}}, {"client", "ip", {}}};
  EXPECT_EQ(LinesOf(spec), Texts());
  spec.domains[0].rules[0].per[0].attributes = {"ip"};
  EXPECT_EQ(LinesOf(spec), Texts());
}

TEST(CheckRulesTest, AcceptsDenyRuleForRequestsWithoutKey) {
  const RuleSpec limit = Per(LimitRule("a"), {{"user"}});
  EXPECT_EQ(LinesOf(SpecOf({limit, Decides(RuleAction::kDeny, "anonymous",
                                           {{"user", Matcher(Kind::kPresent, {}, true)}})})),
            Texts());
  EXPECT_EQ(LinesOf(SpecOf({limit, Decides(RuleAction::kDeny, "anonymous",
                                           {{"user", Matcher(Kind::kPresent, {}, true)},
                                            {"path", Values({"/a"})}})}))
                .size(),
            1U);
}

TEST(CheckRulesTest, SkipsEscapeWarningsWhileThereAreErrors) {
  RuleSetSpec spec = SpecOf({Per(Replacing("a", {"nobody"}), {{"user"}})});
  EXPECT_EQ(LinesOf(spec).size(), 1U);
  DomainSpec other = SpecOf({Per(LimitRule("a"), {{"user"}})}).domains[0];
  spec.domains.push_back(other);
  EXPECT_EQ(LinesOf(spec).size(), 2U);
}

TEST(CheckRulesTest, WarnsOfUnknownLimitReplacedByDescriptor) {
  RuleSetSpec spec = SpecOf({});
  DescriptorSpec named;
  named.key = "a";
  named.limit_name = "basic";
  DescriptorSpec replacing;
  replacing.key = "b";
  replacing.replaces = {{"basic", Line(3)}, {"basci", Line(4)}};
  named.descriptors.push_back(replacing);
  spec.domains[0].descriptors.push_back(named);
  EXPECT_EQ(LinesOf(spec),
            Texts({"r.yaml:4:1: warning: unknown named limit 'basci'; did you mean 'basic'?"}));
}

TEST(CheckRulesTest, ChecksDomainsSeparately) {
  RuleSetSpec spec = SpecOf({Decides(RuleAction::kDeny, "no")});
  spec.domains.push_back(SpecOf({LimitRule("a")}).domains[0]);
  EXPECT_EQ(LinesOf(spec), Texts());
}

}  // namespace
}  // namespace sluice
