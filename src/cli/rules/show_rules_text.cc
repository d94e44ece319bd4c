#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config_problem.h"
#include "base/text.h"
#include "cli/rules/show_rules.h"
#include "console/table.h"
#include "core/limit/format_limit.h"
#include "rules/diff/diff_descriptors.h"
#include "rules/model/describe_rule.h"

namespace sluice::cli {
namespace {

// The indentation of a line in its block, in steps of two spaces.
struct Depth {
  std::size_t steps = 1;
};

// A heading, and lines of key, value and place.
class Block {
 public:
  Block(const RuleSetSpec& spec, std::string heading, const Origin& origin)
      : spec_(spec), table_({{std::move(heading)}, {""}, {DescribePlace(spec.files, origin)}}) {}
  // Makes a block that has no place of its own.
  Block(const RuleSetSpec& spec, std::string heading)
      : spec_(spec), table_({{std::move(heading)}, {""}, {""}}) {}

  void Add(std::string_view key, const std::string& value, const std::optional<Origin>& from,
           Depth depth = {}) {
    table_.Add({Concat(std::string(2 * depth.steps, ' '), key), value,
                from ? DescribePlace(spec_.files, *from) : "default"},
               from ? std::nullopt : std::optional(Emphasis::kDim));
  }
  void Add(std::string_view above, const std::vector<DescribedValue>& values, Depth depth = {}) {
    for (const DescribedValue& each : values) {
      Add(Concat(above, each.key), WordsOf(each), each.origin, depth);
    }
  }
  void Add(const std::vector<NamedLimit>& limits) {
    for (const NamedLimit& limit : limits) {
      Add("limit", LimitTitle(limit.limit.spec), limit.origin);
      Add("", DescribeLimit(limit), Depth{2});
    }
  }

  [[nodiscard]] std::string ToText(ColorMode ink) const { return table_.ToText(ink); }

 private:
  const RuleSetSpec& spec_;
  Table table_;
};

Block DomainBlock(const RuleSetSpec& spec, const DomainSpec& domain) {
  Block block(spec, Concat("domain ", domain.name), domain.origin);
  for (const AliasSpec& alias : domain.aliases) {
    block.Add(Concat("attributes.", alias.name), alias.source, alias.origin);
  }
  for (const ListSpec& list : domain.lists) {
    const std::size_t count = list.values.size();
    block.Add(Concat("lists.", list.name), Concat(count, count == 1 ? " value" : " values"),
              list.origin);
  }
  block.Add("ip_prefix.", DescribeIpPrefix(domain));
  return block;
}

Block PlanBlock(const RuleSetSpec& spec, const PlanSpec& plan) {
  Block block(spec, Concat("plan ", plan.name), plan.origin);
  block.Add(plan.limits);
  return block;
}

Block RuleBlock(const RuleSetSpec& spec, const RuleSpec& rule) {
  Block block(spec, Concat("rule ", rule.name), rule.origin);
  for (const DescribedValue& value : DescribeRule(rule)) {
    block.Add("", {value});
    // The match follows the action, and the limits follow `per`.
    if (value.key == "action") block.Add("match.", DescribeMatch(rule));
    if (value.key == "per") block.Add(rule.limits);
  }
  return block;
}

std::string RateLimitText(const DescriptorSpec& descriptor) {
  if (descriptor.limit) return LimitTitle(descriptor.limit->spec);
  return descriptor.unlimited ? "unlimited" : "no limit";
}

// Shows the limit of each descriptor, and the other values that are written. Lines of defaults
// would hide the structure.
void AddDescriptors(const std::vector<DescriptorSpec>& descriptors, Depth depth, Block& block) {
  const Depth below{depth.steps + 1};
  for (const DescriptorSpec& each : descriptors) {
    block.Add(StepOf(each), RateLimitText(each), each.origin, depth);
    for (const DescribedValue& value : DescribeRateLimit(each)) {
      const bool is_limit = value.key != "name" && value.key != "replaces";
      if (value.origin && !is_limit) block.Add("", {value}, below);
    }
    for (const DescribedValue& value : DescribeDescriptor(each)) {
      if (value.origin && value.key != "value") block.Add("", {value}, below);
    }
    AddDescriptors(each.descriptors, below, block);
  }
}

}  // namespace

std::string ShowAsText(const RuleSetSpec& spec, ColorMode ink) {
  std::string text;
  const auto append = [&](const Block& block) {
    text += Concat(text.empty() ? "" : "\n", block.ToText(ink));
  };
  for (const DomainSpec& domain : spec.domains) {
    append(DomainBlock(spec, domain));
    for (const PlanSpec& plan : domain.plans) append(PlanBlock(spec, plan));
    for (const RuleSpec& rule : domain.rules) append(RuleBlock(spec, rule));
    if (domain.descriptors.empty()) continue;
    Block block(spec, "descriptors");
    AddDescriptors(domain.descriptors, {}, block);
    append(block);
  }
  return text;
}

}  // namespace sluice::cli
