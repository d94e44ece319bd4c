#include "rules/diff/diff_rules.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "unit/rules/spec_builder.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;

LimitSpec Rated(std::int64_t count, Nanos period = 1min) {
  LimitSpec spec;
  spec.rate = Rate{count, period};
  return spec;
}

LimitSpec Of(Algorithm algorithm, LimitSpec spec) {
  spec.algorithm = algorithm;
  return spec;
}

Limit Made(const LimitSpec& spec) { return std::get<Limit>(MakeLimit(spec, nullptr)); }

NamedLimit Named(std::string name, const LimitSpec& spec) {
  return {std::move(name), Made(spec), {}};
}

// Returns a rule per user with the limit 'm'.
RuleSpec UserRule(const LimitSpec& spec, std::string name = "posts") {
  RuleSpec rule = Per(LimitRule(std::move(name)), {{"user"}});
  rule.limits.push_back(Named("m", spec));
  return rule;
}

RuleSpec KeyedBy(std::vector<Texts> parts, std::int64_t count = 2) {
  RuleSpec rule = Per(LimitRule("posts"), std::move(parts));
  rule.limits.push_back(Named("m", Rated(count)));
  return rule;
}

// Returns a rule per user that chooses a plan.
RuleSpec PlannedRule(std::string name) {
  RuleSpec rule = Per(LimitRule(std::move(name)), {{"user"}});
  rule.plan = PlanChoiceSpec{"plan", "free", {}};
  return rule;
}

RuleSpec Off(RuleSpec rule) {
  rule.mode = RuleMode::kOff;
  return rule;
}

Texts Diff(const RuleSetSpec& before, const RuleSetSpec& after) {
  Texts lines;
  for (const RuleChange& change : DiffRules(before, after)) lines.push_back(Describe(change));
  return lines;
}

Texts DiffOf(const std::vector<RuleSpec>& before, const std::vector<RuleSpec>& after) {
  return Diff(SpecOf(before), SpecOf(after));
}

Texts DiffOf(const RuleSpec& before, const RuleSpec& after) {
  return DiffOf(std::vector{before}, std::vector{after});
}

// Compares two rule sets that both have the rule, after `change` has changed their domains.
template <typename Change>
Texts DiffDomains(const RuleSpec& rule, Change change) {
  RuleSetSpec before = SpecOf({rule});
  RuleSetSpec after = before;
  change(before.domains[0], after.domains[0]);
  return Diff(before, after);
}

TEST(DiffRulesTest, ReportsNothingForEqualRules) {
  EXPECT_EQ(DiffOf(UserRule(Rated(2)), UserRule(Rated(2))), Texts());
  EXPECT_EQ(DiffRules({}, {}).size(), 0U);
}

TEST(DiffRulesTest, IgnoresWrittenDefaultsAndPlaces) {
  LimitSpec written = Rated(2);
  written.burst = 2;
  written.max_wait = 0s;
  RuleSpec elsewhere = UserRule(written);
  elsewhere.limits[0].origin = Line(9);
  elsewhere.status = 429;
  EXPECT_EQ(DiffOf(UserRule(Rated(2)), elsewhere), Texts());
  LimitSpec bare = Rated(2, 1h);
  bare.rate->unit = CalendarUnit::kHour;
  EXPECT_EQ(DiffOf(UserRule(Rated(2, 1h)), UserRule(bare)), Texts());
}

