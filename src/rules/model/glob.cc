#include "rules/model/glob.h"

#include <algorithm>

namespace sluice {

Glob::Glob(std::string_view pattern)
    : pattern_(pattern),
      has_star_(IsGlob(pattern)),
      prefix_size_(std::min(pattern.find('*'), pattern.size())) {
  if (!has_star_) return;
  const std::size_t last_star = pattern.rfind('*');
  suffix_size_ = pattern.size() - last_star - 1;
  for (std::size_t start = prefix_size_ + 1; start < last_star;) {
    const std::size_t end = pattern.find('*', start);
    if (end > start) middle_.push_back({start, end - start});
    start = end + 1;
  }
}

bool Glob::Matches(std::string_view value) const {
  const std::string_view pattern = pattern_;
  if (!has_star_) return value == pattern;
  // The prefix and the suffix must not share a byte: "ab*ba" does not match "aba".
  if (value.size() < prefix_size_ + suffix_size_) return false;
  if (!value.starts_with(pattern.substr(0, prefix_size_))) return false;
  if (!value.ends_with(pattern.substr(pattern.size() - suffix_size_))) return false;
  value = value.substr(prefix_size_, value.size() - prefix_size_ - suffix_size_);
  for (const Part& part : middle_) {
    const std::size_t found = value.find(pattern.substr(part.start, part.size));
    if (found == std::string_view::npos) return false;
    value.remove_prefix(found + part.size);
  }
  return true;
}

std::string_view Glob::LongestLiteral() const {
  std::string_view longest;
  for (std::string_view rest = pattern_; !rest.empty();) {
    const std::string_view literal = rest.substr(0, rest.find('*'));
    if (literal.size() > longest.size()) longest = literal;
    rest.remove_prefix(std::min(literal.size() + 1, rest.size()));
  }
  return longest;
}

}  // namespace sluice
