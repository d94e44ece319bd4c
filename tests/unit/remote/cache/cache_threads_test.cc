// Workers of one process on several threads: units that they share are spent once.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "net/loop/event_loop.h"
#include "remote/cache/redis_cache.h"
#include "support/fake_clock.h"
#include "unit/remote/cache/redis_cache_environment.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using testing::FakeClock;
using testing::FakeRedis;
using testing::TermsOf;

// One Redis for all threads. The time advances with each call.
struct SharedRedis {
  std::mutex mutex;
  FakeRedis redis;
  FakeClock clock{Time{std::chrono::hours{1000}}};
};

// A worker whose calls are answered on its thread when the test says so.
class Worker final : public RemoteStore {
 public:
  Worker(SharedRedis& there, RedisCache& shared)
      : there_(there), near_(shared, loop_, there.clock) {
    near_.Begin(*this);
  }

  bool Decide(RemoteCall& call, RemoteListener& listener) override {
    under_way_.push_back({&call, &listener, there_.clock.Now()});
    return true;
  }
  void OnNotAsked() override {}

  // Makes one request, and from time to time answers all calls in flight.
  void Step(const RemoteItem& item, CacheMode cache_mode, std::size_t step) {
    Decision decision;
    there_.clock.Advance(microseconds{20});
    const Time now = there_.clock.Now();
    if (near_.Take(item, cache_mode, now, decision) == NodeCache::Answer::kDecided) {
      if (decision.allowed) units += item.cost.units;
      if (decision.allowed && step % 7 == 0) {
        near_.GiveBack(item, {cache_mode, now}, now, decision);
        units -= item.cost.units;
      }
    } else {
      RemoteCall call;
      call.items = {item};
      DecideThere(call, now);
      if (call.decisions.front().allowed) units += item.cost.units;
    }
    if (step % 50 == 0) Pump();
    if (step % 1000 == 999) near_.Forget({.high = step, .low = step}, Operation::kReset);
  }
  void Keep() {
    near_.EndLeases();
    near_.SyncCounts();
    Pump();
  }
  void ReturnAll() {
    near_.ReturnAll([] {});
    Pump();
  }
  void BeginToReturn(EventLoop::Call done) {
    near_.ReturnAll(std::move(done));
    RunLoop();
  }
  // Runs the loop until queued calls have been sent.
  void RunLoop() {
    loop_.Post([this] { loop_.End(); });
    loop_.Run();
  }
  void AnswerAll() {
    std::vector<UnderWay> answered;
    answered.swap(under_way_);
    for (const UnderWay& each : answered) {
      DecideThere(*each.call, each.sent_at);
      each.listener->OnAnswer(*each.call, RemoteOutcome::kDecided);
    }
  }

  std::int64_t units = 0;

 private:
  struct UnderWay {
    RemoteCall* call;
    RemoteListener* listener;
    Time sent_at;
  };

  void DecideThere(RemoteCall& call, Time sent_at) {
    std::vector<FakeRedis::Seen> seen;
    {
      const std::lock_guard lock(there_.mutex);
      seen = there_.redis.Decide(call, there_.clock.Now());
    }
    for (FakeRedis::Seen& each : seen) {
      near_.OnDecided({call, each.item, each.decision, each.state, call.decided_at, sent_at});
    }
  }
  void Pump() {
    for (int round = 0; round < 2; ++round) {
      RunLoop();
      AnswerAll();
    }
  }

  SharedRedis& there_;
  EventLoop loop_;
  RedisCacheWorker near_;
  std::vector<UnderWay> under_way_;
};

std::vector<RemoteItem> ItemsOf(const LimitSpec& spec) {
  const auto terms = TermsOf(spec);
  std::vector<RemoteItem> items(5);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].terms = terms;
    items[i].key = {.high = i << 62U | i, .low = i};
  }
  return items;
}

