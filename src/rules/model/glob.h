// Glob: a pattern with stars, used for values in rules.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// A pattern in which * matches any bytes, including none and '/'. Every other character matches
// itself; there are no escapes. The pattern must match the whole value.
//
// Each part between two stars is searched for once, starting where the previous part ended: if any
// positions fit all parts, the leftmost ones do. There is therefore no backtracking, however many
// stars there are, and a match costs at most the size of the value times the size of the longest
// part.
//
// Thread safety: immutable; any number of threads may read it.
class Glob {
 public:
  static bool IsGlob(std::string_view pattern) {
    return pattern.find('*') != std::string_view::npos;
  }

  // A pattern without a star matches only itself.
  explicit Glob(std::string_view pattern);

  // Does not allocate.
  [[nodiscard]] bool Matches(std::string_view value) const;

  // Returns the text before the first star; every matching value begins with it.
  [[nodiscard]] std::string_view LiteralPrefix() const {
    return std::string_view(pattern_).substr(0, prefix_size_);
  }
  // Returns the longest run of characters without a star; the first one if several are longest.
  [[nodiscard]] std::string_view LongestLiteral() const;

 private:
  // The position of a part within the pattern. (A string_view would not survive a move of the
  // glob.)
  struct Part {
    std::size_t start;
    std::size_t size;
  };

  std::string pattern_;
  bool has_star_;
  std::size_t prefix_size_;
  std::size_t suffix_size_ = 0;
  std::vector<Part> middle_;  // the parts between the first and the last star; none is empty
};

}  // namespace sluice
