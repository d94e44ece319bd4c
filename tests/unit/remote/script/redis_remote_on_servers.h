// RedisRemoteOnServers: a RedisRemote with a client that the test provides, and its calls.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "remote/script/redis_remote.h"
#include "support/redis_server.h"
#include "unit/remote/remote_asker.h"

namespace sluice::testing {

// An observer that records decisions.
class SeenDecisions final : public RedisObserver {
 public:
  struct Seen {
    FleetKey key;
    Decision decision;
    Decision look;  // a peek at the state at that time
  };

  void OnDecided(const RedisDecisionEvent& sight) override {
    seen.push_back({sight.item.key, sight.decision, sight.state.Peek(Cost{0}, sight.decided_at)});
  }

  std::vector<Seen> seen;
};

// Shared by the tests on one server and on a cluster.
class RedisRemoteOnServers : public ::testing::Test {
 protected:
  void Use(sluice::RedisClient& client, RedisSlots slots) {
    remote_.emplace(client, *clock_, RedisRemoteOptions{.slots = slots}, &seen_);
    asker_.emplace(loop_, *remote_);
  }
  [[nodiscard]] RedisParts Parts() { return {{loop_, *clock_}, names_, counts_, jitter_}; }

  // Returns the decisions; default ones if the call failed.
  std::vector<Decision> Do(Operation operation, std::vector<RemoteItem> items) {
    call_.operation = operation;
    call_.items = std::move(items);
    const std::optional<RemoteOutcome> outcome = asker_->Ask(call_);
    EXPECT_EQ(outcome, RemoteOutcome::kDecided);
    return outcome == RemoteOutcome::kDecided ? call_.decisions
                                              : std::vector<Decision>(call_.items.size());
  }
  Decision Do(Operation operation, const RemoteItem& item) {
    return Do(operation, std::vector{item}).front();
  }
  std::int64_t Remaining(const RemoteItem& item) { return Do(Operation::kPeek, item).remaining; }

  // Reports keys on a server that would never expire, and names that are not ours.
  static std::string Faults(RedisProcess& server) {
    RedisClient client(server.socket_path());
    const auto keys = client.Command({"KEYS", "*"});
    std::vector<std::string> names;
    for (const RespNode& node : keys.subspan(1)) names.emplace_back(node.text);
    static const std::regex kName("sluice:\\{[-_A-Za-z0-9]{3}\\}[-_A-Za-z0-9]{22}(~[a-z][0-9,]+)?");
    std::string faults;
    for (const std::string& name : names) {
      if (!std::regex_match(name, kName)) faults += name + " is called so; ";
      if (client.Number({"PTTL", name}) == -1) faults += name + " stays; ";
    }
    return faults;
  }

  EventLoop loop_;
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  NameLookup names_;
  RedisCounts counts_;
  RedisJitter jitter_{7};
  SeenDecisions seen_;
  std::optional<RedisRemote> remote_;
  std::optional<RemoteAsker> asker_;
  RemoteCall call_;
};

}  // namespace sluice::testing
