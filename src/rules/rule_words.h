// The words of a rule's options, in one place for reading and for writing.
#pragma once

#include <array>
#include <span>

#include "core/limit_words.h"
#include "rules/rule_spec.h"

namespace sluice {

inline constexpr std::array kActionWords = {
    Word<RuleAction>{"limit", RuleAction::kLimit},
    Word<RuleAction>{"allow", RuleAction::kAllow},
    Word<RuleAction>{"deny", RuleAction::kDeny},
};
inline constexpr std::array kModeWords = {
    Word<RuleMode>{"enforce", RuleMode::kEnforce},
    Word<RuleMode>{"shadow", RuleMode::kShadow},
    Word<RuleMode>{"off", RuleMode::kOff},
};
inline constexpr std::array kConsistencyWords = {
    Word<Consistency>{"exact", Consistency::kExact},
    Word<Consistency>{"leased", Consistency::kLeased},
    Word<Consistency>{"eventual", Consistency::kEventual},
    Word<Consistency>{"local", Consistency::kLocal},
};
inline constexpr std::array kOnStoreFailureWords = {
    Word<OnStoreFailure>{"local", OnStoreFailure::kLocal},
    Word<OnStoreFailure>{"allow", OnStoreFailure::kAllow},
    Word<OnStoreFailure>{"deny", OnStoreFailure::kDeny},
};

// For WordOf.
constexpr std::span<const Word<RuleAction>> WordsFor(RuleAction) { return kActionWords; }
constexpr std::span<const Word<RuleMode>> WordsFor(RuleMode) { return kModeWords; }
constexpr std::span<const Word<Consistency>> WordsFor(Consistency) { return kConsistencyWords; }
constexpr std::span<const Word<OnStoreFailure>> WordsFor(OnStoreFailure) {
  return kOnStoreFailureWords;
}

}  // namespace sluice
