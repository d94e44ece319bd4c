#include "load/resp_load.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "listener.h"

namespace sluice {
namespace {

class RespLoadTest : public testing::Test {
 protected:
  // Returns what the listener records when these bytes answer `sent` requests, in one piece or byte
  // by byte.
  Heard Hear(RespMeaning meaning, int sent, std::string_view bytes) {
    WritingListener one;
    WritingListener many;
    const auto whole = MakeRespLoad(one, request, meaning);
    const auto cut = MakeRespLoad(many, request, meaning);
    for (int i = 1; i <= sent; ++i) {
      whole->Send(1, At(i));
      cut->Send(1, At(i));
    }
    EXPECT_TRUE(whole->Receive(bytes)) << whole->fault();
    for (const char byte : bytes) EXPECT_TRUE(cut->Receive({&byte, 1}));
    EXPECT_EQ(one.heard, many.heard);
    return one.heard;
  }

  std::shared_ptr<const RequestTemplate> request = std::make_shared<RequestTemplate>(
      10, [](std::string_view key) { return "*1\r\n$1\r\n" + std::string(key) + "\r\n"; });
};

TEST_F(RespLoadTest, DerivesTheMeaningFromTheCommand) {
  EXPECT_EQ(MeaningOf("cl.Throttle"), RespMeaning::kThrottled);
  EXPECT_EQ(MeaningOf("SLUICE.CHECK"), RespMeaning::kAllowed);
  EXPECT_EQ(MeaningOf("INCR"), RespMeaning::kAny);
}

TEST_F(RespLoadTest, ReadsRefusalFromTheFirstElementOfThrottle) {
  EXPECT_EQ(Hear(RespMeaning::kThrottled, 3,
                 "*5\r\n:0\r\n:16\r\n:15\r\n:-1\r\n:2\r\n"
                 "*5\r\n:1\r\n:16\r\n:0\r\n:2\r\n:2\r\n-OOM no memory\r\n"),
            (Heard{"1 allowed", "2 refused", "3 error: OOM no memory"}));
}

TEST_F(RespLoadTest, SendsLoginFirstAndIgnoresItsReply) {
  WritingListener listener;
  const auto session = MakeRespLoad(listener, request, RespMeaning::kAny, "login ");
  session->Send(1, At(1));
  EXPECT_EQ(session->output, "login *1\r\n$1\r\n1\r\n");
  EXPECT_TRUE(session->Receive("+OK\r\n"));
  EXPECT_EQ(listener.heard, Heard{});
  EXPECT_TRUE(session->Receive("+OK\r\n"));
  EXPECT_EQ(listener.heard, Heard{"1 allowed"});
}

TEST_F(RespLoadTest, FailsIfLoginIsRefused) {
  WritingListener listener;
  const auto session = MakeRespLoad(listener, request, RespMeaning::kAny, "login ");
  session->Send(1, At(1));
  EXPECT_FALSE(session->Receive("-WRONGPASS no\r\n"));
  EXPECT_EQ(session->fault(), "does not take the token: WRONGPASS no");
}

TEST_F(RespLoadTest, ReadsAllowedFromTheFirstElementOfCheck) {
  EXPECT_EQ(Hear(RespMeaning::kAllowed, 3, "*2\r\n:1\r\n:2\r\n*2\r\n:0\r\n:2\r\n:1\r\n"),
            (Heard{"1 allowed", "2 refused", "3 error: a reply that is no verdict"}));
}

TEST_F(RespLoadTest, CountsEveryReplyButErrorsAsAllowedForOtherCommands) {
  EXPECT_EQ(
      Hear(RespMeaning::kAny, 4, ":1\r\n$-1\r\n+OK\r\n-ERR wrong number of arguments\r\n"),
      (Heard{"1 allowed", "2 allowed", "3 allowed", "4 error: ERR wrong number of arguments"}));
}

TEST_F(RespLoadTest, IgnoresPushes) {
  EXPECT_EQ(Hear(RespMeaning::kAny, 1, ">2\r\n+a\r\n+b\r\n:1\r\n"), Heard{"1 allowed"});
}

TEST_F(RespLoadTest, FailsIfTheServerSpeaksAnotherProtocol) {
  WritingListener listener;
  const auto session = MakeRespLoad(listener, request, RespMeaning::kAny);
  session->Send(1, At(1));
  EXPECT_EQ(session->output, "*1\r\n$1\r\n1\r\n");
  EXPECT_FALSE(session->Receive("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_NE(session->fault(), "");
  session->ReceiveEnd("closed");
  EXPECT_EQ(listener.heard, Heard{"1 error: closed"});
}

}  // namespace
}  // namespace sluice
