// Tests LiveRules with real files, a real watch and a thread that runs it.
#include "config/watch/live_rules.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "support/fake_clock.h"
#include "support/rule_folder.h"

namespace sluice::testing {
namespace {

namespace fs = std::filesystem;
using Kind = RuleEvent::Kind;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string Rules(int limit) {
  return "domain: api\nrules:\n  - { name: all, limit: " + std::to_string(limit) + "/s }\n";
}
constexpr char kBad[] = "domain: api\nrules:\n  - { name: all, limt: 1/s }\n";

// Long intervals, so that no retry or periodic check interferes unless a test shortens them.
constexpr ReloadDelays kSettle = {
    .quiet = milliseconds{5}, .longest = seconds{2}, .pauses = {hours{1}, hours{1}, hours{1}}};

class LiveRulesTest : public ::testing::Test {
 protected:
  LiveRulesTest() {
    options_.use = [this](std::shared_ptr<const RuleSet> rules) { return Use(std::move(rules)); };
    options_.report = [this](const RuleEvent& event) { log_.Add(event); };
    options_.times.settle = kSettle;
    options_.times.look_every = hours{1};
    options_.times.look_every_unwatched = hours{1};
  }
  ~LiveRulesTest() override { Stop(); }

  void Create(Clock& clock) {
    if (options_.paths.empty()) options_.paths = {folder_.Path()};
    Create(clock, DirectoryWatch::Create(options_.paths));
  }
  void Create(Clock& clock, Result<std::unique_ptr<DirectoryWatch>> watch) {
    if (options_.paths.empty()) options_.paths = {folder_.Path()};
    auto made = LiveRules::Create(options_, std::move(watch), clock);
    ASSERT_TRUE(made.ok()) << made.error().message;
    live_ = std::move(made).value();
  }
  void Run() {
    thread_ = std::thread([this] { EXPECT_TRUE(live_->Run().ok()); });
  }
  // Starts with a first rule file.
  void Start(Clock& clock) {
    folder_.Write("a.yaml", Rules(1));
    Create(clock);
    const Result<Done> loaded = live_->Load();
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    Run();
  }
  void Start() { Start(*system_); }
  void Stop() {
    if (!thread_.joinable()) return;
    live_->Stop();
    thread_.join();
  }

  Result<Done> Use(std::shared_ptr<const RuleSet> rules) {
    const std::lock_guard guard(mutex_);
    if (refusals_ > 0) {
      --refusals_;
      return Error{"no room"};
    }
    used_ = std::move(rules);
    return Done{};
  }

  // Returns the limit in force, in units per second.
  std::int64_t InForce() {
    const std::lock_guard guard(mutex_);
    return used_->limits()[0].limit->spec.rate->count;
  }

  [[nodiscard]] bool AwaitLoads(std::size_t count) { return log_.Await(Kind::kLoaded, count); }

  RuleFolder folder_;
  std::unique_ptr<Clock> system_ = MakeSystemClock();
  FakeClock fake_;
  RuleEventLog log_;
  LiveRulesOptions options_;
  std::unique_ptr<LiveRules> live_;
  std::thread thread_;

