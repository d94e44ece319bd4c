// ExplainedRequest: a request, what becomes of it, and why.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/header_list.h"
#include "core/header_profile.h"
#include "gate/verdict.h"
#include "rules/explain.h"
#include "rules/rule_set.h"
#include "sluice/attribute.h"
#include "sluice/decision.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice::cli {

// What is asked about.
struct ExplainQuestion {
  std::string_view domain;  // one of the rule set
  std::span<const Attribute> attributes;
  std::string_view strict_path = {};  // as MatchedAttributes has it
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

// Decides the request at `now`, as the first that comes to these rules. An error says that they are
// more than a store can hold. REQUIRES: the domain exists.
Result<ExplainedRequest> ExplainRequest(std::shared_ptr<const RuleSet> rules,
                                        const ExplainQuestion& question, Time now);

}  // namespace sluice::cli
