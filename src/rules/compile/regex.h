// Regex: a regular expression (RE2) that matches in time linear in the text.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "sluice/result.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace sluice {

// The maximum length of an expression; use a list instead of a longer one.
inline constexpr std::size_t kMaxRegexBytes = 10'000;

// A compiled expression in RE2's syntax over UTF-8: `.` matches a character, not a byte. A byte of
// the text that is not UTF-8 counts as U+FFFD. Thread safety: immutable; any number of threads may
// use it.
class Regex {
 public:
  // On failure, the error contains RE2's reason and the faulty piece of the expression.
  static Result<Regex> Compile(std::string_view pattern);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  // Returns whether the expression matches the whole text.
  [[nodiscard]] bool MatchesWhole(std::string_view text) const;

  // Returns the cost of compiling and keeping the expression in RE2 instructions, each of which
  // takes half a microsecond and 32 bytes.
  [[nodiscard]] std::size_t Size() const;

 private:
  explicit Regex(std::unique_ptr<const re2::RE2> compiled);

  std::unique_ptr<const re2::RE2> compiled_;
};

}  // namespace sluice
