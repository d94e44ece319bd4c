// What changes of limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/rule_change.h"
#include "rules/rule_spec.h"
#include "sluice/limit.h"

namespace sluice {

// Whether the states of a key are found again, so that their units can carry over; the last is the
// most that changes.
enum class KeyChange : std::uint8_t {
  kSame,     // of every key
  kPartly,   // but for addresses that are now cut to another length
  kByValue,  // by its values, though they are those of other attributes
  kOther,    // of no key
};

// Which of two versions of a rule charge its limits; one that is off or decides alone does not.
enum class InForce : std::uint8_t { kBoth, kBefore, kAfter, kNeither };

// What an effect comes to where the limits are not charged on both sides.
StateEffect EffectWhere(InForce in_force, StateEffect effect);

// What decides about the states of limits besides their terms.
struct StateFate {
  KeyChange keys = KeyChange::kSame;
  InForce in_force = InForce::kBoth;

  friend bool operator==(const StateFate&, const StateFate&) = default;
};

struct LimitChange {
  std::string words;  // "2/m -> 4/m, burst 2 -> 5"
  StateEffect effect = StateEffect::kNone;
};

// Of two limits of one name. None where they mean the same, whatever is written.
std::optional<LimitChange> DiffLimit(const LimitSpec& before, const LimitSpec& after,
                                     KeyChange keys);

// Adds what changes of the limits of a rule or a plan, which are known by their names.
void DiffLimits(const std::vector<NamedLimit>& before, const std::vector<NamedLimit>& after,
                StateFate fate, SubjectChanges& changes);

}  // namespace sluice
