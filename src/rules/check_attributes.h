// AttributeCheck: attributes that are probably misspelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/config_problem.h"
#include "rules/rule_spec.h"

namespace sluice {

// Callers of the API and of RLS may send attributes of any name, so an unknown name is no mistake
// by itself. Warned of is
//   (1) a prefix that is nearly `header.`, `query.` or `cookie.`: `headers.x-user-id`;
//   (2) the name of a header as the source of an alias (`user: X-User-Id`), or in a rule where it
//       is written with capitals or where the domain reads other headers;
//   (3) a name that one rule alone has, that is neither an alias nor given by forward auth, and
//       that is one slip away from a name that is known: `metod`, `usr`.
// A name is known where it is an alias, given by forward auth, a key of the domain's descriptors,
// or used by more than one rule. `user` is always known, and so is `plan` after `by`. One slip is
// a letter added, left out or swapped with its neighbour, or from six letters on another letter;
// the first letter stays, and names that differ in a digit only (`key1`, `key2`) are both meant.
//
// Refers to the spec, which must outlive it. Thread safety: none.
class AttributeCheck {
 public:
  explicit AttributeCheck(const RuleSetSpec& spec);

  // REQUIRES: a domain of the spec.
  void Check(const DomainSpec& domain, ConfigProblems& problems);

 private:
  enum class Role : std::uint8_t { kSource, kKey, kPlan };
  // A place where an attribute is named.
  struct Mention {
    std::string_view name;
    Origin origin;
    Role role = Role::kKey;
  };
  // The names of a domain that a misspelled one may have been meant to be, by their first letter.
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

  std::unordered_map<std::string_view, std::size_t> uses_;  // how many rules and aliases use it
  // Of the domain that is being checked.
  Known known_;
  std::unordered_set<std::string_view> aliases_;
  bool reads_headers_ = false;
  std::size_t comparisons_ = 0;
};

}  // namespace sluice