TEST(DiffRulesTest, IgnoresOrderAndSpellingOfValues) {
  const auto matching = [](const std::string& attribute, Texts values) {
    return LimitRule("a", {{attribute, Values(std::move(values))}});
  };
  EXPECT_EQ(DiffOf(matching("m", {"a", "b"}), matching("m", {"b", "a", "b"})), Texts());
  EXPECT_EQ(DiffOf(matching("ip", {"10.0.0.1", "10.*"}), matching("ip", {"10.*", "10.0.0.1/32"})),
            Texts());
  EXPECT_EQ(DiffOf(matching("ip", {"::ffff:10.0.0.1"}), matching("ip", {"10.0.0.1"})), Texts());
  EXPECT_EQ(DiffOf(Replacing("a", {"x", "y"}), Replacing("a", {"y", "x"})), Texts());
  // The text counts if the attribute is not an address.
  EXPECT_EQ(DiffOf(matching("m", {"10.0.0.1"}), matching("m", {"10.0.0.1/32"})),
            Texts({"api: rule 'a': match.m \"10.0.0.1\" -> 10.0.0.1/32; states stay"}));
  EXPECT_EQ(
      DiffOf(matching("ip", {"10.0.0.1"}), matching("ip", {"10.0.0.1/32", "10.0.0.2"})),
      Texts({"api: rule 'a': match.ip \"10.0.0.1\" -> [10.0.0.1/32, \"10.0.0.2\"]; states stay"}));
  EXPECT_EQ(DiffOf(LimitRule("a", {{"m", Values({"a"})}}),
                   LimitRule("a", {{"m", Matcher(MatcherSpec::Kind::kRegex, {"a"})}})),
            Texts({"api: rule 'a': match.m a -> {regex: a}; states stay"}));
}

TEST(DiffRulesTest, IgnoresSpellingOfAddressesInLists) {
  const auto lists = [](DomainSpec& before, DomainSpec& after) {
    before.lists = {{"l", {"10.0.0.1", "2001:DB8:0::/32", "10.0.0.2"}, {}}};
    after.lists = {{"l", {"2001:db8::/32", "::ffff:10.0.0.1", "10.0.0.1/32", "10.0.0.3"}, {}}};
  };
  EXPECT_EQ(DiffDomains(UserRule(Rated(2)), lists),
            Texts({"api: list 'l': removed '10.0.0.2'", "api: list 'l': added '10.0.0.3'"}));
}

TEST(DiffRulesTest, UsedUnitsCarryOverToNewTerms) {
  EXPECT_EQ(DiffOf(UserRule(Rated(2)), UserRule(Rated(4))),
            Texts({"api: rule 'posts': limit 'm' 2/m -> 4/m; used units carry over"}));
  LimitSpec burst = Rated(2);
  burst.burst = 5;
  EXPECT_EQ(DiffOf(UserRule(Rated(2)), UserRule(burst)),
            Texts({"api: rule 'posts': limit 'm' burst 2 -> 5; used units carry over"}));
  burst.rate = Rate{4, 1min};
  EXPECT_EQ(
      DiffOf(UserRule(Rated(2)), UserRule(burst)),
      Texts({"api: rule 'posts': limit 'm' 2/m -> 4/m, burst 2 -> 5; used units carry over"}));
}

TEST(DiffRulesTest, KeepsPermitsAndBookedTime) {
  LimitSpec few;
  few.algorithm = Algorithm::kConcurrency;
  few.max_in_flight = 5;
  LimitSpec many = few;
  many.max_in_flight = 6;
  EXPECT_EQ(DiffOf(UserRule(few), UserRule(many)),
            Texts({"api: rule 'posts': limit 'm' max_in_flight 5 -> 6; permits stay held"}));
  EXPECT_EQ(
      DiffOf(UserRule(Of(Algorithm::kPacer, Rated(2))), UserRule(Of(Algorithm::kPacer, Rated(4)))),
      Texts({"api: rule 'posts': limit 'm' 2/m -> 4/m; what is booked stays booked"}));
}

TEST(DiffRulesTest, ChangedAlgorithmStartsAfresh) {
  EXPECT_EQ(DiffOf(UserRule(Rated(2)), UserRule(Of(Algorithm::kSlidingLog, Rated(2)))),
            Texts({"api: rule 'posts': limit 'm' 2/m, token_bucket -> 2/m, sliding_log, another "
                   "algorithm; states start afresh"}));
}

TEST(DiffRulesTest, RenamedLimitIsAnotherLimit) {
  RuleSpec hourly = UserRule(Rated(100, 1h));
  hourly.limits[0].name = "h";
  EXPECT_EQ(DiffOf(UserRule(Rated(2)), hourly),
            Texts({"api: rule 'posts': limit 'm' 2/m removed; its states are no longer used",
                   "api: rule 'posts': limit 'h' 100/1h added; states start afresh"}));
}

