#include "support/naive_match.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "rules/compile/regex.h"

namespace sluice::testing {
namespace {

using Values = std::map<std::string, std::string>;

// Compiles one expression at a time, so the index over many expressions is not involved.
bool RegexMatches(const std::string& pattern, const std::string& text) {
  const Result<Regex> regex = Regex::Compile(pattern);
  return regex.ok() && regex.value().MatchesWhole(text);
}

// Computes for each i whether the first i characters of the glob match the first j of the text.
bool GlobMatches(std::string_view glob, std::string_view text) {
  std::vector<bool> matches(text.size() + 1, false);
  matches[0] = true;
  for (const char c : glob) {
    std::vector<bool> longer(text.size() + 1, false);
    longer[0] = c == '*' && matches[0];
    for (std::size_t j = 1; j <= text.size(); ++j) {
      longer[j] = c == '*' ? matches[j] || longer[j - 1] : matches[j - 1] && text[j - 1] == c;
    }
    matches = std::move(longer);
  }
  return matches[text.size()];
}

// Returns the 128 bits of an address, with IPv4 as ::ffff:a.b.c.d.
std::optional<std::string> BitsOf(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  // The C library would take a NUL for the end of the text.
  if (text.find('\0') != std::string::npos) return std::nullopt;
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

// Returns the canonical text of an address (RFC 5952, IPv4 in dotted form), or any other text
// unchanged.
std::string AddressText(const std::string& text) {
  const auto bits = BitsOf(text);
  if (!bits) return text;
  const auto number = [&](std::size_t at, std::size_t size) {
    return std::stoul(bits->substr(at, size), nullptr, 2);
  };
  std::ostringstream out;
  if (IsV4(*bits)) {
    for (std::size_t at = 96; at < 128; at += 8) out << (at > 96 ? "." : "") << number(at, 8);
    return out.str();
  }
  for (std::size_t at = 0; at < 128; at += 16) out << ":" << std::hex << number(at, 16);
  std::string groups = out.str() + ":";
  // Shorten the longest run of two or more zeros, or the first of equally long ones.
  for (int zeros = 8; zeros >= 2; --zeros) {
    std::string run = ":";
    for (int i = 0; i < zeros; ++i) run += "0:";
    const std::size_t found = groups.find(run);
    if (found == std::string::npos) continue;
    groups.replace(found, run.size(), "::");
    break;
  }
  if (!groups.starts_with("::")) groups.erase(0, 1);
  if (!groups.ends_with("::")) groups.pop_back();
  return groups;
}

// Returns the bits that all addresses of a prefix begin with, or nothing if the text is not a
// prefix.
std::optional<std::string> PrefixBits(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string address = text.substr(0, slash);
  const auto bits = BitsOf(address);
  if (!bits || slash == std::string::npos) return bits;
  const std::string digits = text.substr(slash + 1);
  if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits[0] == '0') ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  const bool is_dotted = address.find(':') == std::string::npos;
  const std::size_t length = std::stoul(digits) + (is_dotted ? 96 : 0);
  if (length > 128 || (IsV4(*bits) && length < 96)) return std::nullopt;
  if (bits->find('1', length) != std::string::npos) return std::nullopt;
  return bits->substr(0, length);
}

bool IsPrefix(const std::string& text) { return PrefixBits(text).has_value(); }

bool InPrefix(const std::string& text, const std::string& address) {
  const auto prefix = PrefixBits(text);
  const auto bits = BitsOf(address);
  if (!prefix || !bits) return false;
  // A short IPv6 prefix can begin like IPv4, but does not contain it.
  const bool is_v4 = prefix->size() >= 96 && IsV4(*prefix);
  return is_v4 == IsV4(*bits) && bits->starts_with(*prefix);
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

// Returns whether the attribute is `source` or takes its value from it through aliases.
bool IsTakenFrom(const std::string& source, const DomainSpec& domain,
                 const std::string& attribute) {
  if (attribute == source) return true;
  if (attribute == "path") return false;
  return std::any_of(domain.aliases.begin(), domain.aliases.end(), [&](const AliasSpec& alias) {
    return alias.name == attribute && IsTakenFrom(source, domain, alias.source);
  });
}

bool IsAddress(const DomainSpec& domain, const std::string& attribute) {
  return IsTakenFrom("ip", domain, attribute);
}

// Returns a path without its trailing slash.
std::string Cut(const std::string& path) {
  return path.size() > 1 && path.back() == '/' ? path.substr(0, path.size() - 1) : path;
}

// Returns the text with escapes as in a URI.
std::string UriText(const std::string& text) {
  std::ostringstream out;
  for (const char c : text) {
    const int byte = static_cast<unsigned char>(c);
    const bool is_good =
        byte > ' ' && byte < 0x7F && std::string("\"<>\\^`{|}").find(c) == std::string::npos;
    if (is_good) {
      out << c;
    } else {
      out << '%' << std::uppercase << std::hex << byte / 16 << byte % 16;
    }
  }
  return out.str();
}

// Returns whether the text of a rule matches a path.
bool PathMatches(const std::string& text, const std::string& path) {
  const bool is_glob = text.find('*') != std::string::npos;
  for (const std::string& each : {text, UriText(text)}) {
    if (is_glob ? GlobMatches(each, path) || GlobMatches(each, Cut(path))
                : Cut(each) == Cut(path)) {
      return true;
    }
  }
  return false;
}

bool PathInList(const DomainSpec& domain, const std::string& name, const std::string& path) {
  if (InList(domain, name, Cut(path))) return true;
  for (const ListSpec& list : domain.lists) {
    if (list.name != name) continue;
    for (const std::string& each : list.values) {
      if (IsPrefix(each)) continue;
      if (Cut(each) == Cut(path) || Cut(UriText(each)) == Cut(path)) return true;
    }
  }
  return false;
}

bool Holds(const DomainSpec& domain, const ConditionSpec& condition, const Values& values) {
  const MatcherSpec& matcher = condition.matcher;
  const auto found = values.find(condition.attribute);
  bool holds = false;
  if (found != values.end()) {
    const bool is_address = IsAddress(domain, condition.attribute);
    const bool is_path = IsTakenFrom("path", domain, condition.attribute);
    const std::string& value = found->second;
    const std::string text_of_it = is_address ? AddressText(value) : value;
    switch (matcher.kind) {
      case MatcherSpec::Kind::kPresent:
        holds = true;
        break;
      case MatcherSpec::Kind::kRegex:
        holds = RegexMatches(matcher.texts.front(), text_of_it) ||
                (is_path && RegexMatches(matcher.texts.front(), Cut(value)));
        break;
      case MatcherSpec::Kind::kIn:
        holds = is_path ? PathInList(domain, matcher.texts.front(), value)
                        : InList(domain, matcher.texts.front(), value);
        break;
      case MatcherSpec::Kind::kValues:
        for (const std::string& text : matcher.texts) {
          holds |= is_path                        ? PathMatches(text, value)
                   : is_address && IsPrefix(text) ? InPrefix(text, value)
                                                  : GlobMatches(text, text_of_it);
        }
        break;
    }
  }
  return holds != matcher.negated;
}

// The values with the lenient form of the path and with the strict one.
struct Forms {
  Values lenient;
  Values strict;
};

bool Matches(const DomainSpec& domain, const RuleSpec& rule, const Forms& forms) {
  return std::all_of(rule.match.begin(), rule.match.end(), [&](const ConditionSpec& condition) {
    const bool lenient = Holds(domain, condition, forms.lenient);
    const bool strict = Holds(domain, condition, forms.strict);
    return rule.action == RuleAction::kAllow ? lenient && strict : lenient || strict;
  });
}

// Returns whether the rule matches with each of the two forms on its own.
bool MatchesTwice(const DomainSpec& domain, const RuleSpec& rule, const Forms& forms) {
  return Matches(domain, rule, {forms.lenient, forms.lenient}) &&
         Matches(domain, rule, {forms.strict, forms.strict});
}

Values Bind(const DomainSpec& domain, std::span<const Attribute> attributes,
            std::string_view strict_path) {
  Values values;
  if (!strict_path.empty()) values.emplace("path", strict_path);
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
  if (!bits) return attribute + "=" + (IsTakenFrom("path", domain, attribute) ? Cut(value) : value);
  const int length = IsV4(*bits) ? 96 + domain.ip_prefix.v4 : domain.ip_prefix.v6;
  return attribute + (IsV4(*bits) ? "4:" : "6:") +
         bits->substr(0, static_cast<std::size_t>(length));
}

// Returns the parts of the key, or nothing if one is missing.
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

// Removes replaced rules. A rule is settled when no unsettled rule replaces it.
void DropReplaced(const DomainSpec& domain, const Forms& forms,
                  std::vector<const RuleSpec*>& applying) {
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
      if (!IsEnforced(*rule) || !MatchesTwice(domain, *rule, forms)) continue;
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
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) return false;
  if (text.size() > 1 && text[0] == '0') return false;
  const std::string max = "1000000000000000000";
  if (text.size() > max.size() || (text.size() == max.size() && text > max)) return false;
  cost = std::stoll(text);
  return true;
}

}  // namespace

NaiveAnswer NaiveMatch(const DomainSpec& domain, const MatchedAttributes& matched,
                       std::int64_t cost) {
  const Forms forms = {Bind(domain, matched.attributes, {}),
                       Bind(domain, matched.attributes, matched.strict_path)};
  const Values& values = forms.lenient;
  for (const RuleSpec& rule : domain.rules) {
    if (rule.action == RuleAction::kLimit || rule.mode != RuleMode::kEnforce) continue;
    if (!Matches(domain, rule, forms)) continue;
    const bool allow = rule.action == RuleAction::kAllow;
    return {allow ? MatchOutcome::kAllow : MatchOutcome::kDeny, rule.name, {}};
  }
  std::vector<const RuleSpec*> applying;
  for (const RuleSpec& rule : domain.rules) {
    if (rule.action != RuleAction::kLimit || rule.mode == RuleMode::kOff) continue;
    if (!Matches(domain, rule, forms) || !KeyOf(domain, rule, values)) continue;
    if (rule.plan && PlanFor(domain, rule, values) == nullptr) continue;
    applying.push_back(&rule);
  }
  DropReplaced(domain, forms, applying);
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
                                IsEnforced(*rule) ? Enforcement::kEnforce : Enforcement::kShadow});
    }
  }
  return answer;
}

