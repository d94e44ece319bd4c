#include "support/naive_match.h"

#include <arpa/inet.h>
#include <regex.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace sluice::testing {
namespace {

using Values = std::map<std::string, std::string>;

// By the regular expressions of POSIX, with which those of the tests mean the same.
bool RegexMatches(const std::string& pattern, const std::string& text) {
  regex_t compiled;
  if (regcomp(&compiled, ("^(" + pattern + ")$").c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    return false;
  const bool matches = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return matches;
}

bool GlobMatches(std::string_view glob, std::string_view text) {
  if (glob.empty()) return text.empty();
  if (glob.front() != '*') {
    return !text.empty() && glob.front() == text.front() &&
           GlobMatches(glob.substr(1), text.substr(1));
  }
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (GlobMatches(glob.substr(1), text.substr(i))) return true;
  }
  return false;
}

// The 128 bits of an address as text, IPv4 as ::ffff:a.b.c.d.
std::optional<std::string> BitsOf(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data() + 12) == 1) {
    bytes[10] = bytes[11] = 0xff;
  } else if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) {
    return std::nullopt;
  }
  std::string bits;
  for (const unsigned char byte : bytes) {
    for (int i = 7; i >= 0; --i) bits += ((byte >> static_cast<unsigned>(i)) & 1U) != 0 ? '1' : '0';
  }
  return bits;
}

bool IsV4(const std::string& bits) {
  return bits.substr(0, 96) == std::string(80, '0') + std::string(16, '1');
}

bool InPrefix(const std::string& prefix, const std::string& address) {
  const std::size_t slash = prefix.find('/');
  const auto base = BitsOf(prefix.substr(0, slash));
  const auto bits = BitsOf(address);
  if (!base || !bits || IsV4(*base) != IsV4(*bits)) return false;
  const std::size_t all = IsV4(*base) ? 32 : 128;
  const std::size_t length =
      slash == std::string::npos ? all : std::stoul(prefix.substr(slash + 1));
  const std::size_t counted = IsV4(*base) ? 96 + length : length;
  return base->substr(0, counted) == bits->substr(0, counted);
}

bool IsPrefix(const std::string& text) {
  return BitsOf(text.substr(0, text.find('/'))).has_value();
}

bool InList(const DomainSpec& domain, const std::string& name, const std::string& value) {
  for (const ListSpec& list : domain.lists) {
    if (list.name != name) continue;
    return std::any_of(list.values.begin(), list.values.end(), [&](const std::string& each) {
      return IsPrefix(each) ? InPrefix(each, value) : each == value;
    });
  }
  return false;
}

// Whether it is `ip` or takes its value from that, at however many removes.
bool IsAddress(const DomainSpec& domain, const std::string& attribute) {
  if (attribute == "ip") return true;
  return std::any_of(domain.aliases.begin(), domain.aliases.end(), [&](const AliasSpec& alias) {
    return alias.name == attribute && IsAddress(domain, alias.source);
  });
}

bool Holds(const DomainSpec& domain, const ConditionSpec& condition, const Values& values) {
  const MatcherSpec& matcher = condition.matcher;
  const auto found = values.find(condition.attribute);
  bool holds = false;
  if (found != values.end()) {
    const std::string& value = found->second;
    switch (matcher.kind) {
      case MatcherSpec::Kind::kPresent:
        holds = true;
        break;
      case MatcherSpec::Kind::kRegex:
        holds = RegexMatches(matcher.texts.front(), value);
        break;
      case MatcherSpec::Kind::kIn:
        holds = InList(domain, matcher.texts.front(), value);
        break;
      case MatcherSpec::Kind::kValues:
        for (const std::string& text : matcher.texts) {
          holds |= GlobMatches(text, value);
          holds |=
              IsAddress(domain, condition.attribute) && IsPrefix(text) && InPrefix(text, value);
        }
        break;
    }
  }
  return holds != matcher.negated;
}

bool Matches(const DomainSpec& domain, const RuleSpec& rule, const Values& values) {
  return std::all_of(rule.match.begin(), rule.match.end(), [&](const ConditionSpec& condition) {
    return Holds(domain, condition, values);
  });
}

Values Bind(const DomainSpec& domain, std::span<const Attribute> attributes) {
  Values values;
  for (const Attribute& each : attributes) values.emplace(each.name, each.value);
  // Aliases of aliases need as many rounds as the chain is long.
  for (std::size_t round = 0; round < domain.aliases.size(); ++round) {
    const Values before = values;
    for (const AliasSpec& alias : domain.aliases) {
      const auto source = before.find(alias.source);
      if (source != before.end()) values.emplace(alias.name, source->second);
    }
  }
  return values;
}

