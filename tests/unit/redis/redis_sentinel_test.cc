#include "redis/redis_sentinel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "support/fake_clock.h"
#include "support/redis_process.h"
#include "unit/redis/counted_load.h"
#include "unit/redis/heard_answers.h"
#include "unit/redis/heard_servers.h"
#include "unit/redis/loop_until.h"

namespace sluice {
namespace {

using testing::RedisProcess;
using Words = std::vector<std::string>;
using Cause = RedisAnswer::Cause;
using std::chrono::milliseconds;

// A primary, a replica and two sentinels that form a quorum.
class RedisSentinelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    first_ = std::make_unique<RedisProcess>();
    second_ =
        std::make_unique<RedisProcess>(Words{"--replicaof", Concat("127.0.0.1 ", first_->port())});
    ASSERT_NE(second_->CallUntil("INFO replication", "master_link_status:up").find(":up"),
              std::string::npos);
    for (int i = 0; i < 2; ++i) {
      sentinels_.push_back(std::make_unique<RedisProcess>(
          Words{Concat("sentinel monitor limits 127.0.0.1 ", first_->port(), " 2"),
                "sentinel down-after-milliseconds limits 60000",
                "sentinel failover-timeout limits 3000"},
          RedisProcess::Mode::kSentinel));
    }
  }

  void Begin(const std::string& primary = "limits") {
    // No server listens at the first address.
    settings_.sentinels = {{"127.0.0.1", testing::FreePort()}};
    for (const auto& sentinel : sentinels_) {
      settings_.sentinels.push_back({"127.0.0.1", sentinel->port()});
    }
    settings_.primary = primary;
    client_ = std::make_unique<RedisSentinel>(
        RedisParts{{loop_, clock_}, names_, counts_, jitter_, nullptr, &servers_}, settings_);
  }
  bool UntilOpenAt(const RedisProcess& server) {
    // Sentinels that were suspended take no action for half a minute.
    constexpr std::chrono::seconds kPatience{90};
    return LoopUntil(
        loop_,
        [this, &server] {
          const RedisNode* const node = client_->PrimaryForTest();
          return node != nullptr && node->is_open() &&
                 Describe(node->endpoint()) == Concat("127.0.0.1:", server.port());
        },
        kPatience);
  }
  // Until this is called, the sentinels consider every server alive, however long it is suspended.
  // A replica that lost its primary more than ten times this period ago is not promoted; ten times
  // is longer than the sentinels may be inactive.
  void LetSentinelsDoubt() {
    for (const auto& sentinel : sentinels_) {
      ASSERT_EQ(sentinel->Call("SENTINEL SET limits down-after-milliseconds 4000"), "OK");
    }
  }
  void UntilSentinelsAgree() {
    for (const auto& sentinel : sentinels_) {
      const std::string known = sentinel->CallUntil("SENTINEL master limits | tr '\\n' ' '",
                                                    "num-slaves 1 num-other-sentinels 1");
      ASSERT_NE(known.find("num-slaves 1 num-other-sentinels 1"), std::string::npos) << known;
    }
  }

  std::unique_ptr<RedisProcess> first_;
  std::unique_ptr<RedisProcess> second_;
  std::vector<std::unique_ptr<RedisProcess>> sentinels_;
  EventLoop loop_;
  testing::FakeClock clock_;  // stands still, so no server times out
  NameLookup names_;
  RedisCounts counts_;
  RedisJitter jitter_{7};
  RedisSentinelSettings settings_;
  HeardAnswers heard_;
  testing::HeardServers servers_;
  CountedLoad load_{[this](RedisCommand& command, RedisListener& listener) {
    return client_->Send(command, listener);
  }};
  std::unique_ptr<RedisSentinel> client_;
};

