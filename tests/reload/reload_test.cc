// Tests of rule files that change while threads decide.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "config/watch/live_rules.h"
#include "gate/gate_session.h"
#include "support/fake_clock.h"
#include "support/rule_folder.h"

namespace sluice::testing {
namespace {

using Kind = RuleEvent::Kind;

constexpr int kThreads = 8;
constexpr int kRequests = 300;  // per thread and user, at least
constexpr int kUsers = 5;
constexpr std::size_t kLoads = 4;  // while requests of one user are decided, at least

// The watched rule is in both valid files, with other rules before and after it.
constexpr std::array<std::string_view, 3> kFiles = {
    "domain: api\nrules:\n"
    "  - { name: before, match: { path: /a }, per: [user], limit: 9/s }\n"
    "  - { name: watched, per: [user], limit: 1000/h }\n",
    "domain: api\nrules:\n  - { name: watched, limt: 1000/h }\n",  // rejected
    "domain: api\nrules:\n"
    "  - { name: watched, per: [user], limit: 1000/h }\n"
    "  - { name: after, per: [user], limit: [5/m, 10/d], mode: shadow }\n",
};

// Rules in a file that a thread watches, with a clock that does not advance for their limits.
class ReloadTest : public ::testing::Test {
 protected:
  ReloadTest()
      : store_(MemoryStore::Create({.memory_bytes = 64U << 20U, .seed = {1, 2}}).value()),
        gate_(*store_, clock_) {}
  ~ReloadTest() override {
    if (!follower_.joinable()) return;
    live_->Stop();
    follower_.join();
  }

  void Start(std::string_view text) {
    Write(text);
    LiveRulesOptions options;
    options.paths = {folder_.Path()};
    options.use = [this](auto rules) { return gate_.Use(std::move(rules)); };
    options.report = [this](const RuleEvent& event) { log_.Add(event); };
    options.times.settle.quiet = std::chrono::milliseconds{1};
    auto made = LiveRules::Create(options, DirectoryWatch::Create(options.paths), *system_);
    ASSERT_TRUE(made.ok());
    live_ = std::move(made).value();
    ASSERT_TRUE(live_->Load().ok());
    follower_ = std::thread([this] { EXPECT_TRUE(live_->Run().ok()); });
  }

  void Write(std::string_view text) { folder_.Replace("rules.yaml", std::string(text)); }

  // Writes the text to the file and waits until it is in force.
  void Reload(std::string_view text) {
    const std::size_t loads = log_.Count(Kind::kLoaded);
    Write(text);
    ASSERT_TRUE(log_.Await(Kind::kLoaded, loads + 1));
  }

  // Makes one thread's requests until `loads` rule sets have been loaded. Returns how many were
  // allowed.
  int Ask(const std::string& user, std::size_t loads) {
    GateSession session(gate_);
    Verdict verdict;
    const std::vector<Attribute> attributes = {{"user", user}, {"path", "/b"}};
    const AttributeSet set{attributes, Cost{1}};
    int allowed = 0;
    for (int i = 0; i < kRequests || log_.Count(Kind::kLoaded) < loads; ++i) {
      session.Decide({"api", {&set, 1}}, verdict);
      if (verdict.decisions().empty()) ADD_FAILURE() << "the watched rule did not apply";
      allowed += verdict.allowed() ? 1 : 0;
    }
    return allowed;
  }

  // Returns whether `cost` more units pass.
  bool Check(std::int64_t cost = 1) {
    const std::vector<Attribute> attributes = {{"user", "42"}};
    const AttributeSet set{attributes, Cost{cost}};
    session_.Decide({"api", {&set, 1}}, verdict_);
    return verdict_.allowed();
  }

  FakeClock clock_;
  std::unique_ptr<Clock> system_ = MakeSystemClock();
  std::unique_ptr<MemoryStore> store_;
  Gate gate_;
  GateSession session_{gate_};
  Verdict verdict_;
  RuleFolder folder_;
  RuleEventLog log_;
  std::unique_ptr<LiveRules> live_;
  std::thread follower_;
};

TEST_F(ReloadTest, DecidesCorrectlyWhileValidAndInvalidFilesAreLoaded) {
  Start(kFiles[0]);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    std::size_t loaded = 1;
    std::size_t refused = 0;
    for (std::size_t i = 1; !done.load(); ++i) {
      Write(kFiles[i % kFiles.size()]);
      if (i % kFiles.size() == 1) {
        ASSERT_TRUE(log_.Await(Kind::kNotLoaded, ++refused));
      } else {
        if (i % kFiles.size() == 2) live_->RequestReload();
        ASSERT_TRUE(log_.Await(Kind::kLoaded, ++loaded));
      }
    }
  });
  for (int user = 0; user < kUsers; ++user) {
    std::atomic<int> allowed = 0;
    const std::size_t loads = log_.Count(Kind::kLoaded) + kLoads;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] { allowed += Ask("user " + std::to_string(user), loads); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(allowed.load(), 1000);
  }
  done = true;
  writer.join();
  const auto status = live_->status();
  EXPECT_GE(status->loads, kUsers * kLoads);
  EXPECT_GE(status->failures, kUsers * kLoads / 2 - 1);
}

TEST_F(ReloadTest, UnchangedLimitKeepsItsState) {
  Start("domain: api\nrules:\n  - { name: all, per: [user], limit: 2/h }\n");
  EXPECT_TRUE(Check(2));
  Reload(
      "domain: api\nrules:\n  - { name: new, per: [user], limit: 9/h }\n"
      "  - { name: all, per: [user], limit: 2/h }\n");
  EXPECT_FALSE(Check());
  EXPECT_EQ(verdict_.decisions().size(), 2U);
}

TEST_F(ReloadTest, CarriesUsedUnitsOverToChangedTerms) {
  Start("domain: api\nrules:\n  - { name: all, per: [user], limit: 2/h }\n");
  EXPECT_TRUE(Check(2));
  EXPECT_FALSE(Check());
  Reload("domain: api\nrules:\n  - { name: all, per: [user], limit: 4/h }\n");
  EXPECT_TRUE(Check(2));
  EXPECT_FALSE(Check());
  Reload("domain: api\nrules:\n  - { name: all, per: [user], limit: 3/h }\n");
  EXPECT_FALSE(Check());
}

}  // namespace
}  // namespace sluice::testing
