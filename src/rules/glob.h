// Glob: a pattern with stars, for values in rules.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// A pattern in which * stands for any bytes, none and '/' included. Everything else stands for
// itself; there are no escapes. It must match the whole of a value.
//
// What stands between two stars is looked for once, from where the part before it ended: where
// there are places for all parts, the leftmost ones will do. So nothing is tried twice, however
// many stars there are, and a value costs at most its size times that of the longest part.
//
// Thread safety: immutable, any number of threads may read.
class Glob {
 public:
  static bool IsGlob(std::string_view pattern) {
    return pattern.find('*') != std::string_view::npos;
  }

  // A pattern without a star matches itself alone.
  explicit Glob(std::string_view pattern);

  // Does not allocate.
  [[nodiscard]] bool Matches(std::string_view value) const;

  // What every matching value begins with: all before the first star.
  [[nodiscard]] std::string_view LiteralPrefix() const {
    return std::string_view(pattern_).substr(0, prefix_size_);
  }
  // The longest run of other characters than stars, the first of them where several are.
  [[nodiscard]] std::string_view LongestLiteral() const;

 private:
  // Where a part stands in the pattern. (A view of it would not outlive a move of the glob.)
  struct Part {
    std::size_t start;
    std::size_t size;
  };

  std::string pattern_;
  bool has_star_;
  std::size_t prefix_size_;
  std::size_t suffix_size_ = 0;
  std::vector<Part> middle_;  // between the first and the last star, none empty
};

}  // namespace sluice
