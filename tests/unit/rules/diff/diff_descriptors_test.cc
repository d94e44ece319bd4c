#include "rules/diff/diff_descriptors.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "unit/rules/spec_builder.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;

DescriptorSpec Entry(std::string key, std::optional<std::string> value = std::nullopt,
                     std::int64_t count = 0) {
  DescriptorSpec entry;
  entry.key = std::move(key);
  entry.value = std::move(value);
  if (count > 0) {
    LimitSpec spec;
    spec.rate = Rate{count, 1s};
    entry.limit = std::get<Limit>(MakeLimit(spec, nullptr));
  }
  return entry;
}

DescriptorSpec Above(DescriptorSpec entry, std::vector<DescriptorSpec> below) {
  entry.descriptors = std::move(below);
  return entry;
}

Texts Diff(std::vector<DescriptorSpec> before, std::vector<DescriptorSpec> after) {
  DomainSpec old_domain;
  old_domain.name = "rls";
  DomainSpec new_domain = old_domain;
  old_domain.descriptors = std::move(before);
  new_domain.descriptors = std::move(after);
  std::vector<RuleChange> changes;
  DiffDescriptors(old_domain, new_domain, changes);
  Texts lines;
  for (const RuleChange& change : changes) lines.push_back(Describe(change));
  return lines;
}

TEST(DiffDescriptorsTest, IdentifiesEntriesByPath) {
  EXPECT_EQ(Diff({Above(Entry("a", "x"), {Entry("b", std::nullopt, 1)})},
                 {Above(Entry("a", "x"), {Entry("b", std::nullopt, 2)})}),
            Texts({"rls: descriptor a=x > b: limit 1/s -> 2/s; used units carry over"}));
  EXPECT_EQ(Diff({Above(Entry("a"), {Entry("b", "y", 1)})}, {Above(Entry("a"), {Entry("b")})}),
            Texts({"rls: descriptor a > b=y removed; its states are no longer used",
                   "rls: descriptor a > b added"}));
}

TEST(DiffDescriptorsTest, ReportsAddedAndRemovedLimits) {
  DescriptorSpec unlimited = Entry("a");
  unlimited.unlimited = true;
  EXPECT_EQ(Diff({Entry("a")}, {Entry("a", std::nullopt, 1)}),
            Texts({"rls: descriptor a: limit (none) -> 1/s; states start afresh"}));
  EXPECT_EQ(Diff({Entry("a", std::nullopt, 1)}, {unlimited}),
            Texts({"rls: descriptor a: limit 1/s -> unlimited; its states are no longer used"}));
  EXPECT_EQ(Diff({unlimited}, {unlimited}), Texts());
}

TEST(DiffDescriptorsTest, ShareThresholdChangesKeysHereAndBelow) {
  DescriptorSpec shared = Above(Entry("a", "x*", 1), {Entry("b", "y", 2)});
  shared.share_threshold = true;
  EXPECT_EQ(Diff({Above(Entry("a", "x*", 1), {Entry("b", "y", 1)})}, {shared}),
            Texts({"rls: descriptor a=x*: share_threshold false -> true, another key here and "
                   "below; states start afresh",
                   "rls: descriptor a=x* > b=y: limit 1/s -> 2/s; states start afresh"}));
}

TEST(DiffDescriptorsTest, SettingsDoNotAffectStates) {
  DescriptorSpec after = Entry("a", std::nullopt, 1);
  after.shadow_mode = true;
  after.quota_mode = true;
  after.limit_name = "n";
  after.replaces = {{"m", {}}};
  after.metadata = Value::String("x");
  EXPECT_EQ(Diff({Entry("a", std::nullopt, 1)}, {after}),
            Texts({"rls: descriptor a: shadow_mode false -> true",
                   "rls: descriptor a: quota_mode false -> true",
                   "rls: descriptor a: metadata (none) -> x", "rls: descriptor a: name (none) -> n",
                   "rls: descriptor a: replaces [] -> [m]"}));
  DescriptorSpec in_order = after;
  in_order.replaces = {{"m", {}}, {"n", {}}};
  DescriptorSpec turned = after;
  turned.replaces = {{"n", {}}, {"m", {}}};
  EXPECT_EQ(Diff({in_order}, {turned}), Texts());
}

TEST(DiffDescriptorsTest, ReportsOnlyOrderOfPatternsOfOneKey) {
  EXPECT_EQ(Diff({Entry("a", "x*"), Entry("a", "xy*"), Entry("a", "z"), Entry("b", "x*")},
                 {Entry("b", "x*"), Entry("a", "z"), Entry("a", "xy*"), Entry("a", "x*")}),
            Texts({"rls: descriptor a=xy* moved before a=x*"}));
}

}  // namespace
}  // namespace sluice
