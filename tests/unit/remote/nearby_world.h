// NearbyWorld: nodes with leases and synchronised counts around one Redis, in simulated time.
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

#include "net/event_loop.h"
#include "remote/key_state.h"
#include "remote/redis_nearby.h"
#include "store/nearby.h"
#include "store/remote.h"
#include "support/fake_clock.h"
#include "support/random.h"

namespace sluice::testing {

// Terms of a limit that must be valid.
std::shared_ptr<const RemoteTerms> TermsOf(const LimitSpec& spec);

struct ByKey {
  bool operator()(const FleetKey& a, const FleetKey& b) const {
    return std::pair(a.high, a.low) < std::pair(b.high, b.low);
  }
};

// What is charged in Redis, by the core. Not for logs.
class FakeRedis {
 public:
  // Decides, and tells the observer after it if there is one.
  struct Seen {
    RemoteItem item;
    Decision decision;
    KeyState state;
  };
  std::vector<Seen> Decide(RemoteCall& call, Time now);

  // Units of all checks and debts that were taken, less those that were given back.
  std::int64_t charged = 0;
  std::size_t calls = 0;
  // The same of leases alone, by the window they count in; of a test that says how long that is.
  Nanos window{0};
  std::map<Time, std::int64_t> leased;

  KeyState& StateOf(const RemoteItem& item);

 private:
  void CountLease(Operation operation, const RemoteItem& item, Time now);
  Decision DecideItem(Operation operation, const RemoteItem& item, Time now);

  std::map<FleetKey, KeyState, ByKey> states_;
};

// How the network is.
struct Weather {
  Nanos way_least = std::chrono::microseconds{50};  // one way
  Nanos way_most = std::chrono::microseconds{500};
  int lost_calls_in_100 = 0;    // kNotDone
  int lost_replies_in_100 = 0;  // kUnknown
  bool is_away = false;         // nothing is taken
};

class NearbyWorld {
 public:
  class Node;

  struct Plan {
    std::size_t nodes = 1;
    RedisNearbySettings settings;
    Time start{std::chrono::hours{24 * 365}};
    Nanos redis_ahead{0};  // of our clocks
  };

  NearbyWorld(const Plan& plan, Random& seeded);
  ~NearbyWorld();

  Node& node(std::size_t i) { return *nodes_[i]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] Time redis_now() const;

  // Lets time pass, with all that happens in it.
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

// One process with one worker, and its way to Redis.
class NearbyWorld::Node final : public Remote {
 public:
  Node(NearbyWorld& world, const RedisNearbySettings& settings);

  bool Decide(RemoteCall& call, RemoteListener& listener) override;
  void OnNotAsked() override {}

  // As the gate does: here if that is known, else in Redis. `done` hears what came of it; nothing
  // where Redis did not decide.
  using Done = std::function<void(const std::optional<Decision>& decision)>;
  void Check(const RemoteItem& item, Nearness nearness, const Done& done);

  // Lets the loop do what it was asked to.
  void Pump();

  RedisNearby shared;
  EventLoop loop;
  FakeClock clock;
  RedisNearbyWorker near{shared, loop, clock};
  std::size_t decided_here = 0;
  // Calls in the background that were ever under way at once; deadlines that passed.
  std::int64_t most_under_way = 0;
  std::size_t overdue = 0;
  std::size_t not_taken = 0;
  // A call with this key gets lost on its way, and nobody knows that.
  std::optional<FleetKey> lost;
  bool keeps = true;

 private:
  friend class NearbyWorld;
  struct Exact;

  void Arrive(RemoteCall& call, RemoteListener& listener, Time sent_at);
  void LookLater();
  void SyncLater();

  NearbyWorld& world_;
};

}  // namespace sluice::testing
