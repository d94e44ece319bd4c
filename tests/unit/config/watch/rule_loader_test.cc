#include "config/watch/rule_loader.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/fake_clock.h"
#include "support/rule_folder.h"

namespace sluice::testing {
namespace {

using Kind = RuleEvent::Kind;

std::string Rules(const std::string& limit) {
  return "domain: api\nrules:\n  - { name: all, limit: " + limit + " }\n";
}
constexpr char kBad[] = "domain: api\nrules:\n  - { name: all, limt: 1/s }\n";
constexpr char kBadProblem[] = "a.yaml:3:18: unknown key 'limt'; did you mean 'limit'?";

class RuleLoaderTest : public ::testing::Test {
 protected:
  using Read = Result<std::vector<RuleText>>;

  static Read File(std::string text) { return std::vector<RuleText>{{"a.yaml", std::move(text)}}; }

  void Write(std::string text) { file_ = File(std::move(text)); }

  Read ReadNext() {
    ++readings_;
    if (passing_.empty()) return file_;
    Read next = std::move(passing_.front());
    passing_.pop_front();
    return next;
  }

  Result<Done> Use(std::shared_ptr<const RuleSet> rules) {
    ++uses_;
    clock_.Advance(Nanos{5});
    if (!refusal_.empty()) return Error{refusal_};
    used_ = std::move(rules);
    return Done{};
  }

