// ConfigProblem: an error or a warning about a configuration, with its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/value.h"

namespace sluice {

// A place in the configuration: the index of the file among all files read, line and column. A flag
// or an environment variable counts as a file without lines.
struct Origin {
  std::uint32_t file = 0;
  Position at;

  friend bool operator==(const Origin&, const Origin&) = default;
};

struct ConfigProblem {
  enum class Severity : std::uint8_t {
    kError,    // the configuration must not be used
    kWarning,  // the configuration may be used, but is probably not as intended
  };
  Origin origin;
  Severity severity = Severity::kError;
  std::string message;

  friend bool operator==(const ConfigProblem&, const ConfigProblem&) = default;
};

// The maximum number of problems that are reported. If there are more, a last one says "and more",
// and errors are kept in preference to warnings, so that warnings never hide an error.
inline constexpr std::size_t kMaxProblems = 1000;

// The two functions below take the names of all files.

// Returns the place as text: "rules/api.yaml:14:7".
std::string DescribePlace(std::span<const std::string> files, const Origin& origin);

// Returns the place and the message, which starts with "warning: " for a warning:
// "rules/api.yaml:14:7: unknown key 'limt'; did you mean 'limit'?".
std::string Describe(std::span<const std::string> files, const ConfigProblem& problem);

bool HasErrors(std::span<const ConfigProblem> problems);

// Collects problems, which may be found in any order. Thread safety: none.
//
// Invariants:
//   1. Take returns an error if and only if one was reported, however many warnings there were.
//   2. The number of problems that are kept and returned is bounded.
class ConfigProblems {
 public:
  void Error(const Origin& origin, std::string message);
  void Warn(const Origin& origin, std::string message);

  [[nodiscard]] std::size_t ErrorCount() const { return error_count_; }

  // Returns the problems sorted by file and place: at most kMaxProblems and, if some are left out,
  // "and more", which is an error if it stands for one. Clears the collection.
  std::vector<ConfigProblem> Take();

 private:
  // Two lists, so that warnings cannot use up the room for errors.
  std::vector<ConfigProblem> errors_;
  std::vector<ConfigProblem> warnings_;
  std::size_t error_count_ = 0;  // includes the errors that were not kept
};

}  // namespace sluice