TEST(DiffRulesTest, IdentifiesRulesByName) {
  EXPECT_EQ(DiffOf(UserRule(Rated(2), "a"), UserRule(Rated(2), "b")),
            Texts({"api: rule 'a' removed; its states are no longer used",
                   "api: rule 'b' added; states start afresh"}));
  EXPECT_EQ(DiffOf(std::vector{Decides(RuleAction::kAllow, "a")}, std::vector<RuleSpec>()),
            Texts({"api: rule 'a' removed"}));
}

TEST(DiffRulesTest, ChangedMatchKeepsStates) {
  RuleSpec before = UserRule(Rated(2));
  before.match = {{"path", Values({"/a"})}, {"x", Values({"y"})}};
  RuleSpec after = UserRule(Rated(2));
  after.match = {{"method", Values({"none"})}, {"path", Values({"/a", "/b"}, true)}};
  EXPECT_EQ(DiffOf(before, after),
            Texts({"api: rule 'posts': match.path /a -> {not: [/a, /b]}; states stay",
                   "api: rule 'posts': match.x y -> (none); states stay",
                   "api: rule 'posts': match.method (none) -> none; states stay"}));
}

TEST(DiffRulesTest, AddedKeyPartStartsAfresh) {
  EXPECT_EQ(
      DiffOf(KeyedBy({{"user"}}), KeyedBy({{"user"}, {"path"}}, 4)),
      Texts({"api: rule 'posts': per [user] -> [user, path], another key; states start afresh",
             "api: rule 'posts': limit 'm' 2/m -> 4/m; states start afresh"}));
}

TEST(DiffRulesTest, ChangedAttributeFindsStatesByValue) {
  EXPECT_EQ(
      DiffOf(KeyedBy({{"user"}}), KeyedBy({{"account"}}, 4)),
      Texts({"api: rule 'posts': per [user] -> [account], another key; a key goes on with the "
             "state its values had before",
             "api: rule 'posts': limit 'm' 2/m -> 4/m; used units carry over"}));
}

TEST(DiffRulesTest, ChangeFromTextToAddressStartsAfresh) {
  EXPECT_EQ(DiffOf(KeyedBy({{"user"}}), KeyedBy({{"ip"}})),
            Texts({"api: rule 'posts': per [user] -> [ip], another key; states start afresh"}));
}

TEST(DiffRulesTest, AppendedAlternativeKeepsStates) {
  EXPECT_EQ(DiffOf(KeyedBy({{"user"}}), KeyedBy({{"user", "ip"}})),
            Texts({"api: rule 'posts': per [user] -> [[user, ip]]; states stay"}));
}

TEST(DiffRulesTest, IgnoresOrderOfLimitRules) {
  const RuleSpec a = UserRule(Rated(2), "a");
  const RuleSpec b = UserRule(Rated(2), "b");
  EXPECT_EQ(DiffOf({a, b}, {b, a}), Texts());
}

TEST(DiffRulesTest, ReportsMovedAllowAndDenyRules) {
  const RuleSpec a = Decides(RuleAction::kAllow, "a");
  const RuleSpec b = Decides(RuleAction::kDeny, "b");
  const RuleSpec c = Decides(RuleAction::kAllow, "c");
  EXPECT_EQ(DiffOf({a, b, c}, {c, a, b}),
            Texts({"api: rule 'c' (allow) moved before rule 'a' (allow)"}));
  EXPECT_EQ(DiffOf({a, b, c}, {b, c, a}),
            Texts({"api: rule 'a' (allow) moved after rule 'c' (allow)"}));
  RuleSpec off = b;
  off.mode = RuleMode::kOff;
  EXPECT_EQ(DiffOf({a, off}, {off, a}), Texts());
}

TEST(DiffRulesTest, ComparesEveryOtherKeyOfRule) {
  RuleSpec after = UserRule(Rated(2));
  after.cost = std::int64_t{5};
  after.debt = true;
  after.mode = RuleMode::kShadow;
  after.enforce.millionths = 125'000;
  after.status = 503;
  after.message = "Later.";
  after.consistency = Consistency::kLeased;
  after.on_store_failure = OnStoreFailure::kDeny;
  after.replaces = {{"x", {}}};
  EXPECT_EQ(
      DiffOf(UserRule(Rated(2)), after),
      Texts({"api: rule 'posts': cost the request's own -> 5",
             "api: rule 'posts': debt false -> true",
             "api: rule 'posts': mode enforce -> shadow; states stay",
             "api: rule 'posts': enforce_percent 100 -> 12.5",
             "api: rule 'posts': status 429 -> 503", "api: rule 'posts': message (none) -> Later.",
             "api: rule 'posts': consistency exact -> leased",
             "api: rule 'posts': on_store_failure local -> deny",
             "api: rule 'posts': replaces [] -> [x]"}));
}

