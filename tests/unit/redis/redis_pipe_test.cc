#include "redis/redis_pipe.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "unit/redis/heard_answers.h"

namespace sluice {
namespace {

using Words = std::vector<std::string>;

constexpr Time At(int millis) { return Time{std::chrono::milliseconds{millis}}; }

class RedisPipeTest : public ::testing::Test {
 protected:
  bool Send(std::string_view name, Time deadline = kLatestTime) {
    return pipe_.Send(heard_.Make(name, {"GET", name}, deadline), heard_);
  }
  // Writes everything and returns it.
  std::string WriteAll() {
    std::string all;
    for (std::string_view out = pipe_.Output(); !out.empty(); out = pipe_.Output()) {
      all.append(out);
      pipe_.Wrote(out.size());
    }
    return all;
  }
  static RedisPipeBounds Bounds() {
    RedisPipeBounds bounds;
    bounds.max_commands = 4;
    bounds.max_bytes = 100;
    bounds.write_bytes = 30;
    return bounds;
  }
  static std::string Bytes(std::string_view name) {
    std::string bytes;
    AppendRedisCommand({"GET", name}, bytes);
    return bytes;
  }

  HeardAnswers heard_;
  RedisPipe pipe_{Bounds()};
};

// Invariant (1).
TEST_F(RedisPipeTest, MatchesRepliesToCommandsInOrder) {
  Send("a");
  Send("b");
  Send("c");
  EXPECT_EQ(WriteAll(), Bytes("a") + Bytes("b") + Bytes("c"));
  const std::string replies = "+one\r\n$5\r\nt\r\nwo\r\n-MOVED 1 h:2\r\n";
  // Bytes may be split anywhere.
  for (const char byte : replies) ASSERT_TRUE(pipe_.Receive(std::string_view(&byte, 1)).ok());
  EXPECT_EQ(heard_.heard, (Words{"a: +one", "b: +t\r\nwo", "c: -MOVED 1 h:2"}));
  EXPECT_EQ(pipe_.under_way(), 0U);
}

TEST_F(RedisPipeTest, PassesErrorsAndValuesToTheListener) {
  class Reader final : public RedisListener {
   public:
    void OnOverdue(RedisCommand& /*command*/) override {}
    void OnAnswer(RedisCommand& /*command*/, const RedisAnswer& answer) override {
      error = answer.error.kind;
      slot = answer.error.slot;
      for (const RespNode& node : answer.reply) ends.push_back(node.end);
    }
    RedisErrorKind error = RedisErrorKind::kOther;
    std::uint16_t slot = 0;
    std::vector<std::uint32_t> ends;
  } reader;
  RedisCommand& command = heard_.Make("a", {"GET", "a"});
  ASSERT_TRUE(pipe_.Send(command, reader));
  WriteAll();
  ASSERT_TRUE(pipe_.Receive("-ASK 7 h:2\r\n").ok());
  EXPECT_EQ(reader.error, RedisErrorKind::kAsk);
  EXPECT_EQ(reader.slot, 7);
  ASSERT_TRUE(pipe_.Send(command, reader));
  WriteAll();
  reader.ends.clear();
  ASSERT_TRUE(pipe_.Receive("|1\r\n+ttl\r\n:3\r\n*2\r\n:1\r\n:2\r\n").ok());
  EXPECT_EQ(reader.error, RedisErrorKind::kNone);
  EXPECT_EQ(reader.ends, (std::vector<std::uint32_t>{3, 2, 3}));
}

TEST_F(RedisPipeTest, RejectsAReplyWithoutACommand) { EXPECT_FALSE(pipe_.Receive("+OK\r\n").ok()); }

// Otherwise all later replies would be matched to the wrong commands.
TEST_F(RedisPipeTest, RejectsAReplyWithTheWrongNumberOfNodes) {
  RedisCommand& command = heard_.Make("a", {"EVALSHA"}, kLatestTime);
  command.reply_nodes = 3;
  ASSERT_TRUE(pipe_.Send(command, heard_));
  WriteAll();
  EXPECT_FALSE(pipe_.Receive("*1\r\n:1\r\n").ok());
  pipe_.Break(RedisAnswer::Cause::kFault);
  heard_.heard.clear();
  for (const std::string_view reply : {"*2\r\n:1\r\n:2\r\n", "-ERR no\r\n"}) {
    ASSERT_TRUE(pipe_.Send(command, heard_));
    WriteAll();
    EXPECT_TRUE(pipe_.Receive(reply).ok());
  }
  EXPECT_EQ(heard_.heard.size(), 2U);
}

TEST_F(RedisPipeTest, RejectsBytesThatAreNotResp) {
  Send("a");
  WriteAll();
  const Result<Done> received = pipe_.Receive("HTTP/1.1 400 Bad Request\r\n");
  ASSERT_FALSE(received.ok());
  EXPECT_EQ(received.error().message, "an unknown type of reply");
  pipe_.Break(RedisAnswer::Cause::kFault);
  EXPECT_EQ(heard_.heard, (Words{"a: unknown fault"}));
}

// Invariants (1) and (2).
TEST_F(RedisPipeTest, ReportsOnBreakWhetherEachCommandWasWritten) {
  Send("a");
  Send("b");
  ASSERT_EQ(pipe_.Output(), Bytes("a") + Bytes("b"));
  Send("c");
  pipe_.Wrote(Bytes("a").size() + 1);  // the first byte of b, too
  SCOPED_TRACE("then it breaks");
  pipe_.Break(RedisAnswer::Cause::kBroken);
  EXPECT_EQ(heard_.heard, (Words{"a: unknown broken", "b: unknown broken", "c: not sent broken"}));
  EXPECT_EQ(WriteAll(), "");
  // A new connection has no state of the old one.
  Send("d");
  EXPECT_EQ(WriteAll(), Bytes("d"));
  ASSERT_TRUE(pipe_.Receive("+d\r\n").ok());
  EXPECT_EQ(heard_.heard.back(), "d: +d");
}

TEST_F(RedisPipeTest, ReportsBufferedCommandsAsNotSentOnBreak) {
  Send("a");
  Send("b");
  ASSERT_EQ(pipe_.Output(), Bytes("a") + Bytes("b"));
  pipe_.Wrote(Bytes("a").size());
  pipe_.Break(RedisAnswer::Cause::kSilent);
  EXPECT_EQ(heard_.heard, (Words{"a: unknown silent", "b: not sent silent"}));
}

TEST_F(RedisPipeTest, DiscardsAPartialReplyOnBreak) {
  Send("a");
  WriteAll();
  ASSERT_TRUE(pipe_.Receive("$10\r\nabc").ok());
  pipe_.Break(RedisAnswer::Cause::kBroken);
  Send("b");
  WriteAll();
  ASSERT_TRUE(pipe_.Receive(":1\r\n").ok());
  EXPECT_EQ(heard_.heard, (Words{"a: unknown broken", "b: :1"}));
}

// Invariant (3).
TEST_F(RedisPipeTest, DeliversALateReply) {
  Send("a", At(5));
  WriteAll();
  EXPECT_EQ(pipe_.next_deadline(), At(5));
  pipe_.Expire(At(4));
  EXPECT_EQ(heard_.heard, Words{});
  pipe_.Expire(At(5));
  pipe_.Expire(At(6));
  EXPECT_EQ(heard_.heard, (Words{"a: overdue"}));
  EXPECT_EQ(pipe_.next_deadline(), std::nullopt);
  ASSERT_TRUE(pipe_.Receive(":7\r\n").ok());
  EXPECT_EQ(heard_.heard, (Words{"a: overdue", "a: late :7"}));
}

TEST_F(RedisPipeTest, DropsQueuedCommandsAtTheirDeadline) {
  Send("a", At(9));
  Send("b", At(3));
  Send("c", At(6));
  pipe_.Expire(At(5));
  EXPECT_EQ(heard_.heard, (Words{"b: not sent overdue"}));
  EXPECT_EQ(pipe_.next_deadline(), At(6));
  EXPECT_EQ(WriteAll(), Bytes("a") + Bytes("c"));
}

TEST_F(RedisPipeTest, ReportsOverdueCommandsAsLateOnBreak) {
  Send("a", At(1));
  WriteAll();
  pipe_.Expire(At(1));
  pipe_.Break(RedisAnswer::Cause::kBroken);
  EXPECT_EQ(heard_.heard, (Words{"a: overdue", "a: late unknown broken"}));
}

// Invariant (4).
TEST_F(RedisPipeTest, BoundsTheNumberOfCommandsInFlight) {
  for (const char* name : {"a", "b", "c", "d"}) EXPECT_TRUE(Send(name));
  EXPECT_FALSE(Send("e"));
  WriteAll();
  EXPECT_FALSE(Send("f"));
  ASSERT_TRUE(pipe_.Receive("+OK\r\n").ok());
  EXPECT_TRUE(Send("g"));
}

TEST_F(RedisPipeTest, BoundsTheBytesOfQueuedCommands) {
  const std::string large(80, 'x');
  EXPECT_TRUE(Send(large));
  EXPECT_FALSE(Send("b"));
  WriteAll();
  EXPECT_TRUE(Send("b"));
}

TEST_F(RedisPipeTest, QueuesWhatTheSystemDoesNotAccept) {
  for (const char* name : {"a", "b", "c", "d"}) Send(name);
  // Each command has 20 bytes, so two fill the output of one write.
  EXPECT_EQ(pipe_.Output(), Bytes("a") + Bytes("b"));
  pipe_.Wrote(5);
  EXPECT_EQ(pipe_.unanswered(), 2U);
  EXPECT_EQ(pipe_.Output().size(), 35U);
}

// Invariant (5).
TEST_F(RedisPipeTest, IgnoresPushes) {
  Send("a");
  WriteAll();
  ASSERT_TRUE(pipe_.Receive(">2\r\n+invalidate\r\n*0\r\n+A\r\n>1\r\n+x\r\n").ok());
  EXPECT_EQ(heard_.heard, (Words{"a: +A"}));
}

// Invariant (6).
TEST_F(RedisPipeTest, SendsOnlyCommandsAheadWhileHeld) {
  pipe_.Hold();
  Send("a");
  pipe_.SendAhead(heard_.Make("hello", {"GET", "hello"}), heard_);
  EXPECT_EQ(WriteAll(), Bytes("hello"));
  ASSERT_TRUE(pipe_.Receive("+hi\r\n").ok());
  pipe_.Release();
  EXPECT_EQ(WriteAll(), Bytes("a"));
}

TEST_F(RedisPipeTest, AllowsListenersToSendAndBreak) {
  Send("a");
  Send("b");
  WriteAll();
  heard_.then = [this] {
    heard_.then = nullptr;
    Send("again");
    pipe_.Break(RedisAnswer::Cause::kClosed);
  };
  EXPECT_TRUE(pipe_.Receive("+A\r\n+B\r\n").ok());
  EXPECT_EQ(heard_.heard, (Words{"a: +A", "b: unknown closed", "again: not sent closed"}));
}

TEST_F(RedisPipeTest, ReportsEachOverdueCommandOnce) {
  for (const auto& [name, at] : {std::pair{"a", 1}, std::pair{"b", 2}, std::pair{"c", 3}}) {
    Send(name, At(at));
  }
  WriteAll();
  for (int at = 1; at <= 4; ++at) pipe_.Expire(At(at));
  EXPECT_EQ(heard_.heard, (Words{"a: overdue", "b: overdue", "c: overdue"}));
}

// Invariant (4): dropped commands free their bytes.
TEST_F(RedisPipeTest, FreesTheBytesOfDroppedCommands) {
  const std::string large(80, 'x');
  for (int at = 1; at <= 3; ++at) {
    EXPECT_TRUE(Send(large, At(at))) << at;
    EXPECT_FALSE(Send("b")) << at;
    pipe_.Expire(At(at));
  }
  EXPECT_TRUE(Send("b"));
}

}  // namespace
}  // namespace sluice
