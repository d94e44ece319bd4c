// Checks aliases of attributes, and resolves them to their sources.
#pragma once

#include <array>
#include <string_view>
#include <unordered_map>

#include "base/config_problem.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Reports aliases that form a cycle.
void CheckAliases(const DomainSpec& domain, ConfigProblems& problems);

// The attributes that forward auth provides for every request.
inline constexpr std::array<std::string_view, 5> kAlwaysThere = {"ip", "method", "host", "path",
                                                                 "path.raw"};

// Resolves each attribute to its final source. Refers to the domain, which must outlive it. An
// alias applies only if the request lacks the attribute, so an alias named like an attribute that
// is always present has no effect.
class AliasSources {
 public:
  explicit AliasSources(const DomainSpec& domain);

  // Returns the final source of the attribute, or the attribute itself if it is not an alias. In a
  // cycle, returns any attribute of the cycle.
  [[nodiscard]] std::string_view SourceOf(std::string_view attribute) const;

 private:
  std::unordered_map<std::string_view, std::string_view> sources_;  // alias to its final source
};

}  // namespace sluice
