// RuleSet: the rules of all domains, compiled and never changed again.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rules/domain.h"
#include "rules/rule_limit.h"
#include "rules/rule_spec.h"
#include "rules/text_map.h"

namespace sluice {

// Immutable. Thread safety: everything from any thread.
//
// Invariant: equal rules give equal limit ids, whatever else is in the set, so that states are
// found again after a reload.
class RuleSet {
 public:
  // REQUIRES: CheckRules found no error in `spec`.
  static std::shared_ptr<const RuleSet> Make(RuleSetSpec spec);

  RuleSet(const RuleSet&) = delete;
  RuleSet& operator=(const RuleSet&) = delete;
  ~RuleSet() = default;

  // The domain of this name, or null.
  [[nodiscard]] const Domain* Find(std::string_view domain) const;

  [[nodiscard]] std::span<const RuleLimit> limits() const { return limits_; }
  [[nodiscard]] const RuleSetSpec& spec() const { return spec_; }

 private:
  explicit RuleSet(RuleSetSpec spec);

  const RuleSetSpec spec_;
  std::vector<RuleLimit> limits_;
  std::vector<Domain> domains_;
  TextMap domain_of_;
};

}  // namespace sluice
