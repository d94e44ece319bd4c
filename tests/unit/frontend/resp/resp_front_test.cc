#include "frontend/resp/resp_front.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/frontend/resp/resp_fixture.h"

namespace sluice::testing {
namespace {

class RespFrontTest : public RespFixture {};

TEST_F(RespFrontTest, AnswersAllKindsOfCommandsInOrder) {
  Use({Rule("all", "5/m")});
  const std::string throttle = Command({"CL.THROTTLE", "k", "1", "1", "60"});
  EXPECT_EQ(Send(throttle + Command({"PING"}) + throttle + Command({"HELLO", "9"}) +
                 Command({"SLUICE.CHECK", "api"}) + throttle),
            "*5|:0|:2|:1|:-1|:60|+PONG|*5|:0|:2|:0|:-1|:120|-NOPROTO unsupported protocol version|"
            "*7|:1|:5|:4|:0|:12000|$3|all|:0|*5|:1|:2|:0|:60|:120|");
}

TEST_F(RespFrontTest, IgnoresCommandsAfterQuit) {
  const std::string throttle = Command({"CL.THROTTLE", "k", "1", "1", "60"});
  EXPECT_EQ(Send(Command({"QUIT"}) + throttle + Command({"PING"})), "+OK|");
  EXPECT_TRUE(resp_.ended());
  EXPECT_EQ(resp_.unfinished(), 0U);
  EXPECT_EQ(store_->StatsApprox().keys, 0U);
}

TEST_F(RespFrontTest, RunsQueueOfTransaction) {
  Use({Rule("all", "5/m")});
  const std::string throttle = Command({"CL.THROTTLE", "k", "1", "1", "60"});
  const std::string begin = Command({"MULTI"});
  const std::string end = Command({"EXEC"});
  EXPECT_EQ(Send(begin + throttle + Command({"SLUICE.CHECK", "api"}) + Command({"PING"}) +
                 throttle + end + throttle),
            "+OK|+QUEUED|+QUEUED|+QUEUED|+QUEUED|"
            "*4|*5|:0|:2|:1|:-1|:60|*7|:1|:5|:4|:0|:12000|$3|all|:0|+PONG|*5|:0|:2|:0|:-1|:120|"
            "*5|:1|:2|:0|:60|:120|");
  EXPECT_EQ(resp_.unfinished(), 0U);
  EXPECT_EQ(Say("MULTI"), "+OK|");
  EXPECT_EQ(Say("EXEC"), "*0|");
  EXPECT_EQ(Say("EXEC"), "-ERR EXEC without MULTI|");
}

TEST_F(RespFrontTest, QueuedCommandHasNoEffectBeforeExec) {
  const std::string throttle = Command({"CL.THROTTLE", "k", "1", "1", "60"});
  EXPECT_EQ(Say("MULTI"), "+OK|");
  EXPECT_EQ(Send(throttle), "+QUEUED|");
  EXPECT_EQ(Say("DISCARD"), "+OK|");
  EXPECT_EQ(Say("DISCARD"), "-ERR DISCARD without MULTI|");
  EXPECT_EQ(Send(Command({"MULTI"}) + throttle), "+OK|+QUEUED|");
  EXPECT_EQ(Say("CL.THROTTLE k"), "-ERR wrong number of arguments for 'cl.throttle' command|");
  EXPECT_EQ(Send(throttle), "+QUEUED|");
  EXPECT_EQ(Say("EXEC"), "-EXECABORT Transaction discarded because of previous errors.|");
  EXPECT_EQ(Send(Command({"MULTI"}) + throttle + Command({"RESET"})), "+OK|+QUEUED|+RESET|");
  EXPECT_EQ(Say("EXEC"), "-ERR EXEC without MULTI|");
  EXPECT_EQ(store_->StatsApprox().keys, 0U);
}

TEST_F(RespFrontTest, RejectsCommandsThatTransactionsCannotHave) {
  EXPECT_TRUE(Say("WATCH k").starts_with("-ERR WATCH is not supported"));
  EXPECT_EQ(Say("UNWATCH"), "+OK|");
  EXPECT_EQ(Say("MULTI"), "+OK|");
  EXPECT_EQ(Say("MULTI"), "-ERR MULTI calls can not be nested|");
  EXPECT_EQ(Say("WATCH k"), "-ERR WATCH inside MULTI is not allowed|");
  EXPECT_EQ(Say("EXEC"), "*0|");
  for (const char* const command : {"HELLO", "FOO", "SELECT 0"}) {
    EXPECT_EQ(Say("MULTI"), "+OK|");
    EXPECT_TRUE(Say(command).starts_with("-ERR ")) << command;
    EXPECT_TRUE(Say("EXEC").starts_with("-EXECABORT ")) << command;
  }
}

TEST_F(RespFrontTest, BoundsQueueOfTransaction) {
  const std::string ping = Command({"PING"});
  EXPECT_EQ(Say("MULTI"), "+OK|");
  for (int i = 0; i < 1024; ++i) ASSERT_EQ(Send(ping), "+QUEUED|");
  EXPECT_EQ(Send(ping), "-ERR a transaction has at most 1024 commands and 65536 bytes|");
  EXPECT_TRUE(Say("EXEC").starts_with("-EXECABORT "));
  EXPECT_EQ(Say("MULTI"), "+OK|");
  EXPECT_EQ(Send(Command({"ECHO", std::string(65'532, 'a')})), "+QUEUED|");
  EXPECT_TRUE(Send(ping).starts_with("-ERR a transaction has at most"));
  EXPECT_TRUE(Say("EXEC").starts_with("-EXECABORT "));
}

TEST_F(RespFrontTest, ReportsUnknownCommandsAsRedisDoes) {
  EXPECT_EQ(Say("FOO"), "-ERR unknown command 'FOO', with args beginning with: |");
  EXPECT_EQ(Say("GET a b"), "-ERR unknown command 'GET', with args beginning with: 'a' 'b' |");
  EXPECT_EQ(Send(Command({"a\r\n+OK\r\n", "x\r\ny"})),
            "-ERR unknown command 'a  +OK  ', with args beginning with: 'x  y' |");
  EXPECT_LT(Send(Command({std::string(9000, 'a'), std::string(9000, 'b'), "c"})).size(), 400U);
  EXPECT_EQ(Send(Command({"", ""})), "-ERR unknown command '', with args beginning with: '' |");
}

TEST_F(RespFrontTest, AnswersAHundredThousandPipelinedCommands) {
  std::string commands;
  std::string expected;
  for (int i = 0; i < 100'000; ++i) {
    commands += Command({"CL.THROTTLE", "k", "99999", "1", "1"});
    expected += Concat("*5|:0|:100000|:", 99'999 - i, "|:-1|:", i + 1, "|");
  }
  EXPECT_EQ(Send(commands), expected);
}

TEST_F(RespFrontTest, WaitsForRestOfPartialCommand) {
  const std::string command = Command({"CL.THROTTLE", "k", "1", "1", "60"});
  EXPECT_EQ(Send(command + command.substr(0, 20)), "*5|:0|:2|:1|:-1|:60|");
  EXPECT_EQ(resp_.phase(), Session::Phase::kBody);
  EXPECT_EQ(Send(command.substr(20)), "*5|:0|:2|:0|:-1|:120|");
  std::string said;
  for (const char byte : command) said += Send({&byte, 1});
  EXPECT_EQ(said, "*5|:1|:2|:0|:60|:120|");
}

TEST_F(RespFrontTest, ProtocolErrorEndsConnection) {
  EXPECT_EQ(Send("*-2\r\n"), "-ERR Protocol error: invalid multibulk length|");
  EXPECT_TRUE(resp_.ended());
}

}  // namespace
}  // namespace sluice::testing
