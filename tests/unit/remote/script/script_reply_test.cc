#include "remote/script/script_reply.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "remote/script/new_terms.h"
#include "remote/script/redis_scripts.h"
#include "unit/remote/script/redis_bench.h"

namespace sluice::testing {
namespace {

using std::chrono::seconds;

class ScriptReply : public RedisBench {
 protected:
  ScriptReply() : limit_(Keep(Spec())), call_(Operation::kCheck, {"k", &limit_}) {}

  static LimitSpec Spec() {
    LimitSpec spec;
    spec.rate = Rate{5, seconds{5}};
    return spec;
  }

  // Returns the error of ReadScriptReply for the bytes of a reply; empty if there is none.
  std::string FaultOf(const std::string& bytes) {
    RespValueReader reader{RespValueBounds{}};
    Decision decision;
    const auto outcome = ReadScriptReply(call_, reader.Read(bytes).nodes, {&decision, 1});
    return outcome.ok() ? "" : outcome.error().message;
  }

  RemoteLimit limit_;
  ScriptCall call_;
};

TEST_F(ScriptReply, RejectsAReplyOfAnotherForm) {
  EXPECT_EQ(FaultOf("*4\r\n:1\r\n:1700000000\r\n:0\r\n$0\r\n\r\n"), "");
  for (const char* bytes :
       {"-ERR something of a user\r\n", "+OK\r\n", "*0\r\n", "$-1\r\n",
        "*3\r\n:1\r\n:1700000000\r\n:0\r\n", "*4\r\n:4\r\n:1700000000\r\n:0\r\n$0\r\n\r\n",
        "*4\r\n:1\r\n:-1\r\n:0\r\n$0\r\n\r\n", "*4\r\n:1\r\n:1700000000\r\n:1000000\r\n$0\r\n\r\n",
        "*4\r\n:1\r\n:1700000000\r\n:0\r\n:5\r\n",
        "*5\r\n:1\r\n:1700000000\r\n:0\r\n$0\r\n\r\n$0\r\n\r\n"}) {
    EXPECT_EQ(FaultOf(bytes), "Redis answered with something else than a decision") << bytes;
  }
}

TEST_F(ScriptReply, RejectsATextThatIsNotAState) {
  for (const std::string state :
       {"x", "b1000000000,1,5,0", "b1000000000,1,5,0 1", "b1000000000,1,5,0 1 2 3",
        "b1000000000,1,5,0 -1 0", "b1000000000,1,5,0 1 1000000000", "b1000000000,1,5,0 1 a"}) {
    EXPECT_EQ(FaultOf("*4\r\n:1\r\n:1700000000\r\n:0\r\n$" + std::to_string(state.size()) + "\r\n" +
                      state + "\r\n"),
              "Redis holds something else than a state under a key")
        << state;
  }
}

TEST_F(ScriptReply, RejectsAReplyThatContradictsItsStates) {
  EXPECT_EQ(FaultOf("*4\r\n:0\r\n:1700000000\r\n:0\r\n$0\r\n\r\n"),
            "Redis decided otherwise than its answer says");
}

// A value that others stored under a key is not a state. It is reported and not changed.
TEST_F(ScriptReply, ReportsAForeignValueAndLeavesIt) {
  client_->Command({"SET", "k", "something of a user"});
  std::string command;
  call_.Write(now_, command);
  const auto nodes = client_->Ask(command);
  Decision decision;
  const auto outcome = ReadScriptReply(call_, nodes, {&decision, 1});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.value().status, ScriptStatus::kOtherTerms);
  FirstTerms first_terms;
  const auto meeting = MeetTerms(call_, nodes, first_terms);
  ASSERT_FALSE(meeting.ok());
  EXPECT_EQ(meeting.error().message, "Redis holds something else than a state under a key");
  EXPECT_EQ(client_->Text({"GET", "k"}), "something of a user");
}

TEST_F(ScriptReply, RejectsAKeyOfAnotherType) {
  client_->Command({"RPUSH", "k", "a"});
  std::string command;
  call_.Write(now_, command);
  const auto nodes = client_->Ask(command);
  ASSERT_EQ(nodes[0].type, RespType::kError);
  Decision decision;
  EXPECT_FALSE(ReadScriptReply(call_, nodes, {&decision, 1}).ok());
}

// If two nodes find the same old terms, only the first one changes the key.
TEST_F(ScriptReply, StoresNewTermsOnlyIfTheOldAreUnchanged) {
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit_, Cost{2}}).allowed);
  LimitSpec spec = Spec();
  spec.burst = 10;
  const RemoteLimit wider = Keep(spec);
  ScriptCall call(Operation::kCheck, {"k", &wider, Cost{1}});
  std::string command;
  call.Write(now_, command);
  FirstTerms first_terms;
  const auto meeting = MeetTerms(call, client_->Ask(command), first_terms);
  ASSERT_TRUE(meeting.ok());
  ASSERT_EQ(meeting.value().states.size(), 1U);
  std::string write;
  WriteNewStates(call, meeting.value().states, write);
  EXPECT_EQ(client_->Ask(write)[0].integer, 1);
  EXPECT_EQ(Decide(call).remaining, 7);
  EXPECT_EQ(client_->Ask(write)[0].integer, 0);
  EXPECT_EQ(Do(Operation::kPeek, {"k", &wider}).remaining, 7);
}

TEST_F(ScriptReply, ComputesTheSha1OfScripts) {
  for (const RedisScript* script : {&DecideScript(), &NewTermsScript(), &PermitScript()}) {
    EXPECT_EQ(client_->Text({"SCRIPT", "LOAD", script->text}), script->sha1);
  }
}

TEST_F(ScriptReply, ReportsAMissingScript) {
  client_->Command({"SCRIPT", "FLUSH"});
  std::string command;
  call_.Write(now_, command);
  const auto nodes = client_->Ask(command);
  ASSERT_EQ(nodes[0].type, RespType::kError);
  EXPECT_EQ(nodes[0].text.substr(0, 8), "NOSCRIPT");
  LoadScripts(*client_);
  EXPECT_EQ(Decide(call_).remaining, 4);
  Decision decision;
  EXPECT_TRUE(ReadScriptReply(call_, client_->Ask(command), {&decision, 1}).ok());
  EXPECT_EQ(decision.remaining, 3);
}

}  // namespace
}  // namespace sluice::testing