NaiveDescriptor NaiveFind(const DomainSpec& domain, std::span<const Attribute> entries) {
  NaiveDescriptor answer;
  const std::vector<DescriptorSpec>* siblings = &domain.descriptors;
  for (const Attribute& entry : entries) {
    const auto find = [&](const auto& fits) -> const DescriptorSpec* {
      const auto found = std::find_if(
          siblings->begin(), siblings->end(),
          [&](const DescriptorSpec& each) { return each.key == entry.name && fits(each.value); });
      return found == siblings->end() ? nullptr : &*found;
    };
    using Value = std::optional<std::string>;
    const auto is_glob = [](const Value& value) {
      return value && value->find('*') != value->npos;
    };
    const DescriptorSpec* next =
        find([&](const Value& value) { return !is_glob(value) && value == entry.value; });
    if (next == nullptr) {
      next = find(
          [&](const Value& value) { return is_glob(value) && GlobMatches(*value, entry.value); });
    }
    if (next == nullptr) next = find([](const Value& value) { return !value; });
    if (next == nullptr) return {};
    answer.found = next;
    if (!next->value || (is_glob(next->value) && !next->share_threshold)) {
      answer.key.emplace_back(entry.value);
    }
    siblings = &next->descriptors;
  }
  return answer;
}

}  // namespace sluice::testing
