// The words of a limit's options, in one place for reading and for writing.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "sluice/limit.h"

namespace sluice {

// A word of the configuration and what it stands for.
template <typename T>
struct Word {
  std::string_view text;
  T meaning;
};

// Where two words mean the same, the first is the one that is written.
inline constexpr std::array kAlgorithmWords = {
    Word<Algorithm>{"token_bucket", Algorithm::kTokenBucket},
    Word<Algorithm>{"gcra", Algorithm::kTokenBucket},
    Word<Algorithm>{"leaky_bucket", Algorithm::kLeakyBucket},
    Word<Algorithm>{"fixed_window", Algorithm::kFixedWindow},
    Word<Algorithm>{"sliding_log", Algorithm::kSlidingLog},
    Word<Algorithm>{"sliding_window", Algorithm::kSlidingWindow},
    Word<Algorithm>{"sliding_buckets", Algorithm::kSlidingBuckets},
    Word<Algorithm>{"pacer", Algorithm::kPacer},
    Word<Algorithm>{"concurrency", Algorithm::kConcurrency},
};
inline constexpr std::array kRefillWords = {
    Word<Refill>{"greedy", Refill::kGreedy},
    Word<Refill>{"interval", Refill::kInterval},
};
inline constexpr std::array kWindowWords = {
    Word<WindowKind>{"aligned", WindowKind::kAligned},
    Word<WindowKind>{"first_request", WindowKind::kFirstRequest},
    Word<WindowKind>{"calendar", WindowKind::kCalendar},
    Word<WindowKind>{"staggered", WindowKind::kStaggered},
};
inline constexpr std::array kOldestWords = {
    Word<OldestPart>{"strict", OldestPart::kStrict},
    Word<OldestPart>{"lenient", OldestPart::kLenient},
    Word<OldestPart>{"weighted", OldestPart::kWeighted},
};

constexpr std::span<const Word<Algorithm>> WordsFor(Algorithm) { return kAlgorithmWords; }
constexpr std::span<const Word<Refill>> WordsFor(Refill) { return kRefillWords; }
constexpr std::span<const Word<WindowKind>> WordsFor(WindowKind) { return kWindowWords; }
constexpr std::span<const Word<OldestPart>> WordsFor(OldestPart) { return kOldestWords; }

// The word for a meaning; empty for an enumerator that does not exist.
template <typename T>
constexpr std::string_view WordOf(T meaning) {
  for (const Word<T>& word : WordsFor(meaning)) {
    if (word.meaning == meaning) return word.text;
  }
  return {};
}

// "a, b or c", with `last` for "or".
std::string JoinWords(std::span<const std::string_view> words, std::string_view last);

// Of `known` the name that was most likely meant by `written`; empty where none is near.
std::string_view NearestWord(std::string_view written, std::span<const std::string_view> known);

// "; did you mean 'burst'?", or "; expected a, b or c" where no name is near.
std::string Suggestion(std::string_view written, std::span<const std::string_view> known);

}  // namespace sluice
