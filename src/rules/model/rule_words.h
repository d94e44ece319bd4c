// The words of a rule's options, shared by parsing and formatting.
#pragma once

#include <array>
#include <span>

#include "base/enum_name.h"
#include "rules/model/rule_spec.h"

namespace sluice {

inline constexpr std::array kActionWords = {
    EnumName<RuleAction>{"limit", RuleAction::kLimit},
    EnumName<RuleAction>{"allow", RuleAction::kAllow},
    EnumName<RuleAction>{"deny", RuleAction::kDeny},
};
inline constexpr std::array kModeWords = {
    EnumName<RuleMode>{"enforce", RuleMode::kEnforce},
    EnumName<RuleMode>{"shadow", RuleMode::kShadow},
    EnumName<RuleMode>{"off", RuleMode::kOff},
};
inline constexpr std::array kConsistencyWords = {
    EnumName<Consistency>{"exact", Consistency::kExact},
    EnumName<Consistency>{"leased", Consistency::kLeased},
    EnumName<Consistency>{"eventual", Consistency::kEventual},
    EnumName<Consistency>{"local", Consistency::kLocal},
};
inline constexpr std::array kOnStoreFailureWords = {
    EnumName<OnStoreFailure>{"local", OnStoreFailure::kLocal},
    EnumName<OnStoreFailure>{"allow", OnStoreFailure::kAllow},
    EnumName<OnStoreFailure>{"deny", OnStoreFailure::kDeny},
};

// Makes WordOf work for these enums.
constexpr std::span<const EnumName<RuleAction>> WordsFor(RuleAction) { return kActionWords; }
constexpr std::span<const EnumName<RuleMode>> WordsFor(RuleMode) { return kModeWords; }
constexpr std::span<const EnumName<Consistency>> WordsFor(Consistency) { return kConsistencyWords; }
constexpr std::span<const EnumName<OnStoreFailure>> WordsFor(OnStoreFailure) {
  return kOnStoreFailureWords;
}

}  // namespace sluice