TEST(ReadPrimaryPlaceTest, ReadsAHostAndAPort) {
  const auto read = [](std::string_view reply) -> std::string {
    RespValueReader reader{RespValueBounds{}};
    const std::optional<TcpEndpoint> place = ReadPrimaryPlace(reader.Read(reply).nodes);
    return place ? Describe(*place) : "none";
  };
  EXPECT_EQ(read("*2\r\n$9\r\n127.0.0.1\r\n$4\r\n6379\r\n"), "127.0.0.1:6379");
  for (const std::string_view reply :
       {"*-1\r\n", "-IDONTKNOW Unknown\r\n", "*2\r\n$0\r\n\r\n$4\r\n6379\r\n",
        "*2\r\n$1\r\na\r\n$5\r\n65536\r\n", "*2\r\n$1\r\na\r\n$2\r\n6x\r\n", "*1\r\n$1\r\na\r\n",
        "%1\r\n$1\r\na\r\n$1\r\n6\r\n"}) {
    EXPECT_EQ(read(reply), "none") << reply;
  }
}

TEST_F(RedisSentinelTest, ReportsAnUnknownPrimaryAndAConnectedOne) {
  const auto is_reported = [this](const std::string& line) {
    return std::ranges::find(servers_.lines, line) != servers_.lines.end();
  };
  Begin("nobody");
  const std::string server = Describe(settings_.sentinels[1]);
  EXPECT_TRUE(LoopUntil(loop_, [&] {
    return is_reported(
        Concat("sentinel ", server, ": the sentinel ", server, " knows no primary 'nobody'"));
  }));
  Begin();
  ASSERT_TRUE(UntilOpenAt(*first_));
  EXPECT_TRUE(is_reported(Concat("connected 127.0.0.1:", first_->port())));
  EXPECT_FALSE(is_reported("connected " + server)) << "it keeps no states";
}

// Invariants (1) and (2).
TEST_F(RedisSentinelTest, FollowsAFailover) {
  Begin();
  RedisCommand& early = heard_.Make("a", {"GET", "k"});
  EXPECT_EQ(client_->Send(early, heard_), Cause::kNoNode);
  ASSERT_TRUE(UntilOpenAt(*first_));
  UntilSentinelsAgree();
  ASSERT_TRUE(LoopUntil(loop_, [&] {
    load_.Send(10);
    return load_.replied() > 100;
  }));
  load_.Send(50);
  first_->Kill();
  LetSentinelsDoubt();
  ASSERT_TRUE(UntilOpenAt(*second_));
  const std::size_t before = load_.replied();
  ASSERT_TRUE(LoopUntil(loop_, [&] {
    load_.Send(10);
    return load_.replied() > before + 100;
  }));
  ASSERT_TRUE(LoopUntil(loop_, [&] { return load_.under_way() == 0; }));
  EXPECT_EQ(load_.errors(), 0U);
  EXPECT_EQ(load_.answered_twice(), 0U);
  EXPECT_EQ(load_.replied() + load_.unknown() + load_.unsent(), load_.taken());
  EXPECT_EQ(counts_.primary_switches.ReadApprox(), 1U);
  // The old primary returns as a primary, until it is made a replica. No client uses it.
  first_->Start();
  ASSERT_TRUE(LoopUntil(loop_, [&] {
    load_.Send(1);
    return counts_.refreshes.ReadApprox() > 5;
  }));
  ASSERT_TRUE(LoopUntil(loop_, [&] { return load_.under_way() == 0; }));
  EXPECT_EQ(first_->Call("CLIENT LIST | grep -c name=sluice || true"), "0");
}

TEST_F(RedisSentinelTest, QueriesSentinelsWhenThePrimaryBecomesReadOnly) {
  Begin();
  ASSERT_TRUE(UntilOpenAt(*first_));
  // Demoted by hand, as in a network partition: the sentinels do not know yet.
  ASSERT_EQ(first_->Call(Concat("REPLICAOF 127.0.0.1 ", testing::FreePort())), "OK");
  RedisCommand& command = heard_.Make("a", {"INCR", "n"});
  const std::uint64_t asked = counts_.refreshes.ReadApprox();
  ASSERT_EQ(client_->Send(command, heard_), Cause::kNone);
  ASSERT_TRUE(LoopUntil(loop_, [&] { return heard_.answers == 1; }));
  EXPECT_TRUE(heard_.heard.back().starts_with("a: -READONLY")) << heard_.heard.back();
  EXPECT_TRUE(LoopUntil(loop_, [&] { return counts_.refreshes.ReadApprox() > asked; }));
  EXPECT_EQ(client_->PrimaryForTest()->BreakerForTest(), RedisBreaker::State::kClosed);
}

}  // namespace
}  // namespace sluice