TEST(DiffRulesTest, RuleThatIsOffUsesNoStates) {
  RuleSpec off = UserRule(Rated(2));
  off.mode = RuleMode::kOff;
  EXPECT_EQ(DiffOf(UserRule(Rated(2)), off),
            Texts({"api: rule 'posts': mode enforce -> off; its states are no longer used"}));
  EXPECT_EQ(DiffOf(off, UserRule(Rated(2))),
            Texts({"api: rule 'posts': mode off -> enforce; states start afresh"}));
}

TEST(DiffRulesTest, ChangesOfRuleThatIsOffDoNotAffectStates) {
  const RuleSpec before = UserRule(Rated(2));
  RuleSpec after = Per(UserRule(Rated(4)), {{"path"}});
  after.match = {{"path", Values({"/a"})}};
  after.limits.push_back(Named("h", Rated(9, 1h)));
  EXPECT_EQ(DiffOf(Off(before), Off(after)),
            Texts({"api: rule 'posts': match.path (none) -> /a",
                   "api: rule 'posts': per [user] -> [user, path], another key",
                   "api: rule 'posts': limit 'm' 2/m -> 4/m",
                   "api: rule 'posts': limit 'h' 9/1h added"}));
  EXPECT_EQ(DiffOf(Off(after), Off(before)).back(), "api: rule 'posts': limit 'm' 4/m -> 2/m");
  EXPECT_EQ(DiffOf(before, Off(UserRule(Rated(4)))),
            Texts({"api: rule 'posts': mode enforce -> off; its states are no longer used",
                   "api: rule 'posts': limit 'm' 2/m -> 4/m; its states are no longer used"}));
  EXPECT_EQ(DiffOf(before, Off(after)).back(), "api: rule 'posts': limit 'h' 9/1h added");
  EXPECT_EQ(DiffOf(Off(before), UserRule(Rated(4))),
            Texts({"api: rule 'posts': mode off -> enforce; states start afresh",
                   "api: rule 'posts': limit 'm' 2/m -> 4/m; states start afresh"}));
}

TEST(DiffRulesTest, MatchOfAllowRuleDoesNotAffectStates) {
  EXPECT_EQ(DiffOf(Decides(RuleAction::kAllow, "a"),
                   Decides(RuleAction::kAllow, "a", {{"path", Values({"/a"})}})),
            Texts({"api: rule 'a': match.path (none) -> /a"}));
}

TEST(DiffRulesTest, ChangedActionDoesNotReportItsDefaults) {
  EXPECT_EQ(DiffOf(UserRule(Rated(2)), Decides(RuleAction::kDeny, "posts")),
            Texts({"api: rule 'posts': action limit -> deny",
                   "api: rule 'posts': limit 'm' 2/m removed; its states are no longer used"}));
}

TEST(DiffRulesTest, ComparesPlansLimitByLimit) {
  const auto plans = [](DomainSpec& before, DomainSpec& after) {
    before.plans = {{"free", {Named("m", Rated(2))}, {}}, {"old", {Named("m", Rated(2))}, {}}};
    after.plans = {{"free", {Named("m", Rated(4))}, {}}, {"new", {Named("m", Rated(2))}, {}}};
  };
  EXPECT_EQ(DiffDomains(PlannedRule("posts"), plans),
            Texts({"api: plan 'old' removed; its states are no longer used",
                   "api: plan 'free': limit 'm' 2/m -> 4/m; used units carry over",
                   "api: plan 'new' added; states start afresh"}));
}

TEST(DiffRulesTest, UnusedPlanHasNoStates) {
  const auto plans = [](DomainSpec& before, DomainSpec& after) {
    before.plans = {{"free", {Named("m", Rated(2))}, {}}, {"old", {Named("m", Rated(2))}, {}}};
    after.plans = {{"free", {Named("m", Rated(4))}, {}}, {"new", {Named("m", Rated(2))}, {}}};
  };
  const Texts without_states = {"api: plan 'old' removed", "api: plan 'free': limit 'm' 2/m -> 4/m",
                                "api: plan 'new' added"};
  EXPECT_EQ(DiffDomains(UserRule(Rated(2)), plans), without_states);
  EXPECT_EQ(DiffDomains(Off(PlannedRule("posts")), plans), without_states);
}

