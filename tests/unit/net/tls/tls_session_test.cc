#include "net/tls/tls_session.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/resp/resp_service.h"
#include "unit/net/http2/http2_client.h"
#include "unit/net/tls/tls_certificates.h"
#include "unit/net/tls/tls_pair.h"

namespace sluice {
namespace {

using namespace std::string_literals;
using Phase = Session::Phase;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr std::string_view kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const std::string kH2 = "\2h2";
const std::string kHttp1 = "\x8http/1.1";

class EchoResp final : public RespService {
 public:
  void Serve(std::span<RespExchange* const> batch) override {
    for (RespExchange* exchange : batch) {
      exchange->reply = "+" + std::string(exchange->arguments[0]) + "\r\n";
      exchange->Finish();
    }
  }
};

class TlsSessionTest : public testing::Test {
 protected:
  std::unique_ptr<TlsPair> Join(const TlsClient::Options& options) {
    return std::make_unique<TlsPair>(tls, options);
  }
  TlsClient::Options Believing() { return {.authority = authority.certificate()}; }

  const TestAuthority authority{"authority"};
  const IssuedCertificate own = authority.Issue({.names = "DNS:server.example.org"});
  const std::shared_ptr<TlsSource> tls = MakeTlsSource({own.certificate, own.key, {}}, {});
};

TEST_F(TlsSessionTest, AnswersRequestsAfterTheHandshake) {
  const auto pair = Join(Believing());
  EXPECT_EQ(pair->Ask(kGet), kHello);
  EXPECT_EQ(pair->client.version(), "TLSv1.3");
  ASSERT_EQ(pair->server.service->seen.size(), 1U);
  EXPECT_EQ(pair->server.service->seen[0].peer.address, "192.0.2.9");
  EXPECT_TRUE(pair->server.service->seen[0].peer.names.empty());
  EXPECT_EQ(pair->server.session->completed(), 1U);
  EXPECT_EQ(pair->server.unread, "");
  EXPECT_FALSE(pair->server.ended());
}

TEST_F(TlsSessionTest, AcceptsBytesOneByOne) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient::Options options = Believing();
    options.version = version;
    const auto pair = Join(options);
    pair->Exchange(1);
    pair->client.Say(kGet);
    pair->client.Say(kGet);
    pair->Exchange(1);
    EXPECT_EQ(pair->client.heard, std::string(kHello) + std::string(kHello));
  }
}

TEST_F(TlsSessionTest, ServesRequestsOfOneReceiveAsOneBatch) {
  const auto pair = Join(Believing());
  pair->Exchange();
  for (int i = 0; i < 5; ++i) pair->client.Say(kGet);
  pair->Exchange();
  EXPECT_EQ(pair->server.service->batches, std::vector<std::size_t>{5});
}

// Invariant (4) of Session.
TEST_F(TlsSessionTest, ServesPausedRequestsOnceTheOutputIsSent) {
  const auto pair = Join(Believing());
  pair->server.bounds.connection_bytes = kHello.size();
  std::string requests;
  std::string replies;
  for (int i = 0; i < 5; ++i) {
    requests += kGet;
    replies += kHello;
  }
  pair->server.bounds.connection_requests = 2;
  EXPECT_EQ(pair->Ask(requests), replies);
  EXPECT_FALSE(pair->server.session->paused());
}

TEST_F(TlsSessionTest, ServesPausedRequestsAfterCloseNotify) {
  const auto pair = Join(Believing());
  pair->server.bounds.connection_bytes = 1;
  pair->server.bounds.connection_requests = 2;
  pair->Exchange();
  for (int i = 0; i < 5; ++i) pair->client.Say(kGet);
  pair->client.SayGoodbye();
  pair->Exchange();
  EXPECT_EQ(pair->server.service->seen.size(), 5U);
  EXPECT_TRUE(pair->server.ended());
}

