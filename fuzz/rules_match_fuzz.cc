// Fuzzes rule matching with generated rules and requests: compiled rules give the same result as
// the naive matcher, and keys are equal only if all their parts are.
//
// SLUICE_FUZZ_SHOW=1 in the environment prints the rules and requests.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "config/rules/read_rules.h"
#include "fuzz/byte_reader.h"
#include "fuzz/draft_rules.h"
#include "fuzz/must.h"
#include "fuzz/zones.h"
#include "rules/compile/rule_set.h"
#include "support/naive_match.h"

namespace sluice::fuzz {
namespace {

using sluice::testing::NaiveAnswer;
using sluice::testing::NaiveCharge;
using sluice::testing::NaiveDescriptor;
using sluice::testing::NaiveFind;
using sluice::testing::NaiveMatch;

constexpr std::size_t kMaxDrafted = 8;
constexpr std::size_t kMaxAttributes = 6;

using Parts = std::vector<std::string>;

// An attribute of a request, or an entry of a descriptor.
struct Entry {
  std::string_view name;
  std::string value;
};
using Request = std::vector<Entry>;

std::vector<Attribute> AttributesOf(const Request& request) {
  std::vector<Attribute> attributes;
  for (const Entry& each : request) attributes.push_back({each.name, each.value});
  return attributes;
}

Request DraftRequest(const RulesDraft& draft, ByteReader& bytes) {
  Request request;
  for (std::size_t count = bytes.Below(kMaxAttributes + 1); count > 0; --count) {
    const std::string_view name = bytes.Pick(kDraftNames);
    request.push_back({name, DraftValue(draft, bytes)});
  }
  return request;
}

// Returns two requests in which the first two values, joined, are the same bytes but are split at
// different points. A key that omits lengths would not distinguish them.
std::vector<Request> MoveSeam(const Request& request) {
  if (request.size() < 2) return {};
  Request left = request;
  Request right = request;
  const std::string seam(1, '\0');
  left[0].value += seam + left[1].value;
  right[1].value += seam + right[1].value;
  return {left, right};
}

// Checks that the bytes and the parts of keys correspond one to one, per limit.
class Keys {
 public:
  void Add(std::uint32_t limit, std::string_view bytes, const Parts& parts) {
    const auto by_bytes = parts_.try_emplace({limit, std::string(bytes)}, parts).first;
    Must(by_bytes->second == parts, "two keys are two");
    const auto by_parts = bytes_.try_emplace({limit, parts}, bytes).first;
    Must(by_parts->second == bytes, "one key is one");
  }

 private:
  std::map<std::pair<std::uint32_t, std::string>, Parts> parts_;
  std::map<std::pair<std::uint32_t, Parts>, std::string> bytes_;
};

// Compares compiled rules with the naive matcher on the same spec.
class Comparison {
 public:
  explicit Comparison(RuleSetSpec spec)
      : rules_(RuleSet::Make(std::move(spec))), domain_(*rules_->Find(kDraftDomain)) {}

  void AskRules(const MatchedAttributes& matched) {
    constexpr std::int64_t kCost = 2;
    const NaiveAnswer expected = NaiveMatch(domain_.spec(), matched, kCost);
    match_.Clear();
    domain_.MatchRules(matched, Cost{kCost}, match_);
    Must(match_.outcome() == expected.outcome, "the outcome is the naive matcher's");
    const CompiledRule* const by = match_.decided_by();
    Must((by == nullptr ? "" : by->spec->name) == expected.decided_by,
         "the rule that decides is the naive matcher's");
    if (expected.outcome != MatchOutcome::kCharges) return;
    Must(match_.charges().size() == expected.charges.size(), "as many charges apply");
    for (std::size_t i = 0; i < expected.charges.size(); ++i) {
      MustBeSame(match_.charges()[i], expected.charges[i]);
    }
  }

  void AskDescriptors(std::span<const Request> requests) {
    std::vector<Match> matches(requests.size());
    std::set<std::string> replaced;
    std::vector<NaiveDescriptor> expected;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const std::vector<Attribute> attributes = AttributesOf(requests[i]);
      domain_.MatchDescriptor(attributes, Cost{1}, matches[i]);
      expected.push_back(NaiveFind(domain_.spec(), attributes));
      MustBeSame(matches[i], expected.back());
      if (matches[i].node() == nullptr) continue;
      for (const ReplacedSpec& each : expected.back().found->replaces) replaced.insert(each.name);
    }
    domain_.DropReplacedDescriptors(matches, replaced_names_);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const DescriptorSpec* const spec = expected[i].found;
      const bool applies = spec != nullptr && spec->limit && !replaced.contains(spec->limit_name);
      Must(matches[i].charges().size() == (applies ? 1 : 0), "what is not replaced is charged");
    }
  }

