// RuleStatus: which rules are in force, and what became of the last attempt to load others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/rule_summary.h"
#include "sluice/time.h"

namespace sluice {

struct RulesInForce {
  RuleHash hash;
  Time loaded_at{};
  Nanos load_time{0};              // reading, checking, compiling and handing over
  std::string count;               // "3 files, 1 domain, 8 rules, 2 descriptors"
  std::vector<std::string> files;  // their names, in order
  std::vector<std::string> warnings;
};

struct LoadFailure {
  Time at{};
  std::vector<std::string> problems;  // one a line, as `sluice rules check` prints them
};

// A value.
struct RuleStatus {
  std::optional<RulesInForce> in_force;  // none before the first load
  std::optional<LoadFailure> failure;    // why what the files say now is not in force
  std::uint64_t loads = 0;
  std::uint64_t failures = 0;
  std::uint64_t unchanged = 0;  // reloads that found the rules that are in force
  std::string watch_fault;      // why changes may be noticed late; empty where they are not
};

// Something for a log.
struct RuleEvent {
  enum class Kind : std::uint8_t {
    kLoaded,
    kWarned,     // one warning about the rules that were loaded; after kLoaded
    kUnchanged,  // a request found the rules that are in force
    kRecovered,  // the files say what is in force again, after a failure
    kNotLoaded,
    kNotWatched,
  };
  Kind kind = Kind::kLoaded;
  std::string text;  // one line; of many problems the first, the status has them all
};

// "rules loaded: 1 file, 1 domain, 2 rules, hash 0123456789abcdef, in 3 ms"; the number of
// warnings follows.
// REQUIRES: rules are in force.
std::string LoadedText(const RuleStatus& status);

// The warnings about the rules in force for the log: the first few, and how many more there are.
// REQUIRES: rules are in force.
std::vector<std::string> WarningTexts(const RuleStatus& status);

// "rules not loaded: a.yaml:3:5: unknown key 'limt'; those with hash 0123456789abcdef stay in
// force". REQUIRES: there is a failure.
std::string NotLoadedText(const RuleStatus& status);

}  // namespace sluice
