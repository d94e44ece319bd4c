#include "net/loop/choose_session.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/text.h"
#include "unit/net/http2/http2_frame.h"
#include "unit/net/loop/entered_connection.h"

namespace sluice {
namespace {

constexpr std::string_view kPing = "*1\r\n$4\r\nPING\r\n";

class PongService final : public RespService {
 public:
  void Serve(std::span<RespExchange* const> batch) override {
    for (RespExchange* exchange : batch) {
      exchange->reply = "+PONG\r\n";
      exchange->Finish();
    }
  }
};

// Connects to a listener that speaks all protocols.
class ChooseSessionTest : public testing::Test {
 protected:
  void SetUp() override { Begin(); }

  void Begin() {
    connection = std::make_unique<EnteredConnection>();
    connection->services.resp = std::make_unique<PongService>();
  }

  // Returns the reply of a new connection to these bytes, sent at once or one by one (is_cut).
  std::string Reply(std::string_view bytes, bool is_cut) {
    Begin();
    if (!is_cut) connection->Receive(bytes);
    for (const char& byte : is_cut ? bytes : std::string_view()) connection->Receive({&byte, 1});
    return connection->TakeOutput();
  }

  std::unique_ptr<EnteredConnection> connection;
};

// A proxy forwards the method that its client chose. If the reply were in another protocol, a proxy
// that fails open would let the request pass.
TEST_F(ChooseSessionTest, ServesAnyMethodAsHttp1) {
  std::vector<std::string> methods = {"PRI",      "PR",  "PRIX",  "P",      "*1",      "*12345",
                                      "**",       "*-1", "*0",    "*1$",    "PRI*",    "*+1",
                                      "*1234567", "*a",  "*PING", "*1*1*1", "CONNECT", "OPTIONS"};
  for (int byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<char>(byte);
    if (!kTokenBytes.Has(c)) continue;
    methods.emplace_back(1, c);
    methods.push_back(Concat("*", methods.back()));
    methods.push_back(Concat("PRI", methods.back()));
  }
  EXPECT_GT(methods.size(), 3 * 70U);
  for (const std::string& method : methods) {
    for (const bool is_cut : {false, true}) {
      const std::string target = method == "CONNECT" ? "h:1" : "/auth/edge";
      const std::string said =
          Reply(Concat(method, " ", target, " HTTP/1.1\r\nHost: h\r\n\r\n"), is_cut);
      EXPECT_TRUE(said.starts_with("HTTP/1.1 ")) << method << ": " << said;
      if (method == "CONNECT") continue;
      ASSERT_EQ(connection->service->seen.size(), 1U) << method << ": " << said;
      EXPECT_EQ(connection->service->seen[0].method, method);
    }
  }
}

TEST_F(ChooseSessionTest, AnswersUnknownProtocolsWithAnHttp1Error) {
  for (const std::string_view begin :
       {"*1 \r\n", "*1\n", "*1\r\r", "*\r\n", "*-1\r\n", "*12345678901234567890\r\n",
        "PRI * HTTP/2.0\r\n\r\nSX\r\n\r\n", "PRI * HTTP/2.1\r\n\r\n", "PRI * HTTP/1.1\r\n\r\n"}) {
    for (const bool is_cut : {false, true}) {
      const std::string said = Reply(Concat(begin, "\r\n\r\n"), is_cut);
      EXPECT_TRUE(said.starts_with("HTTP/1.1 4") || said.starts_with("HTTP/1.1 505"))
          << begin << ": " << said;
      EXPECT_TRUE(connection->ended()) << begin;
    }
  }
}

TEST_F(ChooseSessionTest, ServesRespAfterAnArrayLength) {
  EXPECT_EQ(Reply(kPing, false), "+PONG\r\n");
  EXPECT_EQ(Reply(kPing, true), "+PONG\r\n");
  EXPECT_EQ(Reply(Concat("*0\r\n", kPing), true), "+PONG\r\n");
  EXPECT_TRUE(Reply("*1234567890123456789\r\n", true).starts_with("-ERR "))
      << "as many digits as may be, but too many arguments";
}

TEST_F(ChooseSessionTest, ServesHttp2AfterTheWholePreface) {
  const std::string bytes =
      std::string(kPreface) + SettingsFrame() + RequestFrame(1, FrameEnd::kStream);
  EXPECT_FALSE(Reply(bytes, false).starts_with("HTTP/1.1"));
  EXPECT_EQ(connection->service->seen.size(), 1U);
  EXPECT_FALSE(Reply(bytes, true).starts_with("HTTP/1.1"));
  EXPECT_EQ(connection->service->seen.size(), 1U);
}

TEST_F(ChooseSessionTest, WaitsWhileBytesMatchSeveralProtocols) {
  for (const std::string_view whole : {kPing.substr(0, 4), std::string_view(kPreface)}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_EQ(Reply(whole.substr(0, size), false), "");
      EXPECT_EQ(connection->session, nullptr) << whole.substr(0, size);
    }
    Reply(whole, false);
    EXPECT_NE(connection->session, nullptr);
  }
}

// The listener does not speak RESP, so the bytes are a malformed HTTP/1 request.
TEST_F(ChooseSessionTest, AnswersRespWithHttp1WithoutARespService) {
  connection->services.resp = nullptr;
  connection->Receive(kPing);
  EXPECT_TRUE(connection->TakeOutput().starts_with("HTTP/1.1 400 "));
}

}  // namespace
}  // namespace sluice
