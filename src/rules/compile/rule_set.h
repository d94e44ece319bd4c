// RuleSet: the compiled, immutable rules of all domains.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rules/compile/domain.h"
#include "rules/compile/rule_limit.h"
#include "rules/compile/text_map.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Immutable. Thread safety: every method may be called from any thread.
//
// Invariant: equal rules get equal limit ids, whatever else is in the set, so their states are
// found again after a reload.
class RuleSet {
 public:
  // REQUIRES: CheckRules found no error in `spec`.
  static std::shared_ptr<const RuleSet> Make(RuleSetSpec spec);

  RuleSet(const RuleSet&) = delete;
  RuleSet& operator=(const RuleSet&) = delete;
  ~RuleSet() = default;

  // Returns the domain with this name, or null.
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
