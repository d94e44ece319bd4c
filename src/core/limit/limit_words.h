// The names of the values of a limit's options, for reading and for writing.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "base/enum_name.h"
#include "sluice/limit.h"

namespace sluice {

// If two names mean the same, the first one is written.
inline constexpr std::array kAlgorithmWords = {
    EnumName<Algorithm>{"token_bucket", Algorithm::kTokenBucket},
    EnumName<Algorithm>{"gcra", Algorithm::kTokenBucket},
    EnumName<Algorithm>{"leaky_bucket", Algorithm::kLeakyBucket},
    EnumName<Algorithm>{"fixed_window", Algorithm::kFixedWindow},
    EnumName<Algorithm>{"sliding_log", Algorithm::kSlidingLog},
    EnumName<Algorithm>{"sliding_window", Algorithm::kSlidingWindow},
    EnumName<Algorithm>{"sliding_buckets", Algorithm::kSlidingBuckets},
    EnumName<Algorithm>{"pacer", Algorithm::kPacer},
    EnumName<Algorithm>{"concurrency", Algorithm::kConcurrency},
};
inline constexpr std::array kRefillWords = {
    EnumName<Refill>{"greedy", Refill::kGreedy},
    EnumName<Refill>{"interval", Refill::kInterval},
};
inline constexpr std::array kWindowWords = {
    EnumName<WindowKind>{"aligned", WindowKind::kAligned},
    EnumName<WindowKind>{"first_request", WindowKind::kFirstRequest},
    EnumName<WindowKind>{"calendar", WindowKind::kCalendar},
    EnumName<WindowKind>{"staggered", WindowKind::kStaggered},
};
inline constexpr std::array kOldestWords = {
    EnumName<OldestPart>{"strict", OldestPart::kStrict},
    EnumName<OldestPart>{"lenient", OldestPart::kLenient},
    EnumName<OldestPart>{"weighted", OldestPart::kWeighted},
};

constexpr std::span<const EnumName<Algorithm>> WordsFor(Algorithm) { return kAlgorithmWords; }
constexpr std::span<const EnumName<Refill>> WordsFor(Refill) { return kRefillWords; }
constexpr std::span<const EnumName<WindowKind>> WordsFor(WindowKind) { return kWindowWords; }
constexpr std::span<const EnumName<OldestPart>> WordsFor(OldestPart) { return kOldestWords; }

}  // namespace sluice
