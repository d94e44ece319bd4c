#include "rules/compile/rule_set.h"

#include <utility>

namespace sluice {

RuleSet::RuleSet(RuleSetSpec spec) : spec_(std::move(spec)) {
  domains_.reserve(spec_.domains.size());
  LiteralRoom literals;
  for (const DomainSpec& domain : spec_.domains) {
    domain_of_.FindOrAdd(domain.name, static_cast<std::uint32_t>(domains_.size()));
    domains_.emplace_back(domain, limits_, literals);
  }
}

std::shared_ptr<const RuleSet> RuleSet::Make(RuleSetSpec spec) {
  return std::shared_ptr<const RuleSet>(new RuleSet(std::move(spec)));
}

const Domain* RuleSet::Find(std::string_view domain) const {
  const std::uint32_t number = domain_of_.Find(domain);
  return number == TextMap::kNone ? nullptr : &domains_[number];
}

}  // namespace sluice
