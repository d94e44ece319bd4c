// NaiveMatch: a slow, simple implementation of rule matching as DESIGN describes it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rules/compile/match.h"
#include "rules/model/rule_spec.h"
#include "sluice/attribute.h"

namespace sluice::testing {

// A charge that the naive matcher found. `key` distinguishes the states of one limit.
struct NaiveCharge {
  std::string rule;
  std::string plan;  // empty if the rule has its own limits
  std::string limit;
  std::vector<std::string> key;
  std::int64_t cost = 1;
  Enforcement enforcement = Enforcement::kEnforce;
};

struct NaiveAnswer {
  MatchOutcome outcome = MatchOutcome::kCharges;
  std::string decided_by;
  std::vector<NaiveCharge> charges;
};

// REQUIRES: the share of requests to enforce is 0 or 100 % for every rule.
NaiveAnswer NaiveMatch(const DomainSpec& domain, const MatchedAttributes& matched,
                       std::int64_t cost);
inline NaiveAnswer NaiveMatch(const DomainSpec& domain, std::span<const Attribute> attributes,
                              std::int64_t cost) {
  return NaiveMatch(domain, MatchedAttributes{.attributes = attributes}, cost);
}

// The result of looking entries up in the `descriptors`.
struct NaiveDescriptor {
  const DescriptorSpec* found = nullptr;  // owned by the domain; null if there is none
  std::vector<std::string> key;           // distinguishes the states of its limit
};

NaiveDescriptor NaiveFind(const DomainSpec& domain, std::span<const Attribute> entries);

}  // namespace sluice::testing
