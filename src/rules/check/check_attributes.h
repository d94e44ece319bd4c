// AttributeCheck: warns about attributes that are probably misspelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/config_problem.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Callers of the API and of RLS may send attributes of any name, so an unknown name alone is not a
// mistake. The check warns about
//   (1) a prefix that is nearly `header.`, `query.` or `cookie.`: `headers.x-user-id`;
//   (2) a header name as the source of an alias (`user: X-User-Id`), or in a rule if it is written
//       with capitals or if the domain reads other headers;
//   (3) a name that only one rule uses, that is neither an alias nor provided by forward auth, and
//       that is one slip away from a known name: `metod`, `usr`.
// A name is known if it is an alias, provided by forward auth, a key of a descriptor, or used by
// more than one rule. `user` is always known, and `plan` is known as the attribute that chooses a
// plan. One slip is a letter that is added, left out or swapped with its neighbour, or, in names of
// at least six letters, one that is replaced. The first letter must be right. Names that differ
// only in a digit (`key1`, `key2`) are both intended.
//
// Refers to the spec, which must outlive it. Thread safety: none.
class AttributeCheck {
 public:
  explicit AttributeCheck(const RuleSetSpec& spec);

  // Warns about the attributes of one domain. REQUIRES: a domain of the spec.
  void Check(const DomainSpec& domain, ConfigProblems& problems);

 private:
  enum class Role : std::uint8_t { kSource, kKey, kPlan };
  // A place where an attribute is named.
  struct Mention {
    std::string_view name;
    Origin origin;
    Role role = Role::kKey;
  };
  // The known names of a domain, by their first letter.
  using Known = std::unordered_map<char, std::vector<std::string_view>>;

  static std::vector<Mention> MentionsOf(const RuleSpec& rule);
  static std::vector<Mention> SourcesOf(const DomainSpec& domain);
  void Count(std::span<const Mention> mentions);
  void CountKeys(const std::vector<DescriptorSpec>& siblings);
  void Learn(const DomainSpec& domain);

  [[nodiscard]] bool IsUsedTwice(std::string_view name) const;
  [[nodiscard]] bool IsProbablyHeader(const Mention& mention) const;
  std::string_view FindNearest(const Mention& mention);
  std::string FindFault(const Mention& mention);
  void CheckMentions(std::span<const Mention> mentions, ConfigProblems& problems);

  std::unordered_map<std::string_view, std::size_t> uses_;  // number of rules and aliases with it
  // The rest describes the domain that is being checked.
  Known known_;
  std::unordered_set<std::string_view> aliases_;
  bool reads_headers_ = false;
  std::size_t comparisons_ = 0;
};

}  // namespace sluice
