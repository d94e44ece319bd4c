// ConfigProblem: something wrong with a configuration, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/value.h"

namespace sluice {

// A place in what was read: a file by its index among all of them, line and column. A flag or a
// variable counts as a file without lines.
struct Origin {
  std::uint32_t file = 0;
  Position at;

  friend bool operator==(const Origin&, const Origin&) = default;
};

struct ConfigProblem {
  enum class Severity : std::uint8_t {
    kError,    // the configuration must not be used
    kWarning,  // it may, but is probably not what was meant
  };
  Origin origin;
  Severity severity = Severity::kError;
  std::string message;

  friend bool operator==(const ConfigProblem&, const ConfigProblem&) = default;
};

// So many are shown, in order; then one that says "and more". Where there are more, the errors come
// before the warnings, so that no warnings hide an error.
inline constexpr std::size_t kProblemsMost = 1000;

// Both take the names of all files.

// "rules/api.yaml:14:7"
std::string DescribePlace(std::span<const std::string> files, const Origin& origin);

// "rules/api.yaml:14:7: unknown key 'limt'; did you mean 'limit'?"; a warning says so before its
// message.
std::string Describe(std::span<const std::string> files, const ConfigProblem& problem);

bool HasErrors(std::span<const ConfigProblem> problems);

// Gathers problems in whatever order they are found. Thread safety: none.
//
// Invariants:
//   1. What is taken has an error exactly where one was reported, however many warnings were.
//   2. What is kept and what is taken is bounded.
class ConfigProblems {
 public:
  void Error(const Origin& origin, std::string message);
  void Warn(const Origin& origin, std::string message);

  [[nodiscard]] std::size_t ErrorCount() const { return error_count_; }

  // By file and then by place, at most kProblemsMost and "and more", which is an error where errors
  // are left out. Leaves none behind.
  std::vector<ConfigProblem> Take();

 private:
  // Apart, so that neither fills the place of the other.
  std::vector<ConfigProblem> errors_;
  std::vector<ConfigProblem> warnings_;
  std::size_t error_count_ = 0;  // those not kept, too
};

}  // namespace sluice
