// One test per documented behaviour of envoyproxy/ratelimit's rule files.
#include "rules/compile/descriptor_tree.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/limit/parse_limit.h"
#include "rules/compile/rule_set.h"

namespace sluice::testing {
namespace {

using Entries = std::vector<Attribute>;

DescriptorSpec Key(const std::string& key, const std::string& value = "") {
  DescriptorSpec spec;
  spec.key = key;
  if (!value.empty()) spec.value = value;
  return spec;
}

DescriptorSpec Limited(DescriptorSpec spec, const std::string& name = "") {
  spec.limit = ParseLimit("10/m", {}).value();
  spec.limit_name = name;
  return spec;
}

DescriptorSpec With(DescriptorSpec spec, std::vector<DescriptorSpec> below) {
  spec.descriptors = std::move(below);
  return spec;
}

class DescriptorTreeTest : public ::testing::Test {
 protected:
  void Use(std::vector<DescriptorSpec> descriptors) {
    RuleSetSpec spec;
    DomainSpec domain;
    domain.name = "d";
    domain.descriptors = std::move(descriptors);
    spec.domains.push_back(std::move(domain));
    rules_ = RuleSet::Make(std::move(spec));
  }

  Match Find(const Entries& entries) const {
    Match match;
    rules_->Find("d")->MatchDescriptor(entries, Cost{1}, match);
    return match;
  }

  // Returns the state of the descriptor: the limit's id and the key; empty if it meets no limit.
  std::string StateOf(const Entries& entries) const {
    const Match match = Find(entries);
    if (match.charges().empty()) return "";
    const RuleCharge& charge = match.charges().front();
    return rules_->limits()[charge.limit].id + "|" + std::string(match.Key(charge));
  }

  std::string LimitOf(const Entries& entries) const {
    const std::string state = StateOf(entries);
    return state.substr(0, state.find('|'));
  }

  // Returns how many charges remain in each match.
  std::vector<std::size_t> LeftOf(std::vector<Match> matches) {
    rules_->Find("d")->DropReplacedDescriptors(matches, replaced_);
    std::vector<std::size_t> left;
    for (const Match& match : matches) left.push_back(match.charges().size());
    return left;
  }

  std::shared_ptr<const RuleSet> rules_;
  Bits replaced_;
};

TEST_F(DescriptorTreeTest, PrefersExactValueThenPatternsThenKeyAlone) {
  Use({Limited(Key("k")), Limited(Key("k", "a*c")), Limited(Key("k", "a*")),
       Limited(Key("k", "abc"))});
  EXPECT_EQ(LimitOf({{"k", "abc"}}), "d/descriptors/k=abc");
  EXPECT_EQ(LimitOf({{"k", "axc"}}), "d/descriptors/k=a*c");
  EXPECT_EQ(LimitOf({{"k", "ax"}}), "d/descriptors/k=a*");
  EXPECT_EQ(LimitOf({{"k", "x"}}), "d/descriptors/k");
  EXPECT_EQ(LimitOf({{"other", "x"}}), "");
}

TEST_F(DescriptorTreeTest, FindsOnlyEntriesOfSameDepth) {
  Use({With(Limited(Key("a")), {With(Key("b"), {Limited(Key("c"))})})});
  EXPECT_NE(LimitOf({{"a", "1"}}), "");
  EXPECT_EQ(LimitOf({{"a", "1"}, {"b", "2"}}), "");
  EXPECT_NE(LimitOf({{"a", "1"}, {"b", "2"}, {"c", "3"}}), "");
  EXPECT_EQ(LimitOf({{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}}), "");
  EXPECT_EQ(LimitOf({{"b", "2"}, {"a", "1"}}), "");
}

TEST_F(DescriptorTreeTest, DoesNotBacktrack) {
  Use({With(Key("a", "x"), {Limited(Key("b"))}), With(Key("a"), {Limited(Key("c"))})});
  EXPECT_EQ(LimitOf({{"a", "x"}, {"c", "1"}}), "");
  EXPECT_NE(LimitOf({{"a", "y"}, {"c", "1"}}), "");
}

TEST_F(DescriptorTreeTest, DifferentPartsMakeDifferentKeys) {
  Use({With(Limited(Key("b")), {Limited(Key("d")), Limited(Key("c_d"))})});
  EXPECT_NE(StateOf({{"b", "c_d_e"}}), StateOf({{"b", "c"}, {"d", "e"}}));
  EXPECT_NE(StateOf({{"b", "c"}, {"d", "e"}}), StateOf({{"b", "c_d"}, {"d", "e"}}));
  EXPECT_NE(StateOf({{"b", "1"}, {"d", "23"}}), StateOf({{"b", "12"}, {"d", "3"}}));
}

TEST_F(DescriptorTreeTest, KeepsOneStatePerValueOfKeyOrPattern) {
  Use({Limited(Key("k")), Limited(Key("p", "a*"))});
  EXPECT_NE(StateOf({{"k", "1"}}), StateOf({{"k", "2"}}));
  EXPECT_EQ(StateOf({{"k", "1"}}), StateOf({{"k", "1"}}));
  EXPECT_NE(StateOf({{"p", "a1"}}), StateOf({{"p", "a2"}}));
}

TEST_F(DescriptorTreeTest, ShareThresholdSharesOneStatePerPattern) {
  DescriptorSpec shared = Limited(Key("p", "a*"));
  shared.share_threshold = true;
  Use({shared});
  EXPECT_EQ(StateOf({{"p", "a1"}}), StateOf({{"p", "a2"}}));
}

TEST_F(DescriptorTreeTest, UnlimitedEntryMatchesWithoutCharge) {
  DescriptorSpec unlimited = Key("k", "vip");
  unlimited.unlimited = true;
  Use({unlimited, Limited(Key("k"))});
  const Match match = Find({{"k", "vip"}});
  ASSERT_NE(match.node(), nullptr);
  EXPECT_TRUE(match.node()->spec->unlimited);
  EXPECT_TRUE(match.charges().empty());
}

TEST_F(DescriptorTreeTest, ShadowAndQuotaModesSetEnforcement) {
  DescriptorSpec shadow = Limited(Key("s"));
  shadow.shadow_mode = true;
  DescriptorSpec quota = Limited(Key("q"));
  quota.quota_mode = true;
  Use({shadow, quota, Limited(Key("e"))});
  EXPECT_EQ(Find({{"s", "1"}}).charges().front().enforcement, Enforcement::kShadow);
  EXPECT_EQ(Find({{"q", "1"}}).charges().front().enforcement, Enforcement::kQuota);
  EXPECT_EQ(Find({{"e", "1"}}).charges().front().enforcement, Enforcement::kEnforce);
}

TEST_F(DescriptorTreeTest, DropsReplacedLimitIfBothMatch) {
  DescriptorSpec special = Limited(Key("b"));
  special.replaces.push_back({"general", {}});
  special.replaces.push_back({"none of these", {}});
  Use({Limited(Key("a"), "general"), Limited(Key("c")), special});
  const Match general = Find({{"a", "1"}});
  EXPECT_EQ(LeftOf({general, Find({{"b", "1"}})}), std::vector<std::size_t>({0, 1}));
  EXPECT_EQ(LeftOf({Find({{"b", "1"}}), general, general}), std::vector<std::size_t>({1, 0, 0}));
  EXPECT_EQ(LeftOf({general}), std::vector<std::size_t>({1}));
}

}  // namespace
}  // namespace sluice::testing
