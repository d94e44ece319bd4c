// RuleFixture: loads rule files as they are written, with a gate, a store and a fake clock.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/rules/read_rules.h"
#include "gate/gate_session.h"
#include "limiter/system_zones.h"
#include "support/fake_clock.h"

namespace sluice::testing {

using Entries = std::vector<Attribute>;

// One set of attributes of a call; in RLS, a descriptor.
struct Asked {
  Entries entries;
  std::int64_t cost = 1;
  Purpose purpose = Purpose::kTake;
  std::optional<LimitOverride> limit = std::nullopt;
};

inline Asked Take(Entries entries, std::int64_t cost = 1) { return {std::move(entries), cost}; }
inline Asked Look(Entries entries, std::int64_t cost = 1) {
  return {std::move(entries), cost, Purpose::kLook};
}
inline Asked GiveBack(Entries entries, std::int64_t cost = 1) {
  return {std::move(entries), cost, Purpose::kGiveBack};
}
inline Asked Bring(LimitOverride limit, Entries entries, std::int64_t cost = 1) {
  return {std::move(entries), cost, Purpose::kTake, limit};
}

class RuleFixture : public ::testing::Test {
 protected:
  RuleFixture() : store_(MemoryStore::Create({.seed = {1, 2}}).value()), gate_(*store_, clock_) {
    // Starts at a time at which no window of any unit begins.
    clock_.Set(Time{std::chrono::sys_days{std::chrono::year{2026} / 3 / 4}} +
               std::chrono::hours{15} + std::chrono::milliseconds{6'007'089});
  }

  // Puts the files into effect if they have no errors. Returns their problems, one per line.
  std::string Load(const std::vector<RuleText>& files) {
    ReadRulesResult read = ReadAndCheckRules(files, SystemZones());
    std::string said;
    for (const ConfigProblem& problem : read.problems)
      said += Describe(read.spec.files, problem) + "\n";
    if (HasErrors(read.problems)) return said;
    const Result<Done> used = gate_.Use(RuleSet::Make(std::move(read.spec)));
    return used.ok() ? said : said + used.error().message;
  }
  std::string Load(std::string_view text) { return Load({{"rules.yaml", std::string(text)}}); }

  // Decides a call. The verdict is valid until the next call.
  const Verdict& Decide(const std::vector<Asked>& call) {
    std::vector<AttributeSet> sets;
    sets.reserve(call.size());
    for (const Asked& each : call) {
      sets.push_back({each.entries, Cost{each.cost}, each.purpose, each.limit});
    }
    session_.Decide({domain_, sets}, verdict_);
    return verdict_;
  }
  bool Passes(const Entries& entries, std::int64_t cost = 1) {
    return Decide({Take(entries, cost)}).allowed();
  }
  // Returns how many of `times` requests pass.
  int CountPassing(int times, const Entries& entries) {
    int passing = 0;
    for (int i = 0; i < times; ++i) passing += Passes(entries) ? 1 : 0;
    return passing;
  }
  // Returns the only decision of a peek.
  Decision LookAt(const Entries& entries) {
    const Verdict& verdict = Decide({Look(entries)});
    if (verdict.decisions().size() == 1) return verdict.decisions()[0].decision;
    ADD_FAILURE() << verdict.decisions().size() << " limits apply";
    return {};
  }
  std::int64_t Left(const Entries& entries) { return LookAt(entries).remaining; }

  FakeClock clock_;
  std::unique_ptr<MemoryStore> store_;
  Gate gate_;
  GateSession session_{gate_};
  Verdict verdict_;
  std::string domain_ = "api";
};

}  // namespace sluice::testing
