// ExplainedRequest: a request, its verdict, and the reasons.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/header_list.h"
#include "core/header_profile.h"
#include "gate/verdict.h"
#include "rules/compile/explain.h"
#include "rules/compile/rule_set.h"
#include "sluice/attribute.h"
#include "sluice/decision.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice::cli {

// The request to explain.
struct ExplainQuestion {
  std::string_view domain;  // exists in the rule set
  std::span<const Attribute> attributes;
  std::string_view strict_path = {};  // as in MatchedAttributes
  Cost cost{};
  HeaderProfile profile = HeaderProfile::kIetf;
};

// The answer. Views the attributes of the question; keeps the rules alive.
struct ExplainedRequest {
  std::shared_ptr<const RuleSet> rules;
  const Domain* domain = nullptr;
  ExplainQuestion question;
  Explanation why;
  Verdict verdict;
  HeaderList headers;
};

// Decides the request at `now`, as the first request to these rules. Returns an error if the rules
// are more than a store can hold.
// REQUIRES: the domain exists.
Result<ExplainedRequest> ExplainRequest(std::shared_ptr<const RuleSet> rules,
                                        const ExplainQuestion& question, Time now);

}  // namespace sluice::cli