std::string KeyPart(const DomainSpec& domain, const std::string& attribute,
                    const std::string& value) {
  const auto bits = IsAddress(domain, attribute) ? BitsOf(value) : std::nullopt;
  if (!bits) return attribute + "=" + value;
  const int length = IsV4(*bits) ? 96 + domain.ip_prefix.v4 : domain.ip_prefix.v6;
  return attribute + (IsV4(*bits) ? "4:" : "6:") +
         bits->substr(0, static_cast<std::size_t>(length));
}

// The parts of the key, or nothing where one is missing.
std::optional<std::vector<std::string>> KeyOf(const DomainSpec& domain, const RuleSpec& rule,
                                              const Values& values) {
  std::vector<std::string> key;
  for (const KeyPartSpec& part : rule.per) {
    const auto present =
        std::find_if(part.attributes.begin(), part.attributes.end(),
                     [&](const std::string& each) { return values.contains(each); });
    if (present == part.attributes.end()) return std::nullopt;
    key.push_back(KeyPart(domain, *present, values.at(*present)));
  }
  return key;
}

const PlanSpec* FindPlan(const DomainSpec& domain, const std::string& name) {
  for (const PlanSpec& plan : domain.plans) {
    if (plan.name == name) return &plan;
  }
  return nullptr;
}

const PlanSpec* PlanFor(const DomainSpec& domain, const RuleSpec& rule, const Values& values) {
  const auto by = values.find(rule.plan->by);
  const PlanSpec* plan = by == values.end() ? nullptr : FindPlan(domain, by->second);
  if (plan == nullptr && rule.plan->otherwise) plan = FindPlan(domain, *rule.plan->otherwise);
  return plan;
}

bool IsEnforced(const RuleSpec& rule) {
  return rule.mode == RuleMode::kEnforce && rule.enforce.millionths != 0;
}

// Takes out what is replaced: a rule counts once nothing that replaces it applies.
void DropReplaced(std::vector<const RuleSpec*>& applying) {
  const auto replaces = [](const RuleSpec& rule, const std::string& name) {
    return std::any_of(rule.replaces.begin(), rule.replaces.end(),
                       [&](const ReplacedSpec& each) { return each.name == name; });
  };
  std::set<const RuleSpec*> settled;
  while (settled.size() < applying.size()) {
    for (const RuleSpec* rule : std::vector<const RuleSpec*>(applying)) {
      if (settled.contains(rule)) continue;
      const bool waits = std::any_of(applying.begin(), applying.end(), [&](const RuleSpec* other) {
        return !settled.contains(other) && replaces(*other, rule->name);
      });
      if (waits) continue;
      settled.insert(rule);
      if (!IsEnforced(*rule)) continue;
      std::erase_if(applying, [&](const RuleSpec* other) { return replaces(*rule, other->name); });
    }
  }
}

bool ReadCost(const RuleSpec& rule, const Values& values, std::int64_t& cost) {
  if (!rule.cost) return true;
  if (const auto* fixed = std::get_if<std::int64_t>(&*rule.cost)) {
    cost = *fixed;
    return true;
  }
  const auto found = values.find(std::get<std::string>(*rule.cost));
  if (found == values.end()) return true;
  const std::string& text = found->second;
  const bool digits = !text.empty() && text.size() <= 18 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  if (digits) cost = std::stoll(text);
  return digits;
}

}  // namespace

NaiveAnswer NaiveMatch(const DomainSpec& domain, std::span<const Attribute> attributes,
                       std::int64_t cost) {
  const Values values = Bind(domain, attributes);
  for (const RuleSpec& rule : domain.rules) {
    if (rule.action == RuleAction::kLimit || rule.mode != RuleMode::kEnforce) continue;
    if (!Matches(domain, rule, values)) continue;
    const bool allow = rule.action == RuleAction::kAllow;
    return {allow ? MatchOutcome::kAllow : MatchOutcome::kDeny, rule.name, {}};
  }
  std::vector<const RuleSpec*> applying;
  for (const RuleSpec& rule : domain.rules) {
    if (rule.action != RuleAction::kLimit || rule.mode == RuleMode::kOff) continue;
    if (!Matches(domain, rule, values) || !KeyOf(domain, rule, values)) continue;
    if (rule.plan && PlanFor(domain, rule, values) == nullptr) continue;
    applying.push_back(&rule);
  }
  DropReplaced(applying);
  NaiveAnswer answer;
  for (const RuleSpec* rule : applying) {
    std::int64_t units = cost;
    if (!ReadCost(*rule, values, units) && IsEnforced(*rule)) {
      return {MatchOutcome::kBadCost, rule->name, {}};
    }
    const PlanSpec* plan = rule->plan ? PlanFor(domain, *rule, values) : nullptr;
    for (const NamedLimit& limit : plan != nullptr ? plan->limits : rule->limits) {
      answer.charges.push_back({rule->name, plan != nullptr ? plan->name : "", limit.name,
                                *KeyOf(domain, *rule, values), units,
                                IsEnforced(*rule) ? Veto::kEnforce : Veto::kShadow});
    }
  }
  return answer;
}

}  // namespace sluice::testing
