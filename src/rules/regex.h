// Regex: a regular expression that matches in time linear in the text (RE2).
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "sluice/result.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace sluice {

// The longest expression; whoever needs more wants a list.
inline constexpr std::size_t kRegexBytesMost = 10'000;

// A compiled expression in RE2's syntax, over UTF-8: `.` matches a character, not a byte. A byte of
// the text that is not UTF-8 counts as U+FFFD. Immutable; share it between threads freely.
class Regex {
 public:
  // The error says what RE2 found wrong and in which piece of the expression.
  static Result<Regex> Compile(std::string_view pattern);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  // Whether the expression matches all of the text, not a part of it.
  [[nodiscard]] bool MatchesWhole(std::string_view text) const;

  // How much it takes to compile and to keep: instructions of RE2, half a microsecond and 32 bytes
  // each.
  [[nodiscard]] std::size_t Size() const;

 private:
  explicit Regex(std::unique_ptr<const re2::RE2> compiled);

  std::unique_ptr<const re2::RE2> compiled_;
};

}  // namespace sluice
