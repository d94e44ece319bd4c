#include "frontend/resp_front.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/frontend/resp_scene.h"

namespace sluice::testing {
namespace {

class RespFrontTest : public RespScene {};

TEST_F(RespFrontTest, CommandsOfAllKindsAreAnsweredInTheirOrder) {
  Use({Rule("all", "5/m")});
  const std::string throttle = Command({"CL.THROTTLE", "k", "1", "1", "60"});
  EXPECT_EQ(Send(throttle + Command({"PING"}) + throttle + Command({"HELLO", "9"}) +
                 Command({"SLUICE.CHECK", "api"}) + throttle),
            "*5|:0|:2|:1|:-1|:60|+PONG|*5|:0|:2|:0|:-1|:120|-NOPROTO unsupported protocol version|"
            "*7|:1|:5|:4|:0|:12000|$3|all|:0|*5|:1|:2|:0|:60|:120|");
}

TEST_F(RespFrontTest, WhatComesAfterTheLastCommandHasNoEffect) {
  const std::string throttle = Command({"CL.THROTTLE", "k", "1", "1", "60"});
  EXPECT_EQ(Send(Command({"QUIT"}) + throttle + Command({"PING"})), "+OK|");
  EXPECT_TRUE(resp_.ended());
  EXPECT_EQ(resp_.unfinished(), 0U);
  EXPECT_EQ(store_->StatsApprox().keys, 0U);
}

TEST_F(RespFrontTest, UnknownCommandsAreToldInTheWordsOfRedis) {
  EXPECT_EQ(Say("FOO"), "-ERR unknown command 'FOO', with args beginning with: |");
  EXPECT_EQ(Say("GET a b"), "-ERR unknown command 'GET', with args beginning with: 'a' 'b' |");
  EXPECT_EQ(Send(Command({"a\r\n+OK\r\n", "x\r\ny"})),
            "-ERR unknown command 'a  +OK  ', with args beginning with: 'x  y' |");
  EXPECT_LT(Send(Command({std::string(9000, 'a'), std::string(9000, 'b'), "c"})).size(), 400U);
  EXPECT_EQ(Send(Command({"", ""})), "-ERR unknown command '', with args beginning with: '' |");
}

TEST_F(RespFrontTest, AHundredThousandAtOnce) {
  std::string commands;
  std::string expected;
  for (int i = 0; i < 100'000; ++i) {
    commands += Command({"CL.THROTTLE", "k", "99999", "1", "1"});
    expected += Concat("*5|:0|:100000|:", 99'999 - i, "|:-1|:", i + 1, "|");
  }
  EXPECT_EQ(Send(commands), expected);
}

TEST_F(RespFrontTest, HalfACommandWaitsForTheRest) {
  const std::string command = Command({"CL.THROTTLE", "k", "1", "1", "60"});
  EXPECT_EQ(Send(command + command.substr(0, 20)), "*5|:0|:2|:1|:-1|:60|");
  EXPECT_EQ(resp_.phase(), Session::Phase::kBody);
  EXPECT_EQ(Send(command.substr(20)), "*5|:0|:2|:0|:-1|:120|");
  std::string said;
  for (const char byte : command) said += Send({&byte, 1});
  EXPECT_EQ(said, "*5|:1|:2|:0|:60|:120|");
}

TEST_F(RespFrontTest, WhatIsNoCommandEndsTheConnection) {
  EXPECT_EQ(Send("*-2\r\n"), "-ERR Protocol error: invalid multibulk length|");
  EXPECT_TRUE(resp_.ended());
}

}  // namespace
}  // namespace sluice::testing