  FakeClock clock_{Time{Nanos{1000}}};
  Read file_ = Error{"no file yet"};
  std::deque<Read> passing_;  // read in order before file_
  int readings_ = 0;
  int uses_ = 0;
  int zones_asked_for_ = 0;
  std::string refusal_;
  std::shared_ptr<const RuleSet> used_;
  RuleEventLog log_;
  RuleLoader loader_{{.read = [this] { return ReadNext(); },
                      .zones =
                          [this](std::string_view) {
                            ++zones_asked_for_;
                            return nullptr;
                          },
                      .use = [this](auto rules) { return Use(std::move(rules)); },
                      .report = [this](const RuleEvent& event) { log_.Add(event); }},
                     clock_};
};

TEST_F(RuleLoaderTest, PutsValidRulesInForceAndPublishesThem) {
  EXPECT_FALSE(loader_.status()->in_force);
  Write(Rules("1/s"));
  EXPECT_EQ(loader_.Load(ReloadCause::kStart), LoadOutcome::kLoaded);
  ASSERT_NE(used_, nullptr);
  EXPECT_NE(used_->Find("api"), nullptr);
  const auto status = loader_.status();
  ASSERT_TRUE(status->in_force);
  EXPECT_EQ(status->in_force->hash, HashOf(file_.value()));
  EXPECT_EQ(status->in_force->loaded_at, Time{Nanos{1005}});
  EXPECT_EQ(status->in_force->load_time, Nanos{5});
  EXPECT_EQ(status->in_force->files, std::vector<std::string>{"a.yaml"});
  EXPECT_EQ(status->loads, 1U);
  EXPECT_EQ(status->failures, 0U);
  EXPECT_FALSE(status->failure);
  EXPECT_EQ(log_.LastText(), "rules loaded: 1 file, 1 domain, 1 rule, hash " +
                                 HexText(status->in_force->hash) + ", in 1 ms");
}

TEST_F(RuleLoaderTest, ReportsAndKeepsWarnings) {
  Write("domain: api\nrules:\n  - { name: all, per: [user], limit: 1/s }\n");
  EXPECT_EQ(loader_.Load(ReloadCause::kStart), LoadOutcome::kLoaded);
  ASSERT_EQ(loader_.status()->in_force->warnings.size(), 1U);
  const std::string& warning = loader_.status()->in_force->warnings[0];
  EXPECT_TRUE(warning.starts_with("a.yaml:3:")) << warning;
  EXPECT_EQ(log_.Count(Kind::kWarned), 1U);
  EXPECT_EQ(log_.LastText(), warning);
  EXPECT_TRUE(LoadedText(*loader_.status()).ends_with("ms; 1 warning"));
}

TEST_F(RuleLoaderTest, LogsTheFirstWarningsOfMany) {
  std::string text = "domain: api\nrules:\n";
  for (int i = 0; i < 30; ++i) {
    text += Concat("  - { name: a", i, ", match: { method: post }, per: ip, limit: 1/s }\n");
  }
  Write(text);
  EXPECT_EQ(loader_.Load(ReloadCause::kStart), LoadOutcome::kLoaded);
  EXPECT_EQ(loader_.status()->in_force->warnings.size(), 30U);
  EXPECT_EQ(log_.Count(Kind::kWarned), 21U);
  EXPECT_EQ(log_.LastText(), "and 10 more; `sluice rules check` prints all of them");
}

// Invariant (1).
TEST_F(RuleLoaderTest, KeepsLastValidRulesAndReportsInvalidFile) {
  Write(Rules("1/s"));
  loader_.Load(ReloadCause::kStart);
  const auto before = used_;
  Write(kBad);
  EXPECT_EQ(loader_.Load(ReloadCause::kChange), LoadOutcome::kFailed);
  EXPECT_EQ(used_, before);
  const auto status = loader_.status();
  EXPECT_EQ(status->loads, 1U);
  EXPECT_EQ(status->failures, 1U);
  ASSERT_TRUE(status->failure);
  EXPECT_EQ(status->failure->at, Time{Nanos{1005}});
  EXPECT_EQ(status->failure->problems, std::vector<std::string>{kBadProblem});
  EXPECT_EQ(log_.Count(Kind::kNotLoaded), 1U);
  EXPECT_EQ(log_.LastText(), std::string("rules not loaded: ") + kBadProblem +
                                 "; those with hash " + HexText(status->in_force->hash) +
                                 " stay in force");
  Write(Rules("2/s"));
  EXPECT_EQ(loader_.Load(ReloadCause::kChange), LoadOutcome::kLoaded);
  EXPECT_NE(used_, before);
  EXPECT_FALSE(loader_.status()->failure);
}

// Invariant (1).
TEST_F(RuleLoaderTest, LoadsNothingIfOneFileIsInvalid) {
  file_ = std::vector<RuleText>{{"a.yaml", kBad}, {"b.yaml", Rules("1/s")}};
  EXPECT_EQ(loader_.Load(ReloadCause::kStart), LoadOutcome::kFailed);
  EXPECT_EQ(uses_, 0);
}

// Invariant (1).
TEST_F(RuleLoaderTest, KeepsLastValidRulesIfFilesAreUnreadable) {
  Write(Rules("1/s"));
  loader_.Load(ReloadCause::kStart);
  file_ = Error{"cannot read 'a.yaml': Permission denied"};
  EXPECT_EQ(loader_.Load(ReloadCause::kChange), LoadOutcome::kFailed);
  EXPECT_EQ(loader_.status()->failure->problems[0], "cannot read 'a.yaml': Permission denied");
  EXPECT_EQ(uses_, 1);
}

TEST_F(RuleLoaderTest, LogsFirstProblemsAndKeepsAllInStatus) {
  std::string text = "domain: api\nrules:\n";
  for (int i = 0; i < 7; ++i) text += "  - { limt: 1/s }\n";
  Write(text);
  EXPECT_EQ(loader_.Load(ReloadCause::kChange), LoadOutcome::kFailed);
  const std::size_t count = loader_.status()->failure->problems.size();
  EXPECT_GE(count, 7U);
  const std::string more = "; and " + std::to_string(count - 5) + " more; none are in force";
  EXPECT_TRUE(log_.LastText().ends_with(more)) << log_.LastText();
}

TEST_F(RuleLoaderTest, LeavesStartupFailureToCaller) {
  Write(kBad);
  EXPECT_EQ(loader_.Load(ReloadCause::kStart), LoadOutcome::kFailed);
  EXPECT_EQ(log_.LastText(), "");
  EXPECT_EQ(loader_.status()->failures, 1U);
}

// Invariant (2).
TEST_F(RuleLoaderTest, RereadsFilesThatChangeWhileBeingRead) {
  passing_.push_back(File(kBad));
  passing_.push_back(File(Rules("1/s")));
  Write(Rules("2/s"));
  EXPECT_EQ(loader_.Load(ReloadCause::kStart), LoadOutcome::kLoaded);
  EXPECT_EQ(readings_, 4);
  EXPECT_EQ(loader_.status()->in_force->hash, HashOf(file_.value()));
}

// Invariant (2).
TEST_F(RuleLoaderTest, FailsIfFilesNeverSettle) {
  for (int i = 1; i < 20; ++i) passing_.push_back(File(Rules(std::to_string(i) + "/s")));
  EXPECT_EQ(loader_.Load(ReloadCause::kStart), LoadOutcome::kFailed);
  EXPECT_EQ(loader_.status()->failure->problems[0], "the files keep changing while they are read");
}

// Invariant (2).
TEST_F(RuleLoaderTest, FailsIfFileVanishesBetweenReads) {
  passing_.push_back(File(Rules("1/s")));
  passing_.push_back(Error{"gone"});
  EXPECT_EQ(loader_.Load(ReloadCause::kStart), LoadOutcome::kFailed);
  EXPECT_EQ(loader_.status()->failure->problems[0], "gone");
}

// Invariant (3).
TEST_F(RuleLoaderTest, KeepsUnchangedRulesInForce) {
  Write(Rules("1/s"));
  loader_.Load(ReloadCause::kStart);
  EXPECT_EQ(loader_.Load(ReloadCause::kChange), LoadOutcome::kUnchanged);
  EXPECT_EQ(log_.Count(Kind::kUnchanged), 0U);
  EXPECT_EQ(loader_.Load(ReloadCause::kRequest), LoadOutcome::kUnchanged);
  EXPECT_EQ(log_.Count(Kind::kUnchanged), 1U);
  EXPECT_EQ(uses_, 1);
  EXPECT_EQ(loader_.status()->loads, 1U);
  EXPECT_EQ(loader_.status()->unchanged, 2U);
}

// Invariant (3).
TEST_F(RuleLoaderTest, RecoversWhenInvalidFileIsReverted) {
  Write(Rules("1/s"));
  loader_.Load(ReloadCause::kStart);
  Write(kBad);
  loader_.Load(ReloadCause::kChange);
  Write(Rules("1/s"));
  EXPECT_EQ(loader_.Load(ReloadCause::kChange), LoadOutcome::kUnchanged);
  EXPECT_FALSE(loader_.status()->failure);
  EXPECT_EQ(log_.Count(Kind::kUnchanged), 0U);
  EXPECT_EQ(log_.Count(Kind::kRecovered), 1U);
  EXPECT_TRUE(log_.LastText().ends_with("; the files say what is in force again"));
  EXPECT_EQ(uses_, 1);
}

// Invariant (4).
TEST_F(RuleLoaderTest, ReportsNothingIfCheckFindsNoChange) {
  Write(Rules("1/s"));
  loader_.Load(ReloadCause::kStart);
  EXPECT_EQ(loader_.Load(ReloadCause::kLook), LoadOutcome::kUnchanged);
  EXPECT_EQ(loader_.status()->unchanged, 0U);
  Write(kBad);
  loader_.Load(ReloadCause::kChange);
  EXPECT_EQ(loader_.Load(ReloadCause::kLook), LoadOutcome::kFailed);
  file_ = Error{"gone"};
  loader_.Load(ReloadCause::kChange);
  EXPECT_EQ(loader_.Load(ReloadCause::kLook), LoadOutcome::kFailed);
  EXPECT_EQ(loader_.status()->failures, 2U);
  EXPECT_EQ(log_.Count(Kind::kNotLoaded), 2U);
  EXPECT_EQ(loader_.Load(ReloadCause::kRequest), LoadOutcome::kFailed);
  EXPECT_EQ(log_.Count(Kind::kNotLoaded), 3U);
}

TEST_F(RuleLoaderTest, ChecksInvalidRulesOnlyOnce) {
  Write(Rules("{ rate: 1/d, algorithm: fixed_window, window: calendar, zone: Mars/Olympus }"));
  EXPECT_EQ(loader_.Load(ReloadCause::kChange), LoadOutcome::kFailed);
  const int before = zones_asked_for_;
  EXPECT_GT(before, 0);
  EXPECT_EQ(loader_.Load(ReloadCause::kLook), LoadOutcome::kFailed);
  EXPECT_EQ(zones_asked_for_, before);
  EXPECT_EQ(loader_.Load(ReloadCause::kRequest), LoadOutcome::kFailed);
  EXPECT_GT(zones_asked_for_, before);
}

TEST_F(RuleLoaderTest, LeavesNewFilesOfCheckToDebouncer) {
  Write(Rules("1/s"));
  loader_.Load(ReloadCause::kStart);
  Write(Rules("2/s"));
  EXPECT_EQ(loader_.Load(ReloadCause::kLook), LoadOutcome::kDiffers);
  EXPECT_EQ(uses_, 1);
  EXPECT_EQ(loader_.Load(ReloadCause::kChange), LoadOutcome::kLoaded);
}

TEST_F(RuleLoaderTest, RetriesRefusedRulesOnCheck) {
  Write(Rules("1/s"));
  refusal_ = "no room";
  EXPECT_EQ(loader_.Load(ReloadCause::kChange), LoadOutcome::kFailed);
  EXPECT_EQ(loader_.status()->failure->problems[0], "no room");
  EXPECT_EQ(loader_.Load(ReloadCause::kLook), LoadOutcome::kFailed);
  EXPECT_EQ(uses_, 2);
  EXPECT_EQ(log_.Count(Kind::kNotLoaded), 1U);
  refusal_.clear();
  EXPECT_EQ(loader_.Load(ReloadCause::kLook), LoadOutcome::kLoaded);
}

// Invariant (5).
TEST_F(RuleLoaderTest, FreesRuleSetThatReaderReleasedLast) {
  Write(Rules("1/s"));
  loader_.Load(ReloadCause::kStart);
  std::shared_ptr<const RuleSet> held = used_;
  const std::weak_ptr<const RuleSet> watched = held;
  Write(Rules("2/s"));
  loader_.Load(ReloadCause::kChange);
  loader_.Load(ReloadCause::kLook);
  held.reset();
  EXPECT_FALSE(watched.expired());
  loader_.Load(ReloadCause::kLook);
  EXPECT_TRUE(watched.expired());
}

TEST_F(RuleLoaderTest, ReportsWatchFaultOnce) {
  loader_.SetWatchFault("", "read every 5 s");
  EXPECT_EQ(log_.Count(Kind::kNotWatched), 0U);
  for (int i = 0; i < 2; ++i) loader_.SetWatchFault("cannot watch", "read every 5 s");
  EXPECT_EQ(log_.Count(Kind::kNotWatched), 1U);
  EXPECT_EQ(log_.LastText(), "cannot watch; read every 5 s");
  EXPECT_EQ(loader_.status()->watch_fault, "cannot watch");
  loader_.SetWatchFault("", "read every 5 s");
  EXPECT_EQ(loader_.status()->watch_fault, "");
}

}  // namespace
}  // namespace sluice::testing
