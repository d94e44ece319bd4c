// NodeScene: one RedisNode on an event loop, and what it was told.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "remote/redis_node.h"
#include "support/fake_clock.h"
#include "support/redis_process.h"
#include "unit/remote/counted_load.h"
#include "unit/remote/heard_answers.h"
#include "unit/remote/heard_servers.h"
#include "unit/remote/loop_until.h"

namespace sluice::testing {

// Its time passes only where a test says so: however long the machine keeps the test or a server
// waiting, no deadline passes and no server is silent. Waits between connections are real.
class NodeScene : public ::testing::Test {
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
  // Deadlines that pass are heard, too.
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
  // They outlive the node, also where a test ends early.
  HeardAnswers heard_;
  HeardServers servers_;
  CountedLoad load_{[this](RedisCommand& command, RedisListener& listener) {
    return node_->Send(command, listener);
  }};
  std::unique_ptr<RedisNode> node_;
};

}  // namespace sluice::testing
