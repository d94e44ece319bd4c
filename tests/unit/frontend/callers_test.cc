#include "frontend/callers.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {
namespace {

Peer PeerAt(std::string address) {
  Peer peer;
  peer.address = std::move(address);
  return peer;
}

bool MayLift(const Callers& callers, const Peer& peer, std::string_view authorization = "",
             Sender sender = Sender::kProgram, Protocol protocol = Protocol::kHttp) {
  return callers.Find(peer, authorization, sender, protocol) != Credential::kNone;
}

constexpr std::array kLoopback = {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"};

// A proxy on this machine makes every client a loopback client.
TEST(CallersTest, RequiresCredentialForHttpOverLoopback) {
  for (const char* address : kLoopback) EXPECT_FALSE(MayLift({}, PeerAt(address))) << address;
}

TEST(CallersTest, RequiresNoCredentialForGrpcOverLoopback) {
  Callers callers;
  for (const char* token : {"", "sixteen-bytes-or-more"}) {
    callers.token = token;
    for (const char* address : kLoopback) {
      const Peer peer = PeerAt(address);
      EXPECT_TRUE(MayLift(callers, peer, "", Sender::kProgram, Protocol::kGrpc)) << address;
      EXPECT_FALSE(MayLift(callers, peer, "", Sender::kWebPage, Protocol::kGrpc)) << address;
    }
  }
  for (const char* address : {"192.0.2.1", "unknown", ""}) {
    EXPECT_FALSE(MayLift(callers, PeerAt(address), "", Sender::kProgram, Protocol::kGrpc))
        << address;
  }
}

TEST(CallersTest, LoopbackSettingOpensHttpToPrograms) {
  Callers callers;
  callers.loopback = true;
  for (const char* address : kLoopback) {
    EXPECT_TRUE(MayLift(callers, PeerAt(address))) << address;
    EXPECT_FALSE(MayLift(callers, PeerAt(address), "", Sender::kWebPage)) << address;
  }
  EXPECT_FALSE(MayLift(callers, PeerAt("192.0.2.1")));
  EXPECT_FALSE(MayLift(callers, PeerAt("")));
}

TEST(CallersTest, LoopbackAddressInProxyHeaderIsNotLoopback) {
  Callers callers;
  callers.loopback = true;
  Peer peer = PeerAt("127.0.0.1");
  for (const char* proxy : {"192.0.2.1", "127.0.0.1"}) {
    peer.proxy = proxy;
    EXPECT_FALSE(MayLift(callers, peer)) << proxy;
    EXPECT_FALSE(MayLift(callers, peer, "", Sender::kProgram, Protocol::kGrpc)) << proxy;
  }
}

TEST(CallersTest, AllowsListedUsersOfUnixSockets) {
  Callers callers;
  callers.uids = {0, 1000};
  Peer peer = PeerAt("");
  EXPECT_FALSE(MayLift(callers, peer)) << "nothing is known of the user";
  for (const auto protocol : {Protocol::kHttp, Protocol::kGrpc}) {
    peer.uid = 1000;
    EXPECT_TRUE(MayLift(callers, peer, "", Sender::kProgram, protocol));
    EXPECT_FALSE(MayLift(callers, peer, "", Sender::kWebPage, protocol));
    peer.uid = 1001;
    EXPECT_FALSE(MayLift(callers, peer, "", Sender::kProgram, protocol));
  }
}

TEST(CallersTest, AllowsListedNamesInCertificates) {
  Callers callers;
  callers.names = {ParseTlsName("billing.example.org"), ParseTlsName("*.admin.example.org")};
  Peer peer = PeerAt("192.0.2.1");
  EXPECT_FALSE(MayLift(callers, peer));
  peer.names = {ParseTlsName("gateway.example.org")};
  EXPECT_FALSE(MayLift(callers, peer));
  peer.names.push_back(ParseTlsName("billing.example.org"));
  EXPECT_TRUE(MayLift(callers, peer));
  peer.names = {ParseTlsName("a.admin.example.org")};
  EXPECT_TRUE(MayLift(callers, peer));
  EXPECT_FALSE(MayLift(callers, peer, "", Sender::kWebPage)) << "browsers show it for every page";
}

TEST(CallersTest, AllowsTokenOrUserBesideCertificateNames) {
  Callers callers;
  callers.names = {ParseTlsName("billing.example.org")};
  callers.token = "sixteen-bytes-or-more";
  callers.uids = {1000};
  EXPECT_TRUE(MayLift(callers, PeerAt("192.0.2.1"), "Bearer sixteen-bytes-or-more"));
  EXPECT_FALSE(MayLift(callers, PeerAt("192.0.2.1"), "Bearer other"));
  Peer peer = PeerAt("");
  peer.uid = 1000;
  EXPECT_TRUE(MayLift(callers, peer));
  peer.uid = 1001;
  EXPECT_FALSE(MayLift(callers, peer));
}

}  // namespace
}  // namespace sluice
