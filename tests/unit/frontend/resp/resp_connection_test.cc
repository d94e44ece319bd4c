#include "frontend/resp/resp_connection.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "unit/frontend/resp/resp_fixture.h"

namespace sluice::testing {
namespace {

class RespConnectionTest : public RespFixture {};

TEST_F(RespConnectionTest, AnswersPingAndEcho) {
  EXPECT_EQ(Say("PING"), "+PONG|");
  EXPECT_EQ(Say("ping hello"), "$5|hello|");
  EXPECT_EQ(Say("PING a b"), "-ERR wrong number of arguments for 'ping' command|");
  EXPECT_EQ(Say("ECHO hello"), "$5|hello|");
  EXPECT_EQ(Say("ECHO"), "-ERR wrong number of arguments for 'echo' command|");
}

TEST_F(RespConnectionTest, HelloDescribesServer) {
  EXPECT_EQ(Say("HELLO"),
            "*14|$6|server|$6|sluice|$7|version|$5|1.2.3|$5|proto|:2|$2|id|:1|"
            "$4|mode|$10|standalone|$4|role|$6|master|$7|modules|*0|");
  EXPECT_EQ(Say("HELLO 3 SETNAME me"),
            "%7|$6|server|$6|sluice|$7|version|$5|1.2.3|$5|proto|:3|$2|id|:1|"
            "$4|mode|$10|standalone|$4|role|$6|master|$7|modules|*0|");
  EXPECT_EQ(Say("CLIENT GETNAME"), "$2|me|");
}

TEST_F(RespConnectionTest, FailedHelloChangesNothing) {
  callers_.token = "secret";
  EXPECT_EQ(Say("HELLO 4"), "-NOPROTO unsupported protocol version|");
  EXPECT_EQ(Say("HELLO x"), "-ERR Protocol version is not an integer or out of range|");
  EXPECT_EQ(Say("HELLO 3 AUTH default wrong"),
            "-WRONGPASS invalid username-password pair or user is disabled.|");
  EXPECT_EQ(Say("HELLO 3 SETNAME me WHAT"), "-ERR Syntax error in HELLO option 'WHAT'|");
  EXPECT_EQ(Say("HELLO 3 AUTH default"), "-ERR Syntax error in HELLO option 'AUTH'|");
  EXPECT_TRUE(Send(Command({"HELLO", "3", "AUTH", "default", "secret", "SETNAME", "a b"}))
                  .starts_with("-ERR Client names"));
  EXPECT_EQ(Say("CLIENT GETNAME"), "$-1|");
  EXPECT_TRUE(Say("CLIENT INFO").ends_with(" resp=2\n|"));
  EXPECT_TRUE(Say("HELLO 3 AUTH default secret SETNAME me").starts_with("%7|"));
}

TEST_F(RespConnectionTest, AcceptsTokenAsPassword) {
  EXPECT_TRUE(Say("AUTH secret").starts_with("-ERR AUTH <password> called without any password"));
  callers_.token = "secret";
  EXPECT_EQ(Say("AUTH wrong"), "-WRONGPASS invalid username-password pair or user is disabled.|");
  EXPECT_EQ(Say("AUTH other secret"),
            "-WRONGPASS invalid username-password pair or user is disabled.|");
  EXPECT_EQ(Say("AUTH secret"), "+OK|");
  EXPECT_EQ(Say("AUTH default secret"), "+OK|");
  EXPECT_EQ(Say("AUTH a b c"), "-ERR syntax error|");
}

TEST_F(RespConnectionTest, ClosesConnectionAfterManyWrongPasswords) {
  callers_.token = "secret";
  for (std::uint32_t i = 0; i < RespConnection::kMaxWrongPasswords; ++i) {
    EXPECT_FALSE(resp_.ended());
    Say("AUTH guess");
  }
  EXPECT_TRUE(resp_.ended());
}

TEST_F(RespConnectionTest, ComparesNoFurtherPasswordOfConnectionWhileManyRepliesAreHeld) {
  callers_.token = "secret";
  EventLoop loop;
  RespFront front({gate_, {}, callers_, ids_, "1.2.3", clock_, meter_, &loop});
  std::vector<std::unique_ptr<RespSession>> guessers;
  for (std::size_t i = 0; i < HeldReplies::kMaxHeld; ++i) {
    guessers.push_back(std::make_unique<RespSession>(front, peer_, Bounds{}));
    guessers.back()->Receive(Command({"AUTH", "guess"}));
    EXPECT_EQ(guessers.back()->output, "") << "it is held";
  }
  RespSession late(front, peer_, {});
  late.Receive(Command({"AUTH", "guess"}));
  EXPECT_TRUE(late.output.starts_with("-WRONGPASS")) << "the first of a connection is compared";
  late.output.clear();
  late.Receive(Command({"AUTH", "secret"}));
  EXPECT_EQ(late.output, "-ERR too many wrong passwords; come back in 1s\r\n");
  EXPECT_TRUE(late.ended());
  RespSession other(front, peer_, {});
  other.Receive(Command({"AUTH", "secret"}));
  EXPECT_EQ(other.output, "+OK\r\n");
}

TEST_F(RespConnectionTest, AnswersClientSubcommands) {
  EXPECT_EQ(Say("CLIENT GETNAME"), "$-1|");
  EXPECT_EQ(Say("CLIENT SETNAME me"), "+OK|");
  EXPECT_EQ(Say("client getname"), "$2|me|");
  EXPECT_EQ(Say("CLIENT ID"), ":1|");
  EXPECT_EQ(Say("CLIENT SETINFO LIB-NAME redis-py"), "+OK|");
  EXPECT_EQ(Say("CLIENT NO-EVICT on"), "+OK|");
  EXPECT_EQ(Say("CLIENT NO-TOUCH on"), "+OK|");
  const std::string line = "id=1 addr=192.0.2.1:4711 name=me db=0 resp=2\n";
  EXPECT_EQ(Say("CLIENT INFO"), Concat("$", line.size(), "|", line, "|"));
  EXPECT_EQ(Say("CLIENT SETNAME"), "-ERR wrong number of arguments for 'client|setname' command|");
  EXPECT_EQ(Say("CLIENT KILL"), "-ERR unknown subcommand 'KILL'. Try CLIENT HELP.|");
  EXPECT_EQ(Say("CLIENT"), "-ERR wrong number of arguments for 'client' command|");
}

TEST_F(RespConnectionTest, NumbersConnections) {
  RespSession other(front_, peer_, {});
  Say("CLIENT ID");
  other.Receive(Command({"CLIENT", "ID"}));
  EXPECT_EQ(other.output, ":2\r\n");
  EXPECT_EQ(Say("CLIENT ID"), ":1|");
}

TEST_F(RespConnectionTest, CommandDescribesEveryCommand) {
  const std::string count = std::to_string(RespCommands().size());
  EXPECT_EQ(Say("COMMAND COUNT"), Concat(":", count, "|"));
  EXPECT_TRUE(Say("COMMAND").starts_with(
      Concat("*", count, "|*10|$11|cl.throttle|:-5|*1|+fast|:1|:1|:1|*0|*0|*0|*0|*10|")));
  EXPECT_TRUE(Say("COMMAND LIST").starts_with(Concat("*", count, "|$11|cl.throttle|")));
  EXPECT_EQ(Say("COMMAND INFO nothing"), "*1|$-1|");
  EXPECT_TRUE(Say("COMMAND INFO PING").starts_with("*1|*10|$4|ping|:-1|"));
  EXPECT_TRUE(Say("COMMAND DOCS").starts_with(Concat("*", 2 * RespCommands().size(), "|")));
  EXPECT_EQ(Say("COMMAND DOCS echo nothing"),
            "*2|$4|echo|*4|$7|summary|$24|Replies what it is told.|$5|group|$10|connection|");
  EXPECT_EQ(Say("COMMAND WHAT"), "-ERR unknown subcommand 'WHAT'. Try COMMAND HELP.|");
}

TEST_F(RespConnectionTest, InfoSelectsSections) {
  const std::string all = Say("INFO");
  EXPECT_NE(all.find("redis_version:"), std::string::npos);
  EXPECT_NE(all.find("sluice_version:1.2.3|"), std::string::npos);
  EXPECT_NE(all.find("loading:0|"), std::string::npos);
  EXPECT_EQ(Say("INFO everything"), all);
  EXPECT_EQ(Say("INFO Persistence"), "$26|# Persistence|loading:0||");
  EXPECT_EQ(Say("INFO nothing"), "$0||");
}

TEST_F(RespConnectionTest, SelectAcceptsOnlyDatabaseZero) {
  EXPECT_EQ(Say("SELECT 0"), "+OK|");
  EXPECT_EQ(Say("SELECT 1"), "-ERR DB index is out of range|");
  EXPECT_EQ(Say("SELECT x"), "-ERR value is not an integer or out of range|");
}

TEST_F(RespConnectionTest, ResetClearsConnectionState) {
  Say("HELLO 3 SETNAME me");
  EXPECT_EQ(Say("RESET"), "+RESET|");
  EXPECT_EQ(Say("CLIENT GETNAME"), "$-1|");
}

}  // namespace
}  // namespace sluice::testing
