#include "net/loop/proxy_session.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "unit/net/loop/entered_connection.h"

namespace sluice {
namespace {

using namespace std::string_literals;

const std::string kSignature = "\r\n\r\n\0\r\nQUIT\n"s;
const std::string kV4 =
    kSignature + "\x21\x11\0\x0C\xCB\x00\x71\x05\xC6\x33\x64\x07\x12\x67\x01\xBB"s;
const std::string kV6 = kSignature +
                        "\x21\x21\0\x24"
                        "\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0\0\0\x01"
                        "\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0\0\0\x02"
                        "\x12\x67\x01\xBB"s;
const std::string kLocal = kSignature + "\x20\0\0\0"s;
const std::string kUnspecified = kSignature + "\x21\0\0\0"s;
const std::string kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

class ProxySessionTest : public testing::Test {
 protected:
  ProxySessionTest() {
    connection.services.entrance.is_proxy = [](std::string_view address) {
      return address == "192.0.2.9";
    };
  }

  // Returns the peer that the service sees for a request after this header.
  Peer SeenBehind(const std::string& header) {
    connection.Receive(header + kGet);
    EXPECT_EQ(connection.service->seen.size(), 1U);
    return connection.service->seen.empty() ? Peer{} : connection.service->seen[0].peer;
  }

  void ExpectTurnedAway(std::string_view why) {
    EXPECT_TRUE(connection.ended());
    EXPECT_EQ(connection.TakeOutput(), "");
    EXPECT_EQ(connection.unread, "");
    EXPECT_TRUE(connection.service->seen.empty());
    ASSERT_EQ(connection.turned_away.size(), 1U);
    EXPECT_EQ(connection.turned_away[0].cause, ConnectionRejection::Cause::kProxyHeader);
    EXPECT_EQ(connection.turned_away[0].address, "192.0.2.9");
    EXPECT_EQ(connection.turned_away[0].why, why);
  }