// Compares rule sets whose plan 'free' has different terms.
Texts DiffPlanned(const std::vector<RuleSpec>& before, const std::vector<RuleSpec>& after,
                  int v4_bits = 32) {
  RuleSetSpec was = SpecOf(before);
  RuleSetSpec is = SpecOf(after);
  was.domains[0].plans = {{"free", {Named("s", Rated(1, 1s))}, {}}};
  is.domains[0].plans = {{"free", {Named("s", Rated(2, 1s))}, {}}};
  is.domains[0].ip_prefix.v4 = v4_bits;
  return Diff(was, is);
}

TEST(DiffRulesTest, PlanUnitsCarryOverInRulesWithSameKey) {
  const RuleSpec a = PlannedRule("a");
  const RuleSpec b = PlannedRule("b");
  const RuleSpec other_key = Per(b, {{"ip"}});
  EXPECT_EQ(DiffPlanned({a, b}, {a, b}),
            Texts({"api: plan 'free': limit 's' 1/s -> 2/s; used units carry over"}));
  EXPECT_EQ(DiffPlanned({b}, {other_key}),
            Texts({"api: plan 'free': limit 's' 1/s -> 2/s; states start afresh",
                   "api: rule 'b': per [user] -> [user, ip], another key; states start afresh"}));
  EXPECT_EQ(DiffPlanned({a, b}, {a, other_key}),
            Texts({"api: plan 'free' in rule 'a': limit 's' 1/s -> 2/s; used units carry over",
                   "api: plan 'free' in rule 'b': limit 's' 1/s -> 2/s; states start afresh",
                   "api: rule 'b': per [user] -> [user, ip], another key; states start afresh"}));
}

TEST(DiffRulesTest, PlanUnitsCarryOverInPartIfIpPrefixChanges) {
  EXPECT_EQ(DiffPlanned({Per(PlannedRule("a"), {{"ip"}})}, {Per(PlannedRule("a"), {{"ip"}})}, 24),
            Texts({"api: plan 'free': limit 's' 1/s -> 2/s; used units carry over where the key "
                   "stays",
                   "api: ip_prefix v4: 32 -> 24, another key for such addresses in 'a'; states "
                   "start afresh"}));
}

TEST(DiffRulesTest, AddedAndRemovedRulesDoNotAffectPlansOfOthers) {
  const RuleSpec a = PlannedRule("a");
  EXPECT_EQ(DiffPlanned({a, PlannedRule("b")}, {a, Off(PlannedRule("b")), PlannedRule("c")}),
            Texts({"api: plan 'free': limit 's' 1/s -> 2/s; used units carry over",
                   "api: rule 'b': mode enforce -> off; its states are no longer used",
                   "api: rule 'c' added; states start afresh"}));
  EXPECT_EQ(DiffPlanned({a}, {Off(a)}),
            Texts({"api: plan 'free': limit 's' 1/s -> 2/s; its states are no longer used",
                   "api: rule 'a': mode enforce -> off; its states are no longer used"}));
  EXPECT_EQ(DiffPlanned({Off(a)}, {a}),
            Texts({"api: plan 'free': limit 's' 1/s -> 2/s; states start afresh",
                   "api: rule 'a': mode off -> enforce; states start afresh"}));
  EXPECT_EQ(DiffPlanned({a}, {PlannedRule("b")}),
            Texts({"api: plan 'free': limit 's' 1/s -> 2/s; states start afresh",
                   "api: rule 'a' removed; its states are no longer used",
                   "api: rule 'b' added; states start afresh"}));
}

