// NaiveMatch: what DESIGN says of matching, asked rule by rule, value by value. Slow and plain.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rules/match.h"
#include "rules/rule_spec.h"
#include "sluice/attribute.h"

namespace sluice::testing {

// A charge as the naive matcher finds it. `key` tells states of one limit apart.
struct NaiveCharge {
  std::string rule;
  std::string plan;  // empty where the rule has limits of its own
  std::string limit;
  std::vector<std::string> key;
  std::int64_t cost = 1;
  Veto veto = Veto::kEnforce;
};

struct NaiveAnswer {
  MatchOutcome outcome = MatchOutcome::kCharges;
  std::string decided_by;
  std::vector<NaiveCharge> charges;
};

// REQUIRES: shares to enforce are 0 or the whole.
NaiveAnswer NaiveMatch(const DomainSpec& domain, const MatchedAttributes& matched,
                       std::int64_t cost);
inline NaiveAnswer NaiveMatch(const DomainSpec& domain, std::span<const Attribute> attributes,
                              std::int64_t cost) {
  return NaiveMatch(domain, MatchedAttributes{.attributes = attributes}, cost);
}

// Where the entries end in the `descriptors`, and what tells its states apart.
struct NaiveDescriptor {
  const DescriptorSpec* found = nullptr;  // of the domain; null where they end nowhere
  std::vector<std::string> key;
};

NaiveDescriptor NaiveFind(const DomainSpec& domain, std::span<const Attribute> entries);

}  // namespace sluice::testing