  EnteredConnection connection;
};

TEST_F(ProxySessionTest, TakesPeerFromTheHeader) {
  const Peer seen = SeenBehind(kV4);
  EXPECT_EQ(seen.address, "203.0.113.5");
  EXPECT_EQ(seen.port, 4711);
  EXPECT_EQ(seen.proxy, "192.0.2.9");
  EXPECT_TRUE(connection.TakeOutput().starts_with("HTTP/1.1 200 OK\r\n"));
}

// Invariant (4) of Session. Two replies fill the output. The session must go on after the last two,
// even though there is no input left.
TEST_F(ProxySessionTest, ServesPausedRequestsOnceTheOutputIsSent) {
  connection.bounds.connection_bytes = 1;
  connection.bounds.connection_requests = 2;
  connection.Receive(kV4 + kGet + kGet + kGet + kGet);
  EXPECT_TRUE(connection.session->paused());
  EXPECT_EQ(connection.service->seen.size(), 2U);
  connection.TakeOutput();
  EXPECT_FALSE(connection.session->paused());
  EXPECT_EQ(connection.service->seen.size(), 4U);
}

TEST_F(ProxySessionTest, TakesIpv6PeerFromTheHeader) {
  EXPECT_EQ(SeenBehind(kV6).address, "2001:db8::1");
}

TEST_F(ProxySessionTest, KeepsTheProxyAsPeerForLocalHeaders) {
  const Peer seen = SeenBehind(kLocal);
  EXPECT_EQ(seen.address, "192.0.2.9");
  EXPECT_EQ(seen.port, 99);
  EXPECT_EQ(seen.proxy, "");
}

TEST_F(ProxySessionTest, NamesPeersWithoutIpAddressUnknown) {
  const Peer seen = SeenBehind(kUnspecified);
  EXPECT_EQ(seen.address, "unknown");
  EXPECT_EQ(seen.port, 0);
  EXPECT_EQ(seen.proxy, "192.0.2.9");
}

TEST_F(ProxySessionTest, AcceptsBytesOneByOne) {
  for (const char byte : kV4 + kGet + kGet) connection.Receive({&byte, 1});
  ASSERT_EQ(connection.service->seen.size(), 2U);
  EXPECT_EQ(connection.service->seen[1].peer.address, "203.0.113.5");
  EXPECT_EQ(connection.unread, "");
}

// Invariant (2).
TEST_F(ProxySessionTest, ClosesClientsThatAreNotAdmitted) {
  std::string asked;
  connection.admit_client = [&](std::string_view address) {
    asked = address;
    return false;
  };
  connection.Receive(kV4 + kGet);
  EXPECT_EQ(asked, "203.0.113.5");
  EXPECT_TRUE(connection.ended());
  EXPECT_EQ(connection.TakeOutput(), "");
  EXPECT_TRUE(connection.service->seen.empty());
}

TEST_F(ProxySessionTest, AdmitsProxiesWithLocalHeaders) {
  connection.admit_client = [](std::string_view) { return false; };
  SeenBehind(kLocal);
}

TEST_F(ProxySessionTest, RejectsHeadersFromUntrustedPeers) {
  connection.services.entrance.is_proxy = [](std::string_view) { return false; };
  connection.Receive(kV4 + kGet);
  ExpectTurnedAway("it is no proxy that is trusted");
}

TEST_F(ProxySessionTest, RejectsConnectionsWithoutAHeader) {
  connection.Receive(kGet);
  ExpectTurnedAway("no PROXY header");
}

TEST_F(ProxySessionTest, RejectsVersionOneHeaders) {
  connection.Receive("PROXY TCP4 203.0.113.5 198.51.100.7 4711 443\r\n");
  ExpectTurnedAway("a PROXY header of version 1, which is text; expected version 2");
}

TEST_F(ProxySessionTest, ReportsTheHeadPhaseDuringTheHeader) {
  connection.Receive(kV4.substr(0, 5));
  EXPECT_EQ(connection.session->phase(), Session::Phase::kHead);
  connection.Receive(kV4.substr(5));
  EXPECT_EQ(connection.session->phase(), Session::Phase::kHead);
  connection.Receive(kGet);
  EXPECT_EQ(connection.session->phase(), Session::Phase::kIdle);
  EXPECT_EQ(connection.session->completed(), 1U);
}

TEST_F(ProxySessionTest, PassesOnLateReplies) {
  connection.service->replies_later = true;
  connection.Receive(kV4 + kGet);
  EXPECT_EQ(connection.session->unfinished(), 1U);
  EXPECT_EQ(connection.TakeOutput(), "");
  connection.service->ReplyToAll();
  EXPECT_EQ(connection.late_replies, 1U);
  EXPECT_EQ(connection.session->unfinished(), 0U);
  EXPECT_TRUE(connection.TakeOutput().ends_with("hello"));
}

TEST_F(ProxySessionTest, EndsWithTheInnerSession) {
  connection.Receive(kV4 + "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(connection.ended());
  EXPECT_TRUE(connection.TakeOutput().ends_with("hello"));
}

TEST_F(ProxySessionTest, EndsAfterTheLastReplyWhenDrained) {
  connection.service->replies_later = true;
  connection.Receive(kV4 + kGet);
  connection.session->Drain();
  EXPECT_FALSE(connection.ended());
  connection.service->ReplyToAll();
  EXPECT_TRUE(connection.ended());
  EXPECT_NE(connection.TakeOutput().find("Connection: close\r\n"), std::string::npos);
}

TEST_F(ProxySessionTest, AnnouncesCloseInTheFirstReplyAfterADrain) {
  connection.Receive(kV4);
  connection.session->Drain();
  EXPECT_FALSE(connection.ended());
  connection.Receive(kGet);
  EXPECT_TRUE(connection.ended());
  EXPECT_NE(connection.TakeOutput().find("Connection: close\r\n"), std::string::npos);
}

TEST_F(ProxySessionTest, EndsOnASecondDrainWithoutRequests) {
  connection.Receive(kV4);
  connection.session->Drain();
  connection.session->Drain();
  EXPECT_TRUE(connection.ended());
}

}  // namespace
}  // namespace sluice
