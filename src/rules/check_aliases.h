// Aliases of attributes: what is wrong with them, and what they stand for.
#pragma once

#include <array>
#include <string_view>
#include <unordered_map>

#include "core/config_problem.h"
#include "rules/rule_spec.h"

namespace sluice {

// Reports aliases that stand for one another in a circle.
void CheckAliases(const DomainSpec& domain, ConfigProblems& problems);

// What forward auth knows of every request.
inline constexpr std::array<std::string_view, 5> kAlwaysThere = {"ip", "method", "host", "path",
                                                                 "path.raw"};

// What each attribute is taken from in the end. Refers to the domain, which must outlive it. An
// alias fills in only what a request lacks, so one of what is always there does nothing.
class AliasSources {
 public:
  explicit AliasSources(const DomainSpec& domain);

  // The last source of the attribute; itself where it has none. In a circle, any of it.
  [[nodiscard]] std::string_view SourceOf(std::string_view attribute) const;

 private:
  std::unordered_map<std::string_view, std::string_view> sources_;  // the last ones
};

}  // namespace sluice
