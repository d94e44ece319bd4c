#include "conformance/redis_subject.h"

#include <gtest/gtest.h>

#include <utility>

#include "redis/redis_cluster.h"
#include "redis/redis_sentinel.h"
#include "support/redis_server.h"
#include "unit/redis/loop_until.h"
#include "unit/redis/patient_node.h"

namespace sluice::testing {

std::unique_ptr<RedisSubject> RedisSubject::OneServer() {
  std::unique_ptr<RedisSubject> made(new RedisSubject("one server"));
  made->server_ = std::make_unique<RedisProcess>(
      std::vector<std::string>{}, RedisProcess::Mode::kServer, made->time_.variables());
  if (!made->server_->is_running()) return nullptr;
  made->keepers_ = {made->server_.get()};
  auto client = std::make_unique<RedisSingle>(
      made->Parts(), UnixEndpoint{made->server_->socket_path()}, PatientNode());
  EXPECT_TRUE(LoopUntil(made->loop_, [&client] { return client->NodeForTest().is_open(); }));
  made->client_ = std::move(client);
  made->TakeOver(RedisSlots::kTogether);
  return made;
}

std::unique_ptr<RedisSubject> RedisSubject::Cluster() {
  std::unique_ptr<RedisSubject> made(new RedisSubject("cluster"));
  made->cluster_ = std::make_unique<RedisClusterGroup>(&made->time_);
  if (!made->cluster_->is_formed()) return nullptr;
  made->cluster_->Trust();
  RedisClusterSettings settings;
  settings.node = PatientNode();
  for (const auto& each : made->cluster_->servers()) {
    made->keepers_.push_back(each.get());
    settings.seeds.push_back({"127.0.0.1", each->port()});
  }
  made->client_ = std::make_unique<RedisCluster>(made->Parts(), settings);
  const RedisCounts& counts = made->redis_counts_;
  EXPECT_TRUE(LoopUntil(made->loop_, [&counts] { return counts.refreshes.ReadApprox() > 0; }));
  made->TakeOver(RedisSlots::kSpread);
  return made;
}

std::unique_ptr<RedisSubject> RedisSubject::Sentinel() {
  std::unique_ptr<RedisSubject> made(new RedisSubject("sentinel"));
  made->sentinel_ = std::make_unique<RedisSentinelGroup>(&made->time_);
  if (!made->sentinel_->is_formed()) return nullptr;
  made->keepers_ = {&made->sentinel_->primary()};
  RedisSentinelSettings settings;
  settings.sentinel = PatientNode();
  settings.node = PatientNode();
  settings.primary = "limits";
  for (const std::uint16_t port : made->sentinel_->sentinel_ports()) {
    settings.sentinels.push_back({"127.0.0.1", port});
  }
  auto client = std::make_unique<RedisSentinel>(made->Parts(), settings);
  EXPECT_TRUE(LoopUntil(made->loop_, [&client] {
    return client->PrimaryForTest() != nullptr && client->PrimaryForTest()->is_open();
  }));
  made->client_ = std::move(client);
  made->TakeOver(RedisSlots::kTogether);
  return made;
}

void RedisSubject::TakeOver(RedisSlots slots) {
  remote_.emplace(*client_, *clock_, RedisRemoteOptions{.slots = slots});
  asker_.emplace(loop_, *remote_);
}

void RedisSubject::Begin(const std::vector<ConformanceKey>& keys, Time now) {
  keys_ = &keys;
  for (RedisProcess* server : keepers_) {
    RedisClient(server->socket_path()).Command({"FLUSHALL"});
  }
  time_.Set(now);
}

std::vector<Decision> RedisSubject::Take(const ConformanceStep& step) {
  time_.Set(step.now);
  call_.operation = step.operation;
  call_.charge_mode = step.charge_mode;
  call_.items.clear();
  for (const ConformanceCharge& each : step.charges) {
    const ConformanceKey& key = (*keys_)[each.key];
    call_.items.push_back({.terms = key.terms,
                           .key = key.fleet_key,
                           .route = key.route,
                           .cost = each.cost,
                           .enforcement = each.enforcement,
                           .min_remaining = each.min_remaining});
  }
  EXPECT_EQ(asker_->Ask(call_), RemoteOutcome::kDecided) << name_;
  EXPECT_EQ(call_.decided_at, step.now) << name_;
  return call_.decisions;
}

std::string RedisSubject::Faults() {
  std::string faults;
  for (RedisProcess* server : keepers_) {
    RedisClient client(server->socket_path());
    std::vector<std::string> keys;
    for (const RespNode& node : client.Command({"KEYS", "*"}).subspan(1)) {
      keys.emplace_back(node.text);
    }
    for (const std::string& key : keys) {
      if (client.Number({"PTTL", key}) == -1) faults += name_ + ": " + key + " stays; ";
    }
  }
  return faults;
}

}  // namespace sluice::testing