 private:
  void MustBeSame(const RuleCharge& charge, const NaiveCharge& expected) {
    const RuleLimit& limit = rules_->limits()[charge.limit];
    Must(limit.rule == expected.rule && limit.name == expected.limit, "the same limits apply");
    const auto plan = plans_.try_emplace(charge.limit, expected.plan).first;
    Must(plan->second == expected.plan, "a limit is of one plan");
    Must(charge.cost.units == expected.cost, "the cost is the naive matcher's");
    Must(charge.enforcement == expected.enforcement, "what is enforced is the naive matcher's");
    keys_.Add(charge.limit, match_.Key(charge), expected.key);
  }

  void MustBeSame(const Match& match, const NaiveDescriptor& expected) {
    const DescriptorSpec* const found = match.node() == nullptr ? nullptr : match.node()->spec;
    Must(found == expected.found, "a descriptor ends where the naive matcher says");
    const bool charged = found != nullptr && found->limit.has_value();
    Must(match.charges().size() == (charged ? 1 : 0), "a descriptor is charged where it ends");
    if (!charged) return;
    const RuleCharge& charge = match.charges().front();
    Must(rules_->limits()[charge.limit].limit == &*found->limit, "the limit is the one found");
    const Enforcement unless_shadow =
        found->quota_mode ? Enforcement::kQuota : Enforcement::kEnforce;
    Must(charge.enforcement == (found->shadow_mode ? Enforcement::kShadow : unless_shadow),
         "a descriptor's refusal means what its modes say");
    keys_.Add(charge.limit, match.Key(charge), expected.key);
  }

  std::shared_ptr<const RuleSet> rules_;
  const Domain& domain_;
  Match match_;
  Bits replaced_names_;
  Keys keys_;
  std::map<std::uint32_t, std::string> plans_;
};

// Returns the rules that a problem reports as unreachable, or as always replaced.
std::set<std::string> NeverApplying(const ReadRulesResult& read) {
  std::set<std::string> names;
  for (const ConfigProblem& problem : read.problems) {
    const bool is_said = problem.message.starts_with("unreachable rule ") ||
                         problem.message.find(" never applies; ") != std::string::npos;
    for (const RuleSpec& rule : read.spec.domains.front().rules) {
      if (is_said && rule.origin == problem.origin) names.insert(rule.name);
    }
  }
  return names;
}

void MustNotApply(const std::set<std::string>& names, const DomainSpec& domain,
                  std::span<const Attribute> attributes) {
  if (names.empty()) return;
  const NaiveAnswer answer = NaiveMatch(domain, attributes, 1);
  Must(!names.contains(answer.decided_by), "a rule that is called unreachable decides nothing");
  for (const NaiveCharge& charge : answer.charges) {
    Must(!names.contains(charge.rule), "a rule that is said never to apply does not");
  }
}

void Show(const RulesDraft& draft, const std::vector<Request>& requests) {
  if (std::getenv("SLUICE_FUZZ_SHOW") == nullptr) return;
  std::cerr << draft.json << "\n";
  for (const Request& request : requests) {
    std::cerr << "request";
    for (const Entry& each : request) {
      std::cerr << " " << each.name << "=" << Quoted(each.value);
    }
    std::cerr << "\n";
  }
}

// The first half of the input generates the rules, the second half the requests.
void Run(ByteReader bytes) {
  ByteReader request_bytes = bytes.SplitOff();
  const RulesDraft draft = DraftRules(bytes);
  const RuleText text{"rules.json", draft.json};
  ReadRulesResult read = ReadAndCheckRules(std::span(&text, 1), FindZone);
  if (read.spec.domains.empty()) return;
  const std::set<std::string> never = NeverApplying(read);
  const bool only_unreachable =
      std::ranges::all_of(read.problems, [](const ConfigProblem& problem) {
        return problem.severity == ConfigProblem::Severity::kWarning ||
               problem.message.starts_with("unreachable rule ");
      });
  if (!only_unreachable) return;
  std::vector<Request> requests;
  for (std::size_t i = 0; i < kMaxDrafted && !request_bytes.AtEnd(); ++i) {
    requests.push_back(DraftRequest(draft, request_bytes));
    for (Request& each : MoveSeam(requests.back())) requests.push_back(std::move(each));
  }
  Show(draft, requests);
  for (const Request& request : requests) {
    MustNotApply(never, read.spec.domains.front(), AttributesOf(request));
  }
  if (HasErrors(read.problems)) return;
  Comparison comparison(std::move(read.spec));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::vector<Attribute> attributes = AttributesOf(requests[i]);
    comparison.AskRules({.attributes = attributes});
    // A path can have two forms; use a value of another request as the second one.
    const Request& other = requests[(i + 1) % requests.size()];
    if (other.empty()) continue;
    comparison.AskRules({.attributes = attributes, .strict_path = other.front().value});
  }
  comparison.AskDescriptors(requests);
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::Run(sluice::fuzz::ByteReader(std::span(data, size)));
  return 0;
}