  std::mutex mutex_;
  int refusals_ = 0;                     // guarded by mutex_
  std::shared_ptr<const RuleSet> used_;  // guarded by mutex_
};

TEST_F(LiveRulesTest, LoadsFileEditedInPlace) {
  Start();
  folder_.Write("a.yaml", Rules(2));
  ASSERT_TRUE(AwaitLoads(2));
  EXPECT_EQ(InForce(), 2);
}

TEST_F(LiveRulesTest, LoadsFileReplacedByRename) {
  Start();
  for (int i = 2; i < 5; ++i) {
    folder_.Replace("a.yaml", Rules(i));
    ASSERT_TRUE(AwaitLoads(static_cast<std::size_t>(i)));
    EXPECT_EQ(InForce(), i);
  }
}

TEST_F(LiveRulesTest, LoadsSwappedKubernetesVolume) {
  folder_.Mount("..2026_1", "a.yaml", Rules(1));
  Create(*system_);
  ASSERT_TRUE(live_->Load().ok());
  Run();
  for (int i = 2; i < 5; ++i) {
    folder_.Mount("..2026_" + std::to_string(i), "a.yaml", Rules(i));
    ASSERT_TRUE(AwaitLoads(static_cast<std::size_t>(i)));
    EXPECT_EQ(InForce(), i);
  }
}

TEST_F(LiveRulesTest, IgnoresHalfWrittenFile) {
  Start();
  const std::string whole = Rules(2);
  folder_.Write("a.yaml", whole.substr(0, whole.size() / 2));
  ASSERT_TRUE(log_.Await(Kind::kNotLoaded, 1));
  EXPECT_EQ(InForce(), 1);
  folder_.Write("a.yaml", whole);
  ASSERT_TRUE(AwaitLoads(2));
  EXPECT_EQ(InForce(), 2);
  EXPECT_FALSE(live_->status()->failure);
}

TEST_F(LiveRulesTest, KeepsOldRulesWhileOneFileIsInvalid) {
  Start();
  folder_.Write("b.yaml", kBad);
  ASSERT_TRUE(log_.Await(Kind::kNotLoaded, 1));
  folder_.Write("a.yaml", Rules(2));
  ASSERT_TRUE(log_.Await(Kind::kNotLoaded, 2));
  EXPECT_EQ(InForce(), 1);
  EXPECT_TRUE(live_->status()->failure);
  fs::remove(folder_.Path("b.yaml"));
  ASSERT_TRUE(AwaitLoads(2));
  EXPECT_EQ(InForce(), 2);
}

TEST_F(LiveRulesTest, KeepsOldRulesWhileDirectoryIsMissing) {
  Start();
  fs::remove_all(folder_.Path());
  ASSERT_TRUE(log_.Await(Kind::kNotLoaded, 1));
  EXPECT_EQ(InForce(), 1);
  fs::create_directory(folder_.Path());
  folder_.Write("a.yaml", Rules(2));
  ASSERT_TRUE(AwaitLoads(2));
  EXPECT_EQ(InForce(), 2);
}

TEST_F(LiveRulesTest, LoadsManyQuickChangesOnce) {
  Start(fake_);
  for (int i = 2; i <= 200; ++i) folder_.Write("a.yaml", Rules(i));
  int waits = 0;
  do {
    fake_.Advance(kSettle.quiet);
  } while (!log_.Await(Kind::kLoaded, 2, milliseconds{20}) && ++waits < 1500);
  Stop();
  EXPECT_EQ(InForce(), 200);
  EXPECT_EQ(live_->status()->loads, 2U);
  EXPECT_EQ(live_->status()->unchanged, 0U);
}

// A global, because a signal handler has no argument for it.
std::atomic<LiveRules*> reloaded_on_signal = nullptr;

TEST_F(LiveRulesTest, ReloadsAtOnceOnSighup) {
  Start(fake_);
  reloaded_on_signal = live_.get();
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { reloaded_on_signal.load()->RequestReload(); };
  ASSERT_EQ(sigaction(SIGHUP, &action, &before), 0);
  folder_.Write("a.yaml", Rules(2));
  raise(SIGHUP);
  EXPECT_TRUE(AwaitLoads(2));
  EXPECT_EQ(InForce(), 2);
  raise(SIGHUP);
  EXPECT_TRUE(log_.Await(Kind::kUnchanged, 1));
  ASSERT_EQ(sigaction(SIGHUP, &before, nullptr), 0);
}

TEST_F(LiveRulesTest, RetriesRefusedRulesWithoutChange) {
  options_.times.settle.pauses = {milliseconds{1}, milliseconds{1}, milliseconds{1}};
  Start();
  {
    const std::lock_guard guard(mutex_);
    refusals_ = 5;
  }
  folder_.Replace("a.yaml", Rules(2));
  ASSERT_TRUE(AwaitLoads(2));
  EXPECT_EQ(InForce(), 2);
  EXPECT_EQ(log_.Count(Kind::kNotLoaded), 1U);
}

// FileWatcher's invariant (1).
TEST_F(LiveRulesTest, HandlesRequestsMadeBeforeRun) {
  folder_.Write("a.yaml", Rules(1));
  Create(fake_);
  live_->RequestReload();
  Run();
  EXPECT_TRUE(AwaitLoads(1));
  Stop();
  Create(fake_);
  live_->Stop();
  EXPECT_TRUE(live_->Run().ok());
}

// FileWatcher's invariant (2).
TEST_F(LiveRulesTest, NoticesChangeBetweenLoadAndRun) {
  folder_.Write("a.yaml", Rules(1));
  options_.paths = {folder_.Path()};
  for (const bool watched : {true, false}) {
    Create(*system_, watched ? DirectoryWatch::Create(options_.paths) : Error{"no watch"});
    ASSERT_TRUE(live_->Load().ok());
    folder_.Write("a.yaml", Rules(2));
    Run();
    ASSERT_TRUE(AwaitLoads(watched ? 2 : 4));
    EXPECT_EQ(InForce(), 2);
    Stop();
    folder_.Write("a.yaml", Rules(1));
  }
}

TEST_F(LiveRulesTest, PollsFilesWithoutWatch) {
  options_.times.look_every_unwatched = milliseconds{1};
  folder_.Write("a.yaml", Rules(1));
  Create(*system_, Error{"no watch"});
  ASSERT_TRUE(live_->Load().ok());
  EXPECT_EQ(live_->status()->watch_fault, "no watch");
  EXPECT_EQ(log_.Count(Kind::kNotWatched), 1U);
  Run();
  for (int i = 2; i < 5; ++i) {
    folder_.Replace("a.yaml", Rules(i));
    ASSERT_TRUE(AwaitLoads(static_cast<std::size_t>(i)));
    EXPECT_EQ(InForce(), i);
  }
  folder_.Replace("a.yaml", kBad);
  ASSERT_TRUE(log_.Await(Kind::kNotLoaded, 1));
}

TEST_F(LiveRulesTest, PollsWatchedFilesToo) {
  options_.times.look_every = milliseconds{1};
  folder_.Write("a.yaml", Rules(1));
  fs::create_directory(folder_.Path("elsewhere"));
  Create(*system_, DirectoryWatch::Create({folder_.Path("elsewhere")}));
  ASSERT_TRUE(live_->Load().ok());
  Run();
  for (int i = 2; i < 5; ++i) {
    folder_.Replace("a.yaml", Rules(i));
    ASSERT_TRUE(AwaitLoads(static_cast<std::size_t>(i)));
  }
}

TEST_F(LiveRulesTest, ReportsAllProblemsOfFirstLoad) {
  folder_.Write("a.yaml", kBad);
  folder_.Write("b.yaml", "domain: web\nrules: 7\n");
  Create(fake_);
  const Result<Done> loaded = live_->Load();
  ASSERT_FALSE(loaded.ok());
  const std::string& message = loaded.error().message;
  EXPECT_NE(message.find(folder_.Path("a.yaml") + ":3:18: unknown key"), std::string::npos);
  EXPECT_NE(message.find("\n" + folder_.Path("b.yaml") + ":2:8: "), std::string::npos) << message;
  EXPECT_FALSE(live_->status()->in_force);
}

}  // namespace
}  // namespace sluice::testing
