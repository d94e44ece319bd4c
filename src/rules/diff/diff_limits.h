// Compares limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/diff/rule_change.h"
#include "rules/model/rule_spec.h"
#include "sluice/limit.h"

namespace sluice {

// Whether the states of existing keys are found again, so that their units carry over. Ordered by
// how much changes.
enum class KeyChange : std::uint8_t {
  kSame,     // every key finds its state
  kPartly,   // except keys with addresses that are now cut to another length
  kByValue,  // the key is made of other attributes; the same values find the same state
  kOther,    // no key finds its state
};

// Which of two versions of a rule charge its limits. A rule that is off, or that allows or denies,
// charges none.
enum class InForce : std::uint8_t { kBoth, kBefore, kAfter, kNeither };

// Returns what the effect becomes if only one version, or neither, charges the limits.
StateEffect EffectWhere(InForce in_force, StateEffect effect);

// The facts, apart from a limit's terms, that decide what happens to its states.
struct StateFate {
  KeyChange keys = KeyChange::kSame;
  InForce in_force = InForce::kBoth;

  friend bool operator==(const StateFate&, const StateFate&) = default;
};

struct LimitChange {
  std::string words;  // "2/m -> 4/m, burst 2 -> 5"
  StateEffect effect = StateEffect::kNone;
};

// Compares two limits of the same name. Returns nothing if they have the same meaning, even if they
// are written differently.
std::optional<LimitChange> DiffLimit(const LimitSpec& before, const LimitSpec& after,
                                     KeyChange keys);

// Adds the changes of the limits of a rule or a plan; limits are matched by name.
void DiffLimits(const std::vector<NamedLimit>& before, const std::vector<NamedLimit>& after,
                StateFate outcome, SubjectChanges& changes);

}  // namespace sluice
