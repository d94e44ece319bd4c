#include "rules/check/check_aliases.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/text.h"
#include "rules/check/cycles.h"

namespace sluice {

void CheckAliases(const DomainSpec& domain, ConfigProblems& problems) {
  const std::vector<AliasSpec>& aliases = domain.aliases;
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < aliases.size(); ++i) by_name.emplace(aliases[i].name, i);
  Edges edges(aliases.size());
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    const auto source = by_name.find(aliases[i].source);
    if (source != by_name.end()) edges[i].push_back(source->second);
  }
  for (const std::vector<std::size_t>& cycle : FindCycles(edges)) {
    if (cycle.size() == 1) {
      const AliasSpec& alias = aliases[cycle.front()];
      problems.Error(alias.origin,
                     Concat("the attribute ", Quoted(alias.name), " stands for itself"));
      continue;
    }
    std::vector<std::string_view> names;
    names.reserve(cycle.size());
    for (const std::size_t alias : cycle) names.push_back(aliases[alias].name);
    problems.Error(aliases[cycle.front()].origin,
                   Concat("attributes stand for one another in a circle: ", DescribeCycle(names)));
  }
}

AliasSources::AliasSources(const DomainSpec& domain) {
  for (const AliasSpec& alias : domain.aliases) {
    if (std::ranges::find(kAlwaysThere, alias.name) != kAlwaysThere.end()) continue;
    sources_.emplace(alias.name, alias.source);
  }
  // Points each alias on the way directly at the last source, so that a long chain is followed
  // once. No chain is longer than the number of aliases, except in a cycle; a cycle then ends at an
  // alias of itself.
  std::vector<std::string_view*> way;
  for (const AliasSpec& alias : domain.aliases) {
    std::string_view last = alias.name;
    for (auto next = sources_.find(last);
         next != sources_.end() && next->second != last && way.size() <= sources_.size();
         next = sources_.find(last)) {
      way.push_back(&next->second);
      last = next->second;
    }
    for (; !way.empty(); way.pop_back()) *way.back() = last;
  }
}

std::string_view AliasSources::SourceOf(std::string_view attribute) const {
  const auto source = sources_.find(attribute);
  return source == sources_.end() ? attribute : source->second;
}

}  // namespace sluice
