#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/value.h"
#include "cli/rules/show_rules.h"
#include "console/json_text.h"
#include "rules/model/describe_rule.h"

namespace sluice::cli {
namespace {

Value Text(std::string_view text) { return Value::String(std::string(text)); }

void Put(std::string_view key, Value value, Value::Map& map) {
  map.push_back({std::string(key), {}, std::move(value)});
}

// Builds the JSON tree that is printed.
class Shown {
 public:
  explicit Shown(const RuleSetSpec& spec) : spec_(spec) {}

  [[nodiscard]] Value All() const {
    Value::List domains;
    for (const DomainSpec& domain : spec_.domains) domains.push_back(Of(domain));
    Value::Map map;
    Put("domains", Value::MakeList(std::move(domains)), map);
    return Value::MakeMap(std::move(map));
  }

 private:
  [[nodiscard]] Value Place(const Origin& origin) const {
    Value::Map map;
    Put("file", Text(spec_.files[origin.file]), map);
    Put("line", Value::Number(std::to_string(origin.at.line)), map);
    Put("column", Value::Number(std::to_string(origin.at.column)), map);
    return Value::MakeMap(std::move(map));
  }

  [[nodiscard]] Value WithPlace(Value value, const std::optional<Origin>& origin) const {
    Value::Map map;
    Put("value", std::move(value), map);
    Put("from", origin ? Place(*origin) : Value(), map);
    return Value::MakeMap(std::move(map));
  }

  void PutAll(std::vector<DescribedValue> values, Value::Map& map) const {
    for (DescribedValue& each : values) {
      Put(each.key, WithPlace(std::move(each.value), each.origin), map);
    }
  }
  [[nodiscard]] Value MapOf(std::vector<DescribedValue> values) const {
    Value::Map map;
    PutAll(std::move(values), map);
    return Value::MakeMap(std::move(map));
  }

  [[nodiscard]] Value Of(const std::vector<NamedLimit>& limits) const {
    Value::List list;
    for (const NamedLimit& limit : limits) list.push_back(MapOf(DescribeLimit(limit)));
    return Value::MakeList(std::move(list));
  }

  [[nodiscard]] Value Of(const RuleSpec& rule) const {
    Value::Map map;
    Put("name", WithPlace(Text(rule.name), rule.origin), map);
    Put("match", MapOf(DescribeMatch(rule)), map);
    Put("limit", Of(rule.limits), map);
    PutAll(DescribeRule(rule), map);
    return Value::MakeMap(std::move(map));
  }

  [[nodiscard]] Value Of(const std::vector<DescriptorSpec>& descriptors) const {
    Value::List list;
    for (const DescriptorSpec& each : descriptors) list.push_back(Of(each));
    return Value::MakeList(std::move(list));
  }

  [[nodiscard]] Value Of(const DescriptorSpec& descriptor) const {
    Value::Map map;
    Put("key", WithPlace(Text(descriptor.key), descriptor.origin), map);
    PutAll(DescribeDescriptor(descriptor), map);
    Put("rate_limit", MapOf(DescribeRateLimit(descriptor)), map);
    Put("descriptors", Of(descriptor.descriptors), map);
    return Value::MakeMap(std::move(map));
  }

  [[nodiscard]] Value Of(const ListSpec& list) const {
    Value::List values;
    for (const std::string& value : list.values) values.push_back(Text(value));
    return WithPlace(Value::MakeList(std::move(values)), list.origin);
  }

  [[nodiscard]] Value Of(const DomainSpec& domain) const {
    Value::Map attributes;
    for (const AliasSpec& alias : domain.aliases) {
      Put(alias.name, WithPlace(Text(alias.source), alias.origin), attributes);
    }
    Value::Map lists;
    for (const ListSpec& list : domain.lists) Put(list.name, Of(list), lists);
    Value::Map plans;
    for (const PlanSpec& plan : domain.plans) Put(plan.name, Of(plan.limits), plans);
    Value::List rules;
    for (const RuleSpec& rule : domain.rules) rules.push_back(Of(rule));
    Value::Map map;
    Put("domain", WithPlace(Text(domain.name), domain.origin), map);
    Put("attributes", Value::MakeMap(std::move(attributes)), map);
    Put("lists", Value::MakeMap(std::move(lists)), map);
    Put("plans", Value::MakeMap(std::move(plans)), map);
    Put("ip_prefix", MapOf(DescribeIpPrefix(domain)), map);
    Put("rules", Value::MakeList(std::move(rules)), map);
    Put("descriptors", Of(domain.descriptors), map);
    return Value::MakeMap(std::move(map));
  }

  const RuleSetSpec& spec_;
};

}  // namespace

std::string ShowAsJson(const RuleSetSpec& spec) { return JsonText(Shown(spec).All()) + "\n"; }

}  // namespace sluice::cli
