// NodeFixture: a RedisNode on an event loop, with recorded results.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "redis/redis_node.h"
#include "support/fake_clock.h"
#include "support/redis_process.h"
#include "unit/redis/counted_load.h"
#include "unit/redis/heard_answers.h"
#include "unit/redis/heard_servers.h"
#include "unit/redis/loop_until.h"

namespace sluice::testing {

// Time advances only when a test says so. However long the machine delays the test or a server, no
// deadline passes and no server counts as silent. Waits between connections use real time.
class NodeFixture : public ::testing::Test {
 protected:
  void Begin(const Endpoint& endpoint) {
    node_ = std::make_unique<RedisNode>(
        RedisParts{{loop_, clock_}, names_, counts_, jitter_, nullptr, &servers_}, endpoint,
        settings_);
  }
  void Begin(const RedisProcess& server) { Begin(TcpEndpoint{"127.0.0.1", server.port()}); }
  bool UntilOpen() {
    return LoopUntil(loop_, [this] { return node_->is_open(); });
  }
  bool UntilAnswers(std::size_t count) {
    return LoopUntil(loop_, [this, count] { return heard_.answers >= count; });
  }
  // Missed deadlines count, too.
  bool UntilHeard(std::size_t count) {
    return LoopUntil(loop_, [this, count] { return heard_.heard.size() >= count; });
  }
  RedisAnswer::Cause Send(std::string_view name, std::initializer_list<std::string_view> words,
                          Time deadline = kLatestTime) {
    return node_->Send(heard_.Make(name, words, deadline), heard_);
  }
  RedisAnswer::Cause SendScript(std::string_view name, std::string_view sha,
                                std::string_view script) {
    RedisCommand& command = heard_.Make(name, {"EVALSHA", sha, "0"});
    command.script = script;
    return node_->Send(command, heard_);
  }
  Time In(Nanos length) { return clock_.Now() + length; }
  std::uint64_t Errors(RedisErrorKind kind) const {
    return counts_.errors.at(static_cast<std::size_t>(kind)).ReadApprox();
  }

  EventLoop loop_;
  FakeClock clock_{Time{std::chrono::hours{1}}};
  NameLookup names_;
  RedisCounts counts_;
  RedisJitter jitter_{7};
  RedisNodeSettings settings_;
  // These outlive the node, even if a test ends early.
  HeardAnswers heard_;
  HeardServers servers_;
  CountedLoad load_{[this](RedisCommand& command, RedisListener& listener) {
    return node_->Send(command, listener);
  }};
  std::unique_ptr<RedisNode> node_;
};

}  // namespace sluice::testing
