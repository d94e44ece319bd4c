#include "rules/check/check_limit_count.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace sluice {
namespace {

// The number of limits and the bytes of their names.
struct Size {
  std::size_t limits = 0;
  std::size_t bytes = 0;
};

Size SizeOf(const std::vector<NamedLimit>& limits) {
  Size size{limits.size(), 0};
  for (const NamedLimit& each : limits) size.bytes += each.name.size();
  return size;
}

// Adds up limits until there are too many.
class LimitCount {
 public:
  explicit LimitCount(ConfigProblems& problems) : problems_(problems) {}

  void Add(const DomainSpec& domain) {
    Size of_plans;
    for (const PlanSpec& plan : domain.plans) {
      const Size size = SizeOf(plan.limits);
      of_plans.limits += size.limits;
      of_plans.bytes += size.bytes + size.limits * plan.name.size();
    }
    for (const RuleSpec& rule : domain.rules) {
      if (rule.mode == RuleMode::kOff) continue;
      Size size = rule.plan ? of_plans : SizeOf(rule.limits);
      size.bytes += size.limits * (domain.name.size() + rule.name.size());
      Add(size, rule.origin);
    }
    AddAll(domain.descriptors, domain.name.size());
  }

 private:
  // `above` is the number of bytes of the domain and the keys and values above. A descriptor has a
  // name even if it has no limit.
  void AddAll(const std::vector<DescriptorSpec>& siblings, std::size_t above) {
    for (const DescriptorSpec& each : siblings) {
      const std::size_t value = each.value ? each.value->size() : 0;
      const std::size_t bytes = above + each.key.size() + value;
      Add({each.limit ? std::size_t{1} : 0, bytes}, each.origin);
      AddAll(each.descriptors, bytes);
    }
  }

  void Add(Size size, const Origin& origin) {
    if (IsTooMuch()) return;
    sum_.limits += size.limits;
    sum_.bytes += size.bytes;
    if (sum_.limits > kMaxRuleLimits) {
      problems_.Error(origin,
                      Concat("with this one the rules have more than ", kMaxRuleLimits,
                             " limits; those of plans count for each rule that has a 'plan'"));
    } else if (sum_.bytes > kMaxRuleLimitNameBytes) {
      problems_.Error(
          origin,
          Concat("with this one the names of limits have more than ", kMaxRuleLimitNameBytes,
                 " bytes; the domain and all keys above count for each of them"));
    }
  }

  [[nodiscard]] bool IsTooMuch() const {
    return sum_.limits > kMaxRuleLimits || sum_.bytes > kMaxRuleLimitNameBytes;
  }

  ConfigProblems& problems_;
  Size sum_;
};

// Returns whether the rule applies to all requests that have the attributes of its key.
bool IsUnconditional(const RuleSpec& rule) {
  return rule.action == RuleAction::kLimit && rule.mode != RuleMode::kOff && rule.match.empty();
}

bool AlwaysReplaces(const RuleSpec& rule) {
  return rule.mode == RuleMode::kEnforce && rule.enforce.millionths == Share::kWhole;
}

// Counts a rule with a plan as the largest plan.
void CheckTogether(const DomainSpec& domain, ConfigProblems& problems) {
  std::size_t of_plan = 0;
  for (const PlanSpec& plan : domain.plans) of_plan = std::max(of_plan, plan.limits.size());
  std::set<std::string_view> replaced;
  for (const RuleSpec& rule : domain.rules) {
    if (!IsUnconditional(rule) || !AlwaysReplaces(rule)) continue;
    for (const ReplacedSpec& each : rule.replaces) replaced.insert(each.name);
  }
  std::size_t sum = 0;
  for (const RuleSpec& rule : domain.rules) {
    if (!IsUnconditional(rule) || replaced.contains(rule.name)) continue;
    sum += rule.plan ? of_plan : rule.limits.size();
    if (sum <= kMaxRequestLimits) continue;
    problems.Error(rule.origin,
                   Concat("with this one the rules without a 'match' have more than ",
                          kMaxRequestLimits, " limits, which no request can meet at once"));
    return;
  }
}

}  // namespace

void CheckLimitCount(const RuleSetSpec& spec, ConfigProblems& problems) {
  LimitCount count(problems);
  for (const DomainSpec& domain : spec.domains) {
    count.Add(domain);
    CheckTogether(domain, problems);
  }
}

}  // namespace sluice
