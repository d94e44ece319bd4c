// RuleChange: one difference between two rule sets, as text.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enum_name.h"
#include "core/limit/limit_words.h"

namespace sluice {

// The effect of a change on stored states when a Gate adopts the new rules. A state is stored under
// the domain, the rule, the limit, the algorithm and the values of the key.
enum class StateEffect : std::uint8_t {
  kNone,         // the change does not affect states
  kStay,         // they are kept as they are
  kCarryOver,    // used units carry over to the new terms
  kBookedStays,  // as kCarryOver, for a pacer, which books time
  kPermitsStay,  // as kCarryOver, for a concurrency limit
  kPartly,       // one of these, except for addresses that are cut to another length
  kByValue,      // the key is made of other attributes, but the same values find the same state
  kAfresh,       // every key starts as if never used
  kUnused,       // they are no longer used
};

enum class RuleSubject : std::uint8_t {
  kDomain,
  kAttribute,
  kList,
  kPlan,
  kIpPrefix,
  kRule,
  kDescriptor,
};

enum class ChangeKind : std::uint8_t { kAdded, kRemoved, kChanged, kMoved };

struct RuleChange {
  std::string domain;
  RuleSubject subject = RuleSubject::kRule;
  // The name of the subject: the rule's name, or "message_type=marketing > to_number" for
  // descriptors.
  std::string name;
  ChangeKind kind = ChangeKind::kChanged;
  std::string sentence;  // "rule 'posts': limit 'm' 2/m -> 4/m"
  StateEffect effect = StateEffect::kNone;
};

// Returns "api: rule 'posts': limit 'm' 2/m -> 4/m; used units carry over".
std::string Describe(const RuleChange& change);

// The words in machine-readable output.
inline constexpr std::array kEffectWords = {
    EnumName<StateEffect>{"none", StateEffect::kNone},
    EnumName<StateEffect>{"stay", StateEffect::kStay},
    EnumName<StateEffect>{"carry_over", StateEffect::kCarryOver},
    EnumName<StateEffect>{"booked_stays", StateEffect::kBookedStays},
    EnumName<StateEffect>{"permits_stay", StateEffect::kPermitsStay},
    EnumName<StateEffect>{"partly", StateEffect::kPartly},
    EnumName<StateEffect>{"by_value", StateEffect::kByValue},
    EnumName<StateEffect>{"afresh", StateEffect::kAfresh},
    EnumName<StateEffect>{"unused", StateEffect::kUnused},
};
inline constexpr std::array kSubjectWords = {
    EnumName<RuleSubject>{"domain", RuleSubject::kDomain},
    EnumName<RuleSubject>{"attribute", RuleSubject::kAttribute},
    EnumName<RuleSubject>{"list", RuleSubject::kList},
    EnumName<RuleSubject>{"plan", RuleSubject::kPlan},
    EnumName<RuleSubject>{"ip_prefix", RuleSubject::kIpPrefix},
    EnumName<RuleSubject>{"rule", RuleSubject::kRule},
    EnumName<RuleSubject>{"descriptor", RuleSubject::kDescriptor},
};
inline constexpr std::array kChangeWords = {
    EnumName<ChangeKind>{"added", ChangeKind::kAdded},
    EnumName<ChangeKind>{"removed", ChangeKind::kRemoved},
    EnumName<ChangeKind>{"changed", ChangeKind::kChanged},
    EnumName<ChangeKind>{"moved", ChangeKind::kMoved},
};
// Makes WordOf work for these enums.
constexpr std::span<const EnumName<StateEffect>> WordsFor(StateEffect) { return kEffectWords; }
constexpr std::span<const EnumName<RuleSubject>> WordsFor(RuleSubject) { return kSubjectWords; }
constexpr std::span<const EnumName<ChangeKind>> WordsFor(ChangeKind) { return kChangeWords; }

// Collects the changes of one subject in a list that it does not own. Thread safety: none.
class SubjectChanges {
 public:
  // The subject of the changes. `label` is its name in sentences.
  struct Subject {
    std::string domain;
    RuleSubject subject = RuleSubject::kRule;
    std::string name;
    std::string label;
  };

  SubjectChanges(Subject subject, std::vector<RuleChange>& changes)
      : subject_(std::move(subject)), changes_(changes) {}

  void Added(StateEffect effect) { Add(ChangeKind::kAdded, " added", effect); }
  void Removed(StateEffect effect) { Add(ChangeKind::kRemoved, " removed", effect); }
  // Adds a change such as "limit 'm' 2/m -> 4/m".
  void Changed(std::string_view words, StateEffect effect);
  // Adds a change such as "moved before rule 'x'".
  void Moved(std::string_view words);

 private:
  void Add(ChangeKind kind, std::string_view words, StateEffect effect);

  Subject subject_;
  std::vector<RuleChange>& changes_;
};

}  // namespace sluice
