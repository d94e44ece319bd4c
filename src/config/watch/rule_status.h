// RuleStatus: the rules in force and the result of the last attempt to load new ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/rules/rule_summary.h"
#include "sluice/time.h"

namespace sluice {

struct RulesInForce {
  RuleHash hash;
  Time loaded_at{};
  Nanos load_time{0};              // for reading, checking, compiling and putting in force
  std::string count;               // "3 files, 1 domain, 8 rules, 2 descriptors"
  std::vector<std::string> files;  // their names, in the order in which they were read
  std::vector<std::string> warnings;
};

struct LoadFailure {
  Time at{};
  std::vector<std::string> problems;  // one per line, as `sluice rules check` prints them
};

// Plain data without synchronization.
struct RuleStatus {
  std::optional<RulesInForce> in_force;  // none before the first load
  std::optional<LoadFailure> failure;    // why the current files are not in force
  std::uint64_t loads = 0;
  std::uint64_t failures = 0;
  std::uint64_t unchanged = 0;  // reloads that found the rules in force unchanged
  std::string watch_fault;      // why changes may be noticed late; empty if they are not
};

// An event for the log.
struct RuleEvent {
  enum class Kind : std::uint8_t {
    kLoaded,
    kWarned,     // a warning about the rules just loaded; follows kLoaded
    kUnchanged,  // a requested reload found the rules in force unchanged
    kRecovered,  // after a failure, the files match the rules in force again
    kNotLoaded,
    kNotWatched,
  };
  Kind kind = Kind::kLoaded;
  std::string text;  // one line; lists only the first of many problems, the status has all
};

// Returns "rules loaded: 1 file, 1 domain, 2 rules, hash 0123456789abcdef, in 3 ms", followed by
// the number of warnings if there are any. REQUIRES: rules are in force.
std::string LoadedText(const RuleStatus& status);

// Returns the warnings about the rules in force as log lines: the first few, and the number of the
// others. REQUIRES: rules are in force.
std::vector<std::string> WarningTexts(const RuleStatus& status);

// Returns "rules not loaded: a.yaml:3:5: unknown key 'limt'; those with hash 0123456789abcdef stay
// in force". REQUIRES: there is a failure.
std::string NotLoadedText(const RuleStatus& status);

}  // namespace sluice
