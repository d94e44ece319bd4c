// RuleProblem: something wrong with the rules, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rules/rule_spec.h"

namespace sluice {

struct RuleProblem {
  enum class Severity : std::uint8_t {
    kError,    // the rules must not be used
    kWarning,  // they may, but are probably not what was meant
  };
  Origin origin;
  Severity severity = Severity::kError;
  std::string message;

  friend bool operator==(const RuleProblem&, const RuleProblem&) = default;
};

// So many are shown, in order; then one that says "and more".
inline constexpr std::size_t kProblemsMost = 1000;

// "rules/api.yaml:14:7"
std::string DescribePlace(const RuleSetSpec& spec, const Origin& origin);

// "rules/api.yaml:14:7: unknown key 'limt'; did you mean 'limit'?"; a warning says so before its
// message.
std::string Describe(const RuleSetSpec& spec, const RuleProblem& problem);

bool HasErrors(std::span<const RuleProblem> problems);

// Gathers problems in whatever order they are found. Thread safety: none.
class RuleProblems {
 public:
  void Error(const Origin& origin, std::string message);
  void Warn(const Origin& origin, std::string message);

  [[nodiscard]] std::size_t ErrorCount() const { return error_count_; }

  // By file and then by place, at most kProblemsMost and "and more". Leaves none behind.
  std::vector<RuleProblem> Take();

 private:
  void Add(RuleProblem problem);

  std::vector<RuleProblem> problems_;
  std::size_t error_count_ = 0;  // those not kept, too
};

}  // namespace sluice
