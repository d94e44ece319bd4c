// RedisBench: runs single script calls, for tests with explicit steps.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remote/script/permit_call.h"
#include "remote/script/remote_limit.h"
#include "remote/script/script_reply.h"
#include "remote/script/script_request.h"
#include "support/random_limit.h"
#include "support/redis_server.h"
#include "unit/remote/script/load_scripts.h"

namespace sluice::testing {

// A server with a controlled clock, and a connection to it.
class RedisBench : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = RedisServer::Start();
    ASSERT_NE(server_, nullptr);
    client_ = std::make_unique<RedisClient>(server_->socket_path());
    ASSERT_TRUE(client_->is_open());
    LoadScripts(*client_);
    At(Nanos{0});
  }

  // Sets the time, relative to the start of the test.
  void At(Nanos since_start) {
    now_ = kStart + since_start;
    server_->SetTime(now_);
  }

  static RemoteLimit Keep(const LimitSpec& spec) {
    auto made = RemoteLimit::Make(MustMake(spec));
    if (!made.ok()) ADD_FAILURE() << made.error().message;
    return std::move(made).value();
  }

  Decision Do(Operation operation, const RemoteCharge& charge) {
    return Decide(ScriptCall(operation, charge));
  }

  // Returns the decision on the first charge.
  Decision Decide(const ScriptCall& call) {
    std::string command;
    call.Write(now_, command);
    const auto nodes = client_->Ask(command);
    std::vector<Decision> decisions(call.charges());
    const auto outcome = ReadScriptReply(call, nodes, decisions);
    EXPECT_TRUE(outcome.ok()) << (nodes.empty() ? "" : nodes[0].text);
    EXPECT_TRUE(outcome.ok() && outcome.value().status == ScriptStatus::kDecided);
    return decisions[0];
  }

  Decision Permit(Operation operation, const RemoteCharge& charge, PermitId permit) {
    const PermitCall call(operation, charge, permit);
    std::string command;
    call.Write(command);
    const auto outcome = call.Read(client_->Ask(command));
    EXPECT_TRUE(outcome.ok());
    return outcome.ok() ? outcome.value().decision : Decision{};
  }

  // Returns the milliseconds until the key expires; -1: never, -2: there is no such key.
  std::int64_t MillisLeft(std::string_view key) { return client_->Number({"PTTL", key}); }

  static constexpr Time kStart{std::chrono::seconds{1'700'000'000}};

  std::unique_ptr<RedisServer> server_;
  std::unique_ptr<RedisClient> client_;
  Time now_{};
};

}  // namespace sluice::testing