// Runs four threads. The first worker also ends leases and synchronizes counts.
void RunThreads(SharedRedis& there, RedisCache& shared, const std::vector<RemoteItem>& items,
                CacheMode cache_mode, std::vector<std::unique_ptr<Worker>>& workers) {
  for (int i = 0; i < 4; ++i) workers.push_back(std::make_unique<Worker>(there, shared));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t step = 0; step < 20'000; ++step) {
        workers[i]->Step(items[(step * 7 + i) % items.size()], cache_mode, step);
        if (i == 0 && step % 100 == 0) workers[i]->Keep();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::int64_t UnitsOf(const std::vector<std::unique_ptr<Worker>>& workers) {
  std::int64_t units = 0;
  for (const auto& worker : workers) units += worker->units;
  return units;
}

TEST(CacheThreadsTest, SpendsLeasedUnitsOnce) {
  SharedRedis there;
  RedisCache shared({});
  std::vector<std::unique_ptr<Worker>> workers;
  RunThreads(there, shared, ItemsOf({.rate = Rate{100'000, hours{1000}}}), CacheMode::kLeased,
             workers);
  EXPECT_LE(UnitsOf(workers) + shared.UnitsLeasedForTest(), there.redis.charged);
  shared.Close();
  for (const auto& worker : workers) worker->ReturnAll();
  EXPECT_EQ(shared.UnitsLeasedForTest(), 0);
  EXPECT_EQ(shared.CallsUnderWay(), 0);
  EXPECT_EQ(UnitsOf(workers), there.redis.charged);
}

// Makes requests until a lease is requested.
void StepUntilWished(Worker& worker, RedisCache& shared, const RemoteItem& item) {
  for (std::size_t step = 1; step < 7 && shared.CallsUnderWay() == 0; ++step) {
    worker.Step(item, CacheMode::kLeased, step);
    worker.RunLoop();
  }
  ASSERT_EQ(shared.CallsUnderWay(), 1);
}

// For either worker, the lease is granted after all others were returned.
TEST(CacheThreadsTest, ReturnsALeaseGrantedAtShutdown) {
  for (const bool is_own : {true, false}) {
    SharedRedis there;
    RedisCache shared({});
    Worker keeper(there, shared);
    Worker other(there, shared);
    Worker& late = is_own ? keeper : other;
    StepUntilWished(late, shared, ItemsOf({.rate = Rate{100'000, hours{1000}}})[0]);
    shared.Close();
    bool is_returned = false;
    keeper.BeginToReturn([&] { is_returned = true; });
    EXPECT_FALSE(is_returned);
    late.AnswerAll();
    EXPECT_GT(shared.UnitsLeasedForTest(), 0);
    for (int round = 0; round < 3; ++round) keeper.Keep();
    EXPECT_TRUE(is_returned);
    EXPECT_EQ(shared.UnitsLeasedForTest(), 0);
    EXPECT_EQ(late.units, there.redis.charged);
  }
}

TEST(CacheThreadsTest, DropsAPendingLeaseRequestAtShutdown) {
  SharedRedis there;
  RedisCache shared({});
  Worker worker(there, shared);
  const RemoteItem item = ItemsOf({.rate = Rate{100'000, hours{1000}}})[0];
  for (std::size_t step = 1; step < 7; ++step) worker.Step(item, CacheMode::kLeased, step);
  shared.Close();
  worker.RunLoop();
  EXPECT_EQ(shared.CallsUnderWay(), 0);
}

TEST(CacheThreadsTest, PushesEventualUnitsOnce) {
  SharedRedis there;
  RedisCache shared({});
  std::vector<std::unique_ptr<Worker>> workers;
  RunThreads(there, shared, ItemsOf({.rate = Rate{10'000, hours{1000}}}), CacheMode::kEventual,
             workers);
  for (int round = 0; round < 3; ++round) workers[0]->Keep();
  EXPECT_EQ(shared.UnitsPendingForTest(), 0);
  EXPECT_EQ(UnitsOf(workers), there.redis.charged);
}

}  // namespace
}  // namespace sluice
