// Rule sets that swap while threads decide.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "config/read_rules.h"
#include "gate/gate_session.h"
#include "support/fake_clock.h"

namespace sluice::testing {
namespace {

constexpr int kThreads = 8;
constexpr int kRequests = 300;  // of each thread and user
constexpr int kUsers = 5;

// The rule that is watched is in both, with others before, after and around it.
constexpr std::array<std::string_view, 3> kFiles = {
    "domain: api\nrules:\n"
    "  - { name: before, match: { path: /a }, per: [user], limit: 9/s }\n"
    "  - { name: watched, per: [user], limit: 1000/h }\n",
    "domain: api\nrules:\n  - { name: watched, limt: 1000/h }\n",  // refused
    "domain: api\nrules:\n"
    "  - { name: watched, per: [user], limit: 1000/h }\n"
    "  - { name: after, per: [user], limit: [5/m, 10/d], mode: shadow }\n",
};

class ReloadTest : public ::testing::Test {
 protected:
  ReloadTest()
      : store_(MemoryStore::Create({.memory_bytes = 64U << 20U, .seed = {1, 2}}).value()),
        gate_(*store_, clock_) {}

  // Whether the file was good and is now in force.
  bool Load(std::string_view text) {
    const std::vector<RuleText> texts = {{"rules.yaml", std::string(text)}};
    ReadRulesResult read = ReadAndCheckRules(texts, {});
    if (HasErrors(read.problems)) return false;
    return gate_.Use(RuleSet::Make(std::move(read.spec))).ok();
  }

  // One thread's requests; how many were allowed.
  int Ask(const std::string& user) {
    GateSession session(gate_);
    Verdict verdict;
    const std::vector<Attribute> attributes = {{"user", user}, {"path", "/b"}};
    const AttributeSet set{attributes, Cost{1}};
    int allowed = 0;
    for (int i = 0; i < kRequests; ++i) {
      session.Decide({"api", {&set, 1}}, verdict);
      if (verdict.decisions().empty()) ADD_FAILURE() << "the watched rule did not apply";
      allowed += verdict.allowed() ? 1 : 0;
    }
    return allowed;
  }

  FakeClock clock_;
  std::unique_ptr<MemoryStore> store_;
  Gate gate_;
};

TEST_F(ReloadTest, NoDecisionIsWrongAndNoStateLostWhileFilesOfWhichSomeAreBadComeAndGo) {
  ASSERT_TRUE(Load(kFiles[0]));
  std::atomic<bool> done = false;
  int loaded = 0;
  int refused = 0;
  std::thread loader([&] {
    for (std::size_t i = 0; !done.load() || loaded < 20; ++i) {
      (Load(kFiles[i % kFiles.size()]) ? loaded : refused) += 1;
    }
  });
  for (int user = 0; user < kUsers; ++user) {
    std::atomic<int> allowed = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] { allowed += Ask("user " + std::to_string(user)); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(allowed.load(), 1000);
  }
  done = true;
  loader.join();
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace sluice::testing
