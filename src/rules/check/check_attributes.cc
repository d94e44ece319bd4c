#include "rules/check/check_attributes.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "base/letter_case.h"
#include "base/text.h"
#include "rules/check/check_aliases.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 3> kFrontEndPrefixes = {"header", "query", "cookie"};
// Well-known header names. Any name with the prefix `x-` counts as one, too.
constexpr std::array<std::string_view, 8> kHeaderNames = {
    "authorization",   "user-agent", "content-type",     "accept",
    "accept-language", "referer",    "cf-connecting-ip", "true-client-ip"};

// The maximum number of comparisons of names per domain.
constexpr std::size_t kMaxComparisons = 1'000'000;

constexpr std::size_t kMinKnownSize = 4;         // shorter names are similar to too many words
constexpr std::size_t kMinSubstitutionSize = 6;  // "team" and "term" are two words

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Returns whether `longer` is `shorter` with one more character, which must not be a digit.
bool IsOneLonger(std::string_view longer, std::string_view shorter) {
  if (longer.size() != shorter.size() + 1) return false;
  const auto at =
      static_cast<std::size_t>(std::ranges::mismatch(longer, shorter).in2 - shorter.begin());
  return !IsDigit(longer[at]) && longer.substr(at + 1) == shorter.substr(at);
}

// Returns whether two names of equal length differ by a swap of two neighbours or by one character.
bool IsOneSlipOfSameSize(std::string_view written, std::string_view known) {
  const auto at =
      static_cast<std::size_t>(std::ranges::mismatch(written, known).in1 - written.begin());
  if (at == written.size()) return false;
  if (written.substr(at + 1) == known.substr(at + 1)) {
    return known.size() >= kMinSubstitutionSize && !IsDigit(written[at]) && !IsDigit(known[at]);
  }
  return at + 1 < written.size() && written[at] == known[at + 1] && written[at + 1] == known[at] &&
         written.substr(at + 2) == known.substr(at + 2);
}

bool IsOneSlipAway(std::string_view written, std::string_view known) {
  if (known.size() < kMinKnownSize || written.empty()) return false;
  if (written != known && LowerCase(written) == LowerCase(known)) return true;
  if (written.size() == known.size()) return IsOneSlipOfSameSize(written, known);
  return IsOneLonger(written, known) || IsOneLonger(known, written);
}

bool IsFromFrontEnd(std::string_view name) {
  if (std::ranges::find(kAlwaysThere, name) != kAlwaysThere.end()) return true;
  const std::size_t dot = name.find('.');
  return dot != std::string_view::npos &&
         std::ranges::find(kFrontEndPrefixes, name.substr(0, dot)) != kFrontEndPrefixes.end();
}

// Returns "header.x-user-id" for "headers.x-user-id"; empty if the prefix is not similar to a known
// one.
std::string CorrectPrefix(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return {};
  const std::string prefix = LowerCase(name.substr(0, dot));
  const std::string_view rest = name.substr(dot + 1);
  for (const std::string_view known : kFrontEndPrefixes) {
    const bool plural = known == "query" && prefix == "queries";
    if (prefix != known && !plural && !IsOneSlipAway(prefix, known)) continue;
    return Concat(known, ".", known == "header" ? LowerCase(rest) : std::string(rest));
  }
  return {};
}

bool LooksLikeHeader(std::string_view name) {
  const std::string lower = LowerCase(name);
  if (lower.starts_with("x-") && lower.size() > 2) return true;
  if (std::ranges::find(kHeaderNames, lower) != kHeaderNames.end()) return true;
  return IsUpperLetter(name.front()) && name.find('-') != std::string_view::npos;
}

Origin CostOrigin(const RuleSpec& rule) {
  const auto written = std::ranges::find(rule.written, "cost", &WrittenKey::key);
  return written == rule.written.end() ? rule.origin : written->origin;
}

}  // namespace

std::vector<AttributeCheck::Mention> AttributeCheck::MentionsOf(const RuleSpec& rule) {
  std::vector<Mention> mentions;
  for (const ConditionSpec& condition : rule.match) {
    mentions.push_back({condition.attribute, condition.origin});
  }
  for (const KeyPartSpec& part : rule.per) {
    for (std::size_t i = 0; i < part.attributes.size(); ++i) {
      const Origin origin = i < part.origins.size() ? part.origins[i] : part.origin;
      mentions.push_back({part.attributes[i], origin});
    }
  }
  if (rule.plan) mentions.push_back({rule.plan->by, rule.plan->by_origin, Role::kPlan});
  if (rule.cost) {
    if (const auto* name = std::get_if<std::string>(&*rule.cost)) {
      mentions.push_back({*name, CostOrigin(rule)});
    }
  }
  return mentions;
}