TEST(DiffRulesTest, PlanChoiceHasStatesOfItsOwn) {
  RuleSpec planned = Per(LimitRule("posts"), {{"user"}});
  planned.plan = PlanChoiceSpec{"plan", "free", {}};
  EXPECT_EQ(DiffOf(UserRule(Rated(2)), planned),
            Texts({"api: rule 'posts': plan (none) -> {by: plan, default: free}; states start "
                   "afresh",
                   "api: rule 'posts': limit 'm' 2/m removed; its states are no longer used"}));
  RuleSpec by_tier = planned;
  by_tier.plan->by = "tier";
  EXPECT_EQ(DiffOf(planned, by_tier),
            Texts({"api: rule 'posts': plan {by: plan, default: free} -> {by: tier, default: "
                   "free}; states stay"}));
}

TEST(DiffRulesTest, NamesFirstFewChangedListValues) {
  const auto lists = [](DomainSpec& before, DomainSpec& after) {
    before.lists = {{"l", {"a", "b", "c", "d", "e", "f", "g", "h"}, {}}};
    after.lists = {{"l", {"i", "h"}, {}}, {"m", {}, {}}};
  };
  EXPECT_EQ(DiffDomains(UserRule(Rated(2)), lists),
            Texts({"api: list 'l': removed 'a', 'b', 'c', 'd', 'e' and 2 more",
                   "api: list 'l': added 'i'", "api: list 'm' added"}));
}

TEST(DiffRulesTest, ChangedAliasSourceFindsStatesByValue) {
  const auto aliases = [](DomainSpec& before, DomainSpec& after) {
    before.aliases = {{"user", "header.a", {}}, {"other", "header.a", {}}};
    after.aliases = {{"user", "header.b", {}}, {"other", "header.b", {}}};
  };
  EXPECT_EQ(DiffDomains(UserRule(Rated(2)), aliases),
            Texts({"api: attribute 'user': header.a -> header.b; a key goes on with the state its "
                   "values had before",
                   "api: attribute 'other': header.a -> header.b"}));
  const auto address = [](DomainSpec& before, DomainSpec& after) {
    before.aliases = {{"user", "client", {}}, {"client", "header.a", {}}};
    after.aliases = {{"user", "client", {}}, {"client", "ip", {}}};
    after.rules[0].limits = {Named("m", Rated(4))};
  };
  EXPECT_EQ(DiffDomains(UserRule(Rated(2)), address),
            Texts({"api: attribute 'client': header.a -> ip; states start afresh",
                   "api: rule 'posts': limit 'm' 2/m -> 4/m; states start afresh"}));
}

TEST(DiffRulesTest, ChangedIpPrefixChangesAddressKeysOnly) {
  const auto cut = [](DomainSpec& /*before*/, DomainSpec& after) {
    after.ip_prefix.v4 = 24;
    after.rules[0].limits = {Named("m", Rated(4))};
  };
  EXPECT_EQ(DiffDomains(KeyedBy({{"ip"}}), cut),
            Texts({"api: ip_prefix v4: 32 -> 24, another key for such addresses in 'posts'; states "
                   "start afresh",
                   "api: rule 'posts': limit 'm' 2/m -> 4/m; used units carry over where the key "
                   "stays"}));
  EXPECT_EQ(DiffDomains(KeyedBy({{"user"}}), cut),
            Texts({"api: ip_prefix v4: 32 -> 24",
                   "api: rule 'posts': limit 'm' 2/m -> 4/m; used units carry over"}));
}

TEST(DiffRulesTest, ReportsAddedAndRemovedDomains) {
  RuleSetSpec other = SpecOf({UserRule(Rated(2))});
  other.domains[0].name = "web";
  EXPECT_EQ(Diff(SpecOf({UserRule(Rated(2))}), other),
            Texts({"api: domain removed; its states are no longer used",
                   "web: domain added; states start afresh"}));
}

TEST(DiffRulesTest, FillsInFieldsOfChange) {
  const auto changes = DiffRules(SpecOf({UserRule(Rated(2))}), SpecOf({UserRule(Rated(4))}));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].domain, "api");
  EXPECT_EQ(changes[0].subject, RuleSubject::kRule);
  EXPECT_EQ(changes[0].name, "posts");
  EXPECT_EQ(changes[0].kind, ChangeKind::kChanged);
  EXPECT_EQ(changes[0].sentence, "rule 'posts': limit 'm' 2/m -> 4/m");
  EXPECT_EQ(changes[0].effect, StateEffect::kCarryOver);
}

}  // namespace
}  // namespace sluice
