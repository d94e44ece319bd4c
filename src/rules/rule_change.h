// RuleChange: one difference between two rule sets, in words.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/limit_words.h"

namespace sluice {

// What becomes of the states that a change is about, when a Gate takes the new rules. A state is
// kept under domain, rule, limit, algorithm and the values of the key.
enum class StateEffect : std::uint8_t {
  kNone,         // the change is not about states
  kStay,         // as they are
  kCarryOver,    // used units carry over to the new terms
  kBookedStays,  // the same of a pacer, which books time
  kPermitsStay,  // the same of a concurrency limit
  kPartly,       // one of these, but for addresses that are cut to another length
  kByValue,      // the key is made of other attributes, but the same values find the same state
  kAfresh,       // every key begins as one never seen
  kUnused,       // nothing asks for them any more
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
  std::string
      name;  // of the subject: a rule's, "message_type=marketing > to_number" of descriptors
  ChangeKind kind = ChangeKind::kChanged;
  std::string sentence;  // "rule 'posts': limit 'm' 2/m -> 4/m"
  StateEffect effect = StateEffect::kNone;
};

// "api: rule 'posts': limit 'm' 2/m -> 4/m; used units carry over"
std::string Describe(const RuleChange& change);

// The words for programs.
inline constexpr std::array kEffectWords = {
    Word<StateEffect>{"none", StateEffect::kNone},
    Word<StateEffect>{"stay", StateEffect::kStay},
    Word<StateEffect>{"carry_over", StateEffect::kCarryOver},
    Word<StateEffect>{"booked_stays", StateEffect::kBookedStays},
    Word<StateEffect>{"permits_stay", StateEffect::kPermitsStay},
    Word<StateEffect>{"partly", StateEffect::kPartly},
    Word<StateEffect>{"by_value", StateEffect::kByValue},
    Word<StateEffect>{"afresh", StateEffect::kAfresh},
    Word<StateEffect>{"unused", StateEffect::kUnused},
};
inline constexpr std::array kSubjectWords = {
    Word<RuleSubject>{"domain", RuleSubject::kDomain},
    Word<RuleSubject>{"attribute", RuleSubject::kAttribute},
    Word<RuleSubject>{"list", RuleSubject::kList},
    Word<RuleSubject>{"plan", RuleSubject::kPlan},
    Word<RuleSubject>{"ip_prefix", RuleSubject::kIpPrefix},
    Word<RuleSubject>{"rule", RuleSubject::kRule},
    Word<RuleSubject>{"descriptor", RuleSubject::kDescriptor},
};
inline constexpr std::array kChangeWords = {
    Word<ChangeKind>{"added", ChangeKind::kAdded},
    Word<ChangeKind>{"removed", ChangeKind::kRemoved},
    Word<ChangeKind>{"changed", ChangeKind::kChanged},
    Word<ChangeKind>{"moved", ChangeKind::kMoved},
};
// For WordOf.
constexpr std::span<const Word<StateEffect>> WordsFor(StateEffect) { return kEffectWords; }
constexpr std::span<const Word<RuleSubject>> WordsFor(RuleSubject) { return kSubjectWords; }
constexpr std::span<const Word<ChangeKind>> WordsFor(ChangeKind) { return kChangeWords; }

// The changes of one subject, added to a list that it does not own. Thread safety: none.
class SubjectChanges {
 public:
  // What the changes are about. `label` is how sentences call it.
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
  // "limit 'm' 2/m -> 4/m"
  void Changed(std::string_view words, StateEffect effect);
  // "moved before rule 'x'"
  void Moved(std::string_view words);

 private:
  void Add(ChangeKind kind, std::string_view words, StateEffect effect);

  Subject subject_;
  std::vector<RuleChange>& changes_;
};

}  // namespace sluice