std::vector<AttributeCheck::Mention> AttributeCheck::SourcesOf(const DomainSpec& domain) {
  std::vector<Mention> mentions;
  for (const AliasSpec& alias : domain.aliases) {
    mentions.push_back({alias.source, alias.source_origin, Role::kSource});
  }
  return mentions;
}

AttributeCheck::AttributeCheck(const RuleSetSpec& spec) {
  for (const DomainSpec& domain : spec.domains) {
    for (const RuleSpec& rule : domain.rules) Count(MentionsOf(rule));
    for (const Mention& mention : SourcesOf(domain)) Count({&mention, 1});
    CountKeys(domain.descriptors);
  }
}

// Counts an attribute once per rule, no matter how often the rule names it.
void AttributeCheck::Count(std::span<const Mention> mentions) {
  std::unordered_set<std::string_view> names;
  for (const Mention& mention : mentions) {
    if (names.insert(mention.name).second) ++uses_[mention.name];
  }
}

// A descriptor's key is always intended, so it counts twice and needs no second use.
void AttributeCheck::CountKeys(const std::vector<DescriptorSpec>& siblings) {
  for (const DescriptorSpec& each : siblings) {
    uses_[each.key] += 2;
    CountKeys(each.descriptors);
  }
}

bool AttributeCheck::IsUsedTwice(std::string_view name) const {
  const auto found = uses_.find(name);
  return found != uses_.end() && found->second > 1;
}

void AttributeCheck::Learn(const DomainSpec& domain) {
  known_.clear();
  aliases_.clear();
  comparisons_ = 0;
  std::unordered_set<std::string_view> names(kAlwaysThere.begin(), kAlwaysThere.end());
  reads_headers_ = false;
  const auto learn = [&](const Mention& mention) {
    reads_headers_ |= mention.name.starts_with("header.");
    if (IsUsedTwice(mention.name)) names.insert(mention.name);
  };
  std::ranges::for_each(SourcesOf(domain), learn);
  for (const RuleSpec& rule : domain.rules) std::ranges::for_each(MentionsOf(rule), learn);
  for (const AliasSpec& alias : domain.aliases) {
    aliases_.insert(alias.name);
    names.insert(alias.name);
  }
  names.insert("user");
  for (const std::string_view name : names) {
    if (!name.empty()) known_[LowerCase(name).front()].push_back(name);
  }
  for (auto& [letter, of_letter] : known_) std::ranges::sort(of_letter);
}

std::string_view AttributeCheck::FindNearest(const Mention& mention) {
  if (mention.role == Role::kPlan && IsOneSlipAway(mention.name, "plan")) return "plan";
  const auto found = known_.find(LowerCase(mention.name).front());
  if (found == known_.end() || comparisons_ > kMaxComparisons) return {};
  comparisons_ += found->second.size();
  const auto nearest = std::ranges::find_if(
      found->second, [&](std::string_view known) { return IsOneSlipAway(mention.name, known); });
  return nearest == found->second.end() ? std::string_view() : *nearest;
}

bool AttributeCheck::IsProbablyHeader(const Mention& mention) const {
  if (!LooksLikeHeader(mention.name)) return false;
  if (mention.role == Role::kSource) return true;
  return !IsUsedTwice(mention.name) &&
         (reads_headers_ || std::ranges::any_of(mention.name, IsUpperLetter));
}

// Returns the warning, or an empty string if the name is fine.
std::string AttributeCheck::FindFault(const Mention& mention) {
  const std::string_view name = mention.name;
  if (name.empty() || IsFromFrontEnd(name) || aliases_.contains(name)) return {};
  const auto unknown = [&](std::string_view meant) {
    return Concat("unknown attribute ", Quoted(name), "; did you mean ", Quoted(meant), "?");
  };
  if (const std::string correct = CorrectPrefix(name); !correct.empty()) return unknown(correct);
  if (IsProbablyHeader(mention)) {
    return Concat(Quoted(name), " looks like a header, which needs 'header.' before its name; did ",
                  "you mean ", Quoted(Concat("header.", LowerCase(name))), "?");
  }
  if (IsUsedTwice(name)) return {};
  const std::string_view nearest = FindNearest(mention);
  if (nearest.empty() || nearest == name) return {};
  return unknown(nearest);
}

void AttributeCheck::CheckMentions(std::span<const Mention> mentions, ConfigProblems& problems) {
  std::unordered_set<std::string_view> reported;
  for (const Mention& mention : mentions) {
    std::string fault = FindFault(mention);
    if (fault.empty() || !reported.insert(mention.name).second) continue;
    problems.Warn(mention.origin, std::move(fault));
  }
}

void AttributeCheck::Check(const DomainSpec& domain, ConfigProblems& problems) {
  Learn(domain);
  CheckMentions(SourcesOf(domain), problems);
  for (const RuleSpec& rule : domain.rules) CheckMentions(MentionsOf(rule), problems);
}

}  // namespace sluice
