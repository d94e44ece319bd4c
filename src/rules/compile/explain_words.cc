#include "rules/compile/explain_words.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/spelling.h"
#include "base/text.h"

namespace sluice {
namespace {

// Joins texts as "a, b or c"; cuts a long list.
std::string Join(const std::vector<std::string>& texts, std::string_view last) {
  constexpr std::size_t kMaxShown = 5;
  std::vector<std::string_view> shown(texts.begin(), texts.end());
  if (shown.size() > kMaxShown) {
    shown.resize(kMaxShown - 1);
    const std::string more = Concat(texts.size() - shown.size(), " more");
    shown.emplace_back(more);
    return JoinWords(shown, last);
  }
  return JoinWords(shown, last);
}

std::string ExpectedOf(const MatcherSpec& matcher) {
  switch (matcher.kind) {
    case MatcherSpec::Kind::kPresent:
      return matcher.negated ? "none" : "any";
    case MatcherSpec::Kind::kRegex:
      return Concat(matcher.negated ? "no match of " : "a match of ",
                    Quoted(matcher.texts.front()));
    case MatcherSpec::Kind::kIn:
      return Concat(matcher.negated ? "none" : "one", " of the list ",
                    Quoted(matcher.texts.front()));
    case MatcherSpec::Kind::kValues:
      break;
  }
  std::vector<std::string> texts;
  for (const std::string& text : matcher.texts) texts.push_back(Quoted(text));
  return Concat(matcher.negated ? "anything but " : "", Join(texts, "or"));
}

// Returns "path is '/v1/posts'" or "path is missing".
std::string Found(std::string_view attribute, std::optional<std::string_view> value) {
  return Concat(attribute, value ? Concat(" is ", Quoted(*value)) : " is missing");
}

// Returns whether both forms of a path must match, or only one.
std::string_view BothOrEither(const RuleSpec& rule) {
  return rule.action == RuleAction::kAllow ? "both forms to be " : "one form to be ";
}

std::string DescribeOff(const RuleSpec& rule) {
  if (rule.mode == RuleMode::kOff) return "mode: off";
  return Concat("in shadow, where ", rule.action == RuleAction::kAllow ? "allow" : "deny",
                " decides nothing");
}

std::string DescribeMissing(const KeyPartSpec& part) {
  const std::vector<std::string>& names = part.attributes;
  return Concat(Join(names, "and"), names.size() == 1 ? " is missing" : " are missing");
}

std::string DescribeNoPlan(const RuleExplanation& why) {
  return Concat(Found(why.rule->plan->by, why.value), why.value ? ", which is no plan" : "",
                "; there is no default");
}

std::string DescribeBadCost(const RuleExplanation& why) {
  const auto* const attribute = std::get_if<std::string>(&*why.rule->cost);
  return Concat(Found(*attribute, why.value), "; expected a whole number from 0 to 10^18");
}

// Lists the keys (KeysOf), or the values of `key` (ValuesOf), that may follow.
std::string KeysOf(std::span<const DescriptorSpec> specs) {
  std::vector<std::string> keys;
  for (const DescriptorSpec& spec : specs) {
    if (std::ranges::find(keys, spec.key) == keys.end()) keys.push_back(spec.key);
  }
  return keys.empty() ? "nothing more" : Join(keys, "or");
}

std::string ValuesOf(std::span<const DescriptorSpec> specs, std::string_view key) {
  std::vector<std::string> values;
  for (const DescriptorSpec& spec : specs) {
    if (spec.key == key && spec.value) values.push_back(Quoted(*spec.value));
  }
  return Join(values, "or");
}

bool NeedsQuotes(std::string_view value) {
  return value.empty() || value.find_first_of(" ,='") != std::string_view::npos ||
         Quoted(value).size() != value.size() + 2;
}

// The server's secret determines which keys these are.
std::string DescribeShare(const RuleSpec& rule) {
  if (rule.mode != RuleMode::kEnforce || rule.enforce.millionths == Share::kWhole) return {};
  constexpr std::int64_t kMillionthsPerPercent = 10'000;
  const auto percent = ToDecimal({rule.enforce.millionths, kMillionthsPerPercent});
  return Concat("; enforced on ", Format(*percent), " % of the keys, only the server knows which");
}

}  // namespace

std::string_view FateWord(const RuleExplanation& why) {
  switch (why.outcome) {
    case RuleFate::kApplies:
      return "applies";
    case RuleFate::kDecides:
      return why.rule->action == RuleAction::kAllow ? "allows" : "denies";
    case RuleFate::kOff:
      return "off";
    case RuleFate::kNotAsked:
      return "not asked";
    case RuleFate::kNoMatch:
      return "no match";
    case RuleFate::kNoKey:
      return "no key";
    case RuleFate::kNoPlan:
      return "no plan";
    case RuleFate::kReplaced:
      return "replaced";
    case RuleFate::kBadCost:
      return "bad cost";
    case RuleFate::kNotCharged:
      return "not charged";
    case RuleFate::kRepeated:
      return "not asked";
  }
  return "";
}

std::string_view FateWord(DescriptorFate outcome) {
  switch (outcome) {
    case DescriptorFate::kApplies:
      return "applies";
    case DescriptorFate::kUnlimited:
      return "unlimited";
    case DescriptorFate::kNoLimit:
      return "no limit";
    case DescriptorFate::kNoKey:
    case DescriptorFate::kNoValue:
      return "no match";
    case DescriptorFate::kNotAsked:
      return "not asked";
    case DescriptorFate::kNothing:
      return "nothing";
  }
  return "";
}

std::string DescribeKey(std::span<const ExplainedKeyPart> key) {
  if (key.empty()) return "one for all";
  std::string text;
  for (const ExplainedKeyPart& part : key) {
    text += Concat(text.empty() ? "" : ", ", part.attribute, "=",
                   NeedsQuotes(part.value) ? Quoted(part.value) : part.value);
  }
  return text;
}

std::string Describe(const RuleExplanation& why) {
  switch (why.outcome) {
    case RuleFate::kApplies:
      return Concat("key: ", DescribeKey(why.key), DescribeShare(*why.rule));
    case RuleFate::kDecides:
      return "its match holds, so nothing is charged";
    case RuleFate::kOff:
      return DescribeOff(*why.rule);
    case RuleFate::kNotAsked:
      return Concat("rule ", Quoted(why.other->name), " has decided");
    case RuleFate::kNoMatch:
      return Concat(Found(why.condition->attribute, why.value),
                    why.strict_value ? Concat(" and ", Quoted(*why.strict_value)) : "",
                    "; expected ", why.strict_value ? BothOrEither(*why.rule) : "",
                    ExpectedOf(why.condition->matcher));
    case RuleFate::kNoKey:
      return DescribeMissing(*why.part);
    case RuleFate::kNoPlan:
      return DescribeNoPlan(why);
    case RuleFate::kReplaced:
      return Concat("by rule ", Quoted(why.other->name));
    case RuleFate::kBadCost:
      return DescribeBadCost(why);
    case RuleFate::kNotCharged:
      return Concat("rule ", Quoted(why.other->name), " has a bad cost");
    case RuleFate::kRepeated:
      return "an attribute that a rule uses comes twice with different values";
  }
  return {};
}

std::string Describe(const DescriptorExplanation& why, const DomainSpec& domain,
                     std::span<const Attribute> attributes) {
  const std::string node = why.node == nullptr ? "" : Quoted(why.node->name);
  const std::string where = node.empty() ? "" : Concat("after ", node, ", ");
  const std::span<const DescriptorSpec> below =
      why.node == nullptr ? domain.descriptors : why.node->spec->descriptors;
  switch (why.outcome) {
    case DescriptorFate::kApplies:
      return Concat("key: ", DescribeKey(why.key));
    case DescriptorFate::kUnlimited:
      return Concat(node, " is unlimited");
    case DescriptorFate::kNoLimit:
      return Concat(node, " has no limit of its own; below it: ", KeysOf(below));
    case DescriptorFate::kNoKey:
      return Concat(where, "found ", attributes[why.depth].name, "; expected ", KeysOf(below));
    case DescriptorFate::kNoValue: {
      const Attribute& entry = attributes[why.depth];
      return Concat(where, Found(entry.name, entry.value), "; expected ",
                    ValuesOf(below, entry.name));
    }
    case DescriptorFate::kNotAsked:
      return "the rules have decided";
    case DescriptorFate::kNothing:
      return "there are no attributes";
  }
  return {};
}

}  // namespace sluice
