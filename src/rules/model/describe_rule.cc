#include "rules/model/describe_rule.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include "base/decimal.h"
#include "base/flow_text.h"
#include "core/limit/format_limit.h"
#include "core/limit/limit_defaults.h"
#include "rules/model/rule_words.h"

namespace sluice {
namespace {

constexpr int kTooManyRequests = 429;
constexpr int kForbidden = 403;

Value Text(std::string_view text) { return Value::String(std::string(text)); }
Value Whole(std::int64_t number) { return Value::Number(std::to_string(number)); }

std::optional<Origin> Find(const WrittenKeys& written, std::string_view key) {
  const auto found = std::ranges::find(written, key, &WrittenKey::key);
  return found == written.end() ? std::nullopt : std::optional(found->origin);
}

// Collects values, each with the place where its key was written in one mapping.
class Described {
 public:
  explicit Described(const WrittenKeys& written) : written_(written) {}

  Described& Add(std::string_view key, Value value, std::string_view instead_of_null = kNoWords) {
    values_.push_back({std::string(key), std::move(value), Find(written_, key), instead_of_null});
    return *this;
  }

  std::vector<DescribedValue> Take() { return std::move(values_); }

 private:
  const WrittenKeys& written_;
  std::vector<DescribedValue> values_;
};

Value Texts(std::span<const std::string> texts) {
  Value::List list;
  for (const std::string& text : texts) list.push_back(Value::String(text));
  return Value::MakeList(std::move(list));
}

Value Mapping(std::string_view key, Value value) {
  return Value::MakeMap({{std::string(key), {}, std::move(value)}});
}

Value ToValue(const MatcherSpec& matcher) {
  using Kind = MatcherSpec::Kind;
  if (matcher.kind == Kind::kPresent) return Mapping("present", Value::Boolean(!matcher.negated));
  Value value;
  switch (matcher.kind) {
    case Kind::kValues:
      value = matcher.texts.size() == 1 ? Text(matcher.texts.front()) : Texts(matcher.texts);
      break;
    case Kind::kRegex:
      value = Mapping("regex", Text(matcher.texts.front()));
      break;
    case Kind::kIn:
      value = Mapping("in", Text(matcher.texts.front()));
      break;
    case Kind::kPresent:
      break;
  }
  return matcher.negated ? Mapping("not", std::move(value)) : value;
}

Value ToValue(const std::vector<KeyPartSpec>& per) {
  Value::List parts;
  for (const KeyPartSpec& part : per) {
    parts.push_back(part.attributes.size() == 1 ? Text(part.attributes.front())
                                                : Texts(part.attributes));
  }
  return Value::MakeList(std::move(parts));
}

Value ToValue(const PlanChoiceSpec& plan) {
  Value::Map map = {{"by", {}, Text(plan.by)}};
  if (plan.otherwise) map.push_back({"default", {}, Text(*plan.otherwise)});
  return Value::MakeMap(std::move(map));
}

Value ToValue(const std::optional<CostSpec>& cost) {
  if (!cost) return {};
  if (const auto* attribute = std::get_if<std::string>(&*cost)) return Text(*attribute);
  return Whole(*std::get_if<std::int64_t>(&*cost));
}

// Returns the share in percent.
Value ToValue(Share share) {
  constexpr std::int64_t kMillionthsOfAPercent = Share::kWhole / 100;
  return Value::Number(Format(*ToDecimal({share.millionths, kMillionthsOfAPercent})));
}

Value ToValue(const std::vector<ReplacedSpec>& replaces) {
  Value::List names;
  for (const ReplacedSpec& replaced : replaces) names.push_back(Text(replaced.name));
  return Value::MakeList(std::move(names));
}

Value OrNull(const std::string& text) { return text.empty() ? Value() : Text(text); }

void AddLimit(const LimitSpec& spec, Described& described) {
  const LimitSpec full = WithDefaults(spec);
  for (Value::Entry& entry : LimitEntries(full)) {
    described.Add(entry.key, std::move(entry.value));
  }
  const bool warms_up = full.warm_up.value_or(Nanos{0}) > Nanos{0};
  if (spec.algorithm == Algorithm::kPacer && !warms_up && !full.burst) {
    described.Add("burst", {}, "what one second brings");
  }
  if (spec.algorithm == Algorithm::kLeakyBucket && !full.max_wait) {
    described.Add("max_wait", {});
  }
}

}  // namespace

std::string WordsOf(const DescribedValue& described) {
  if (described.value.IsNull()) return std::string(described.instead_of_null);
  return FlowText(described.value);
}

std::vector<DescribedValue> DescribeMatch(const RuleSpec& rule) {
  std::vector<DescribedValue> conditions;
  for (const ConditionSpec& condition : rule.match) {
    conditions.push_back(
        {condition.attribute, ToValue(condition.matcher), condition.matcher.origin});
  }
  return conditions;
}

std::vector<DescribedValue> DescribeRule(const RuleSpec& rule) {
  const bool limits = rule.action == RuleAction::kLimit;
  Described described(rule.written);
  described.Add("action", Text(WordOf(rule.action)));
  if (limits) described.Add("per", ToValue(rule.per));
  if (rule.plan) described.Add("plan", ToValue(*rule.plan));
  if (limits) {
    described.Add("cost", ToValue(rule.cost), "the request's own")
        .Add("debt", Value::Boolean(rule.debt));
  }
  described.Add("mode", Text(WordOf(rule.mode)));
  if (limits) described.Add("enforce_percent", ToValue(rule.enforce));
  const int otherwise = limits ? kTooManyRequests : kForbidden;
  if (rule.action != RuleAction::kAllow) {
    described.Add("status", Whole(rule.status.value_or(otherwise)))
        .Add("message", OrNull(rule.message));
  }
  if (limits) {
    described.Add("consistency", Text(WordOf(rule.consistency)))
        .Add("deny_cache", Value::Boolean(rule.deny_cache))
        .Add("on_store_failure", Text(WordOf(rule.on_store_failure)))
        .Add("replaces", ToValue(rule.replaces));
  }
  return described.Take();
}

std::vector<DescribedValue> DescribeLimit(const NamedLimit& limit) {
  Described described(limit.written);
  described.Add("name", Text(limit.name));
  AddLimit(limit.limit.spec, described);
  return described.Take();
}

std::vector<DescribedValue> DescribeRateLimit(const DescriptorSpec& descriptor) {
  Described described(descriptor.rate_limit_written);
  described.Add("unlimited", Value::Boolean(descriptor.unlimited))
      .Add("name", OrNull(descriptor.limit_name))
      .Add("replaces", ToValue(descriptor.replaces));
  if (descriptor.limit) AddLimit(descriptor.limit->spec, described);
  return described.Take();
}

std::vector<DescribedValue> DescribeDescriptor(const DescriptorSpec& descriptor) {
  Described described(descriptor.written);
  described.Add("value", OrNull(descriptor.value.value_or("")), "any")
      .Add("shadow_mode", Value::Boolean(descriptor.shadow_mode))
      .Add("quota_mode", Value::Boolean(descriptor.quota_mode))
      .Add("detailed_metric", Value::Boolean(descriptor.detailed_metric))
      .Add("value_to_metric", Value::Boolean(descriptor.value_to_metric))
      .Add("share_threshold", Value::Boolean(descriptor.share_threshold))
      .Add("metadata", descriptor.metadata.value_or(Value()));
  return described.Take();
}

std::vector<DescribedValue> DescribeIpPrefix(const DomainSpec& domain) {
  return Described(domain.ip_prefix_written)
      .Add("v4", Whole(domain.ip_prefix.v4))
      .Add("v6", Whole(domain.ip_prefix.v6))
      .Take();
}

}  // namespace sluice