TEST_F(TlsSessionTest, PassesLargeBodiesBothWays) {
  const auto pair = Join(Believing());
  pair->server.service->fill = [](HttpReply& reply) { reply.body.assign(300'000, 'r'); };
  const std::string heard = pair->Ask(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n" + std::string(200'000, 'b'));
  EXPECT_TRUE(heard.ends_with("\r\n\r\n" + std::string(300'000, 'r')));
  ASSERT_EQ(pair->server.service->seen.size(), 1U);
  EXPECT_EQ(pair->server.service->seen[0].body, std::string(200'000, 'b'));
}

TEST_F(TlsSessionTest, SpeaksHttp2IfNegotiated) {
  TlsClient::Options options = Believing();
  options.protocols = kHttp1 + kH2;
  const auto pair = Join(options);
  pair->Exchange();
  EXPECT_EQ(pair->client.protocol(), "h2");
  Http2Client http;
  const std::int32_t stream = http.Get("/");
  EXPECT_TRUE(http.Receive(pair->Ask(http.TakeOutput())));
  EXPECT_EQ(http.replies[stream].body, "hello");
}

TEST_F(TlsSessionTest, SpeaksHttp1IfNegotiated) {
  TlsClient::Options options = Believing();
  options.protocols = kHttp1;
  const auto pair = Join(options);
  EXPECT_EQ(pair->Ask(kGet), kHello);
  EXPECT_EQ(pair->client.protocol(), "http/1.1");
}

TEST_F(TlsSessionTest, RejectsHttp1AfterNegotiatingHttp2) {
  TlsClient::Options options = Believing();
  options.protocols = kH2;
  const auto pair = Join(options);
  pair->Ask(kGet);
  EXPECT_TRUE(pair->server.service->seen.empty());
  EXPECT_TRUE(pair->server.ended());
}

TEST_F(TlsSessionTest, AlertsClientsWithoutACommonProtocol) {
  TlsClient::Options options = Believing();
  options.protocols = "\5redis";
  const auto pair = Join(options);
  pair->Exchange();
  EXPECT_TRUE(pair->server.ended());
  EXPECT_EQ(pair->client.alert, "no application protocol");
}

TEST_F(TlsSessionTest, ChoosesProtocolByFirstBytesWithoutAlpn) {
  auto pair = Join(Believing());
  pair->server.services.resp = std::make_unique<EchoResp>();
  EXPECT_EQ(pair->Ask("*1\r\n$4\r\nPING\r\n"), "+PING\r\n");
  pair = Join(Believing());
  Http2Client http;
  const std::int32_t stream = http.Get("/");
  const std::string asked = http.TakeOutput();
  pair->Ask(asked.substr(0, 2));
  EXPECT_TRUE(http.Receive(pair->Ask(asked.substr(2))));
  EXPECT_EQ(http.replies[stream].body, "hello");
}

TEST_F(TlsSessionTest, RejectsOldTlsVersions) {
  TlsClient::Options options = Believing();
  options.version = TLS1_1_VERSION;
  const auto pair = Join(options);
  pair->Exchange();
  EXPECT_FALSE(pair->client.is_connected());
  EXPECT_TRUE(pair->server.ended());
  EXPECT_EQ(pair->client.alert, "protocol version");
  ASSERT_EQ(pair->server.turned_away.size(), 1U);
  EXPECT_EQ(pair->server.turned_away[0].cause, ConnectionRejection::Cause::kHandshake);
  EXPECT_EQ(pair->server.turned_away[0].why, "unsupported protocol");
}

TEST_F(TlsSessionTest, AllowsRequiringTls13) {
  const auto newest = MakeTlsSource({own.certificate, own.key, {}}, {.oldest = TlsVersion::k13});
  TlsClient::Options options = Believing();
  options.version = TLS1_2_VERSION;
  TlsPair pair(newest, options);
  pair.Exchange();
  EXPECT_EQ(pair.client.alert, "protocol version");
}

TEST_F(TlsSessionTest, RejectsUnauthenticatedCiphers) {
  TlsClient::Options options = Believing();
  options.version = TLS1_2_VERSION;
  options.ciphers = "ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA";
  const auto pair = Join(options);
  pair->Exchange();
  EXPECT_FALSE(pair->client.is_connected());
  EXPECT_EQ(pair->client.alert, "handshake failure");
}

TEST_F(TlsSessionTest, RejectsRenegotiation) {
  TlsClient::Options options = Believing();
  options.version = TLS1_2_VERSION;
  const auto pair = Join(options);
  EXPECT_EQ(pair->Ask(kGet), kHello);
  pair->client.Renegotiate();
  pair->Exchange();
  EXPECT_EQ(pair->client.alert, "no renegotiation");
}

TEST_F(TlsSessionTest, ClosesOnGarbage) {
  for (const std::string& garbage : {"\0\1\2\3"s, "\x16\x03\x01\x00\x05hello"s, "\x16"s + kHttp1,
                                     "\x16\x03\x01\xFF\xFF"s, "\x80\x2E\x01\x03\x01"s}) {
    EnteredConnection server;
    server.services.entrance.tls = tls;
    server.Receive(garbage);
    EXPECT_TRUE(server.ended());
    EXPECT_EQ(server.unread, "");
    ASSERT_EQ(server.turned_away.size(), 1U);
    EXPECT_EQ(server.turned_away[0].cause, ConnectionRejection::Cause::kHandshake);
    EXPECT_FALSE(server.turned_away[0].why.empty());
    EXPECT_TRUE(server.service->seen.empty());
  }
}

TEST_F(TlsSessionTest, AnswersPlaintextClientsInTheirProtocol) {
  EnteredConnection http;
  http.services.entrance.tls = tls;
  http.Receive(kGet);
  const std::string said = http.TakeOutput();
  EXPECT_TRUE(said.starts_with("HTTP/1.1 400 Bad Request\r\n")) << said;
  const std::string body = said.substr(said.find("\r\n\r\n") + 4);
  EXPECT_NE(said.find("Content-Length: " + std::to_string(body.size()) + "\r\n"), said.npos);
  EXPECT_TRUE(http.ended());
  EXPECT_TRUE(http.service->seen.empty());

  EnteredConnection resp;
  resp.services.entrance.tls = tls;
  resp.Receive("*1\r\n$4\r\nPING\r\n");
  EXPECT_EQ(resp.TakeOutput(), "-ERR this port speaks TLS\r\n");
  EXPECT_TRUE(resp.ended());
}

TEST_F(TlsSessionTest, EndsOnATamperedRecord) {
  const auto pair = Join(Believing());
  pair->Exchange();
  pair->client.Say(kGet);
  std::string asked = pair->client.TakeOutput();
  asked.back() = static_cast<char>(asked.back() + 1);
  pair->server.Receive(asked);
  EXPECT_TRUE(pair->server.ended());
  EXPECT_TRUE(pair->server.service->seen.empty());
  EXPECT_TRUE(pair->server.turned_away.empty());
}

TEST_F(TlsSessionTest, AnswersCloseNotify) {
  const auto pair = Join(Believing());
  pair->Ask(kGet);
  pair->client.SayGoodbye();
  pair->Exchange();
  EXPECT_TRUE(pair->server.ended());
  EXPECT_TRUE(pair->client.is_told_goodbye);
}

TEST_F(TlsSessionTest, AnswersRequestsSentBeforeCloseNotify) {
  const auto pair = Join(Believing());
  pair->server.service->replies_later = true;
  pair->Exchange();
  pair->client.Say(kGet);
  pair->client.SayGoodbye();
  pair->Exchange();
  EXPECT_FALSE(pair->server.ended());
  EXPECT_EQ(pair->server.session->unfinished(), 1U);
  pair->server.service->ReplyToAll();
  EXPECT_EQ(pair->server.late_replies, 1U);
  EXPECT_EQ(pair->server.session->unfinished(), 0U);
  EXPECT_TRUE(pair->server.ended());
  pair->Exchange();
  EXPECT_TRUE(pair->client.heard.ends_with("hello"));
  EXPECT_TRUE(pair->client.is_told_goodbye);
}

TEST_F(TlsSessionTest, SendsCloseNotifyAfterTheLastReply) {
  const auto pair = Join(Believing());
  pair->Ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(pair->server.ended());
  EXPECT_TRUE(pair->client.heard.ends_with("hello"));
  EXPECT_TRUE(pair->client.is_told_goodbye);
}

TEST_F(TlsSessionTest, AnswersRequestsAndSendsCloseNotifyWhenDrained) {
  const auto pair = Join(Believing());
  pair->server.service->replies_later = true;
  pair->Ask(kGet);
  pair->server.session->Drain();
  EXPECT_FALSE(pair->server.ended());
  pair->server.service->ReplyToAll();
  EXPECT_TRUE(pair->server.ended());
  pair->Exchange();
  EXPECT_NE(pair->client.heard.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(pair->client.is_told_goodbye);
}

TEST_F(TlsSessionTest, EndsOnASecondDrainDuringTheHandshake) {
  const auto pair = Join(Believing());
  pair->server.Receive(pair->client.TakeOutput());
  pair->server.TakeOutput();
  pair->server.session->Drain();
  EXPECT_FALSE(pair->server.ended());
  pair->server.session->Drain();
  EXPECT_TRUE(pair->server.ended());
  EXPECT_EQ(pair->server.TakeOutput(), "");
}

TEST_F(TlsSessionTest, ReportsTheHeadPhaseForHandshakesAndPartialRecords) {
  const auto pair = Join(Believing());
  pair->server.Receive(pair->client.TakeOutput());
  EXPECT_EQ(pair->server.session->phase(), Phase::kHead);
  pair->client.Receive(pair->server.TakeOutput());
  pair->Exchange();
  EXPECT_EQ(pair->server.session->phase(), Phase::kHead) << "nothing was asked yet";
  pair->Ask(kGet);
  EXPECT_EQ(pair->server.session->phase(), Phase::kIdle);
  pair->client.Say(kGet);
  const std::string record = pair->client.TakeOutput();
  pair->server.Receive(record.substr(0, 10));
  EXPECT_EQ(pair->server.session->phase(), Phase::kHead);
  pair->server.Receive(record.substr(10));
  EXPECT_EQ(pair->server.session->phase(), Phase::kIdle);
}

TEST_F(TlsSessionTest, AcceptsTicketsOfTheSameContext) {
  const auto first = Join(Believing());
  first->Ask(kGet);
  const auto second = Join(Believing());
  second->client.Resume(first->client);
  EXPECT_EQ(second->Ask(kGet), kHello);
  EXPECT_TRUE(second->client.is_resumed());
}

TEST_F(TlsSessionTest, UsesNewCertificatesForNewConnections) {
  const auto before = Join(Believing());
  before->Ask(kGet);
  const IssuedCertificate next = authority.Issue({.names = "DNS:next.example.org"});
  tls->Use(TlsContext::Make({next.certificate, next.key, {}}, {}).value());
  const auto after = Join(Believing());
  after->client.Resume(before->client);
  EXPECT_EQ(after->Ask(kGet), kHello);
  EXPECT_FALSE(after->client.is_resumed()) << "tickets are for the context that gave them out";
  EXPECT_EQ(after->client.server_names(), "DNS:next.example.org");
  EXPECT_EQ(before->Ask(kGet), kHello);
  EXPECT_EQ(before->client.server_names(), "DNS:server.example.org");
}

}  // namespace
}  // namespace sluice
