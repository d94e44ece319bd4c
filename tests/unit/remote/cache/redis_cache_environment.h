// RedisCacheEnvironment: nodes with leases and synchronized counts around one Redis, in simulated
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "net/loop/event_loop.h"
#include "remote/cache/redis_cache.h"
#include "remote/script/key_state.h"
#include "store/node_cache.h"
#include "store/remote_store.h"
#include "support/fake_clock.h"
#include "support/random.h"

namespace sluice::testing {

// Returns the terms of a limit, which must be valid.
std::shared_ptr<const RemoteTerms> TermsOf(const LimitSpec& spec);

struct ByKey {
  bool operator()(const FleetKey& a, const FleetKey& b) const {
    return std::pair(a.high, a.low) < std::pair(b.high, b.low);
  }
};

// A Redis simulated with the core. It does not support logs.
class FakeRedis {
 public:
  // One decision, with the state after it.
  struct Seen {
    RemoteItem item;
    Decision decision;
    KeyState state;
  };
  std::vector<Seen> Decide(RemoteCall& call, Time now);

  // Units of all checks and debts, less refunded units.
  std::int64_t charged = 0;
  std::size_t calls = 0;
  // If `window` is not 0, leased units less returned ones, by the start of the aligned window of
  // this length in which they count.
  Nanos window{0};
  std::map<Time, std::int64_t> leased;

  KeyState& StateOf(const RemoteItem& item);

 private:
  void CountLease(Operation operation, const RemoteItem& item, Time now);
  Decision DecideItem(Operation operation, const RemoteItem& item, Time now);

  std::map<FleetKey, KeyState, ByKey> states_;
};

// The state of the network.
struct Weather {
  Nanos min_way = std::chrono::microseconds{50};  // one way
  Nanos max_way = std::chrono::microseconds{500};
  int lost_calls_in_100 = 0;    // kNotApplied
  int lost_replies_in_100 = 0;  // kIndeterminate
  bool is_away = false;         // no calls are accepted
};

class RedisCacheEnvironment {
 public:
  class Node;

  struct Plan {
    std::size_t nodes = 1;
    RedisCacheSettings settings;
    Time start{std::chrono::hours{24 * 365}};
    Nanos redis_ahead{0};  // relative to our clocks
  };

  RedisCacheEnvironment(const Plan& plan, Random& seeded);
  ~RedisCacheEnvironment();

  Node& node(std::size_t i) { return *nodes_[i]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] Time redis_now() const;

  // Advances the time and runs the events that are due.
  void RunFor(Nanos length);
  void At(Time when, std::function<void()> what);

  FakeRedis redis;
  Weather weather;
  Random& random;

 private:
  friend class Node;

  struct Event {
    Time when;
    std::uint64_t order = 0;
    std::function<void()> what;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return std::pair(a.when, a.order) > std::pair(b.when, b.order);
    }
  };

  void Step();

  Time now_;
  const Nanos redis_ahead_;
  std::uint64_t order_ = 0;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

// A process with one worker, and its connection to Redis.
class RedisCacheEnvironment::Node final : public RemoteStore {
 public:
  Node(RedisCacheEnvironment& world, const RedisCacheSettings& settings);

  bool Decide(RemoteCall& call, RemoteListener& listener) override;
  void OnNotAsked() override {}

  // Checks like the gate: locally if possible, otherwise in Redis. `done` gets the decision; none
  // if Redis did not decide.
  using Done = std::function<void(const std::optional<Decision>& decision)>;
  void Check(const RemoteItem& item, CacheMode cache_mode, const Done& done);

  // Runs everything that is queued on the loop.
  void Pump();

  RedisCache shared;
  EventLoop loop;
  FakeClock clock;
  RedisCacheWorker near{shared, loop, clock};
  std::size_t decided_here = 0;
  // Maximum number of background calls in flight at once; number of missed deadlines.
  std::int64_t max_in_flight_seen = 0;
  std::size_t overdue = 0;
  std::size_t not_taken = 0;
  // Calls with this key have an unknown outcome and no effect.
  std::optional<FleetKey> lost;
  bool keeps = true;

 private:
  friend class RedisCacheEnvironment;
  struct Exact;

  void Arrive(RemoteCall& call, RemoteListener& listener, Time sent_at);
  void LookLater();
  void SyncLater();

  RedisCacheEnvironment& world_;
};

}  // namespace sluice::testing
