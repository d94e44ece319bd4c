// Rules and requests out of an input's choices: what the compiled rules make of them is what the
// naive matcher says, and keys are equal exactly where all their parts are.
//
// SLUICE_FUZZ_SHOW=1 in the environment prints both.
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

#include "config/read_rules.h"
#include "core/text.h"
#include "fuzz/byte_reader.h"
#include "fuzz/draft_rules.h"
#include "fuzz/must.h"
#include "fuzz/zones.h"
#include "rules/rule_set.h"
#include "support/naive_match.h"

namespace sluice::fuzz {
namespace {

using sluice::testing::NaiveAnswer;
using sluice::testing::NaiveCharge;
using sluice::testing::NaiveDescriptor;
using sluice::testing::NaiveFind;
using sluice::testing::NaiveMatch;

constexpr std::size_t kRequestsMost = 16;
constexpr std::size_t kAttributesMost = 6;
constexpr std::size_t kDescriptorsMost = 3;

using Parts = std::vector<std::string>;

// The attributes of a request, or the entries of a descriptor, and the bytes that they view.
class Request {
 public:
  Request(const RulesDraft& draft, ByteReader& bytes) {
    for (std::size_t count = bytes.Below(kAttributesMost + 1); count > 0; --count) {
      const std::string_view name = bytes.Pick(kDraftNames);
      values_.push_back(DraftValue(draft, bytes));
      names_.push_back(name);
    }
    for (std::size_t i = 0; i < names_.size(); ++i) attributes_.push_back({names_[i], values_[i]});
  }

  [[nodiscard]] std::span<const Attribute> attributes() const { return attributes_; }

 private:
  std::vector<std::string_view> names_;
  std::vector<std::string> values_;
  std::vector<Attribute> attributes_;
};

// The keys of all requests by limit, both ways.
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

// Compiled rules and the naive matcher over the same spec.
class Comparison {
 public:
  explicit Comparison(RuleSetSpec spec)
      : rules_(RuleSet::Make(std::move(spec))), domain_(*rules_->Find(kDraftDomain)) {}

  void AskRules(std::span<const Attribute> attributes) {
    constexpr std::int64_t kCost = 2;
    const NaiveAnswer expected = NaiveMatch(domain_.spec(), attributes, kCost);
    match_.Clear();
    domain_.MatchRules(attributes, Cost{kCost}, match_);
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
      domain_.MatchDescriptor(requests[i].attributes(), Cost{1}, matches[i]);
      expected.push_back(NaiveFind(domain_.spec(), requests[i].attributes()));
      MustBeSame(matches[i], expected.back());
      if (matches[i].node() == nullptr) continue;
      MetricName(kDraftDomain, *matches[i].node(), requests[i].attributes());
      for (const ReplacedSpec& each : expected.back().found->replaces) replaced.insert(each.name);
    }
    DropReplacedDescriptors(matches);
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
    Must(charge.veto == expected.veto, "what is enforced is the naive matcher's");
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
    const Veto unless_shadow = found->quota_mode ? Veto::kQuota : Veto::kEnforce;
    Must(charge.veto == (found->shadow_mode ? Veto::kShadow : unless_shadow),
         "a descriptor's refusal means what its modes say");
    keys_.Add(charge.limit, match.Key(charge), expected.key);
  }

  std::shared_ptr<const RuleSet> rules_;
  const Domain& domain_;
  Match match_;
  Keys keys_;
  std::map<std::uint32_t, std::string> plans_;
};

// Rules that a problem calls unreachable or replaced wherever they would apply.
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
    for (const Attribute& each : request.attributes()) {
      std::cerr << " " << each.name << "=" << Quoted(each.value);
    }
    std::cerr << "\n";
  }
}

// The first half of the input chooses the rules, the second the requests.
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
  for (std::size_t i = 0; i < kRequestsMost && !request_bytes.AtEnd(); ++i) {
    requests.emplace_back(draft, request_bytes);
  }
  Show(draft, requests);
  for (const Request& request : requests) {
    MustNotApply(never, read.spec.domains.front(), request.attributes());
  }
  if (HasErrors(read.problems)) return;
  Comparison comparison(std::move(read.spec));
  for (const Request& request : requests) comparison.AskRules(request.attributes());
  comparison.AskDescriptors(std::span(requests).first(std::min(requests.size(), kDescriptorsMost)));
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::Run(sluice::fuzz::ByteReader(std::span(data, size)));
  return 0;
}
