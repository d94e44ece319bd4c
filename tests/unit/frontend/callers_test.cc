#include "frontend/callers.h"

#include <gtest/gtest.h>

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
             Sender sender = Sender::kProgram) {
  return callers.Of(peer, authorization, sender) == Permission::kLift;
}

TEST(CallersTest, ProgramsOfThisMachineMayLiftWhereNothingIsSaid) {
  const Callers callers;
  for (const char* local : {"", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(MayLift(callers, PeerAt(local))) << local;
    EXPECT_FALSE(MayLift(callers, PeerAt(local), "", Sender::kWebPage)) << local;
  }
  EXPECT_FALSE(MayLift(callers, PeerAt("192.0.2.1")));
  EXPECT_FALSE(MayLift(callers, PeerAt("unknown")));
}

TEST(CallersTest, WhomAProxyTellsAboutIsNotOfThisMachine) {
  Peer peer = PeerAt("127.0.0.1");
  peer.proxy = "192.0.2.1";
  EXPECT_FALSE(MayLift({}, peer));
  peer.proxy = "127.0.0.1";
  EXPECT_FALSE(MayLift({}, peer));
}

TEST(CallersTest, ANameInACertificateIsLeave) {
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

TEST(CallersTest, WhereNamesAreSaidThisMachineHasNoLeaveByItself) {
  Callers callers;
  callers.names = {ParseTlsName("billing.example.org")};
  EXPECT_FALSE(MayLift(callers, PeerAt("127.0.0.1")));
  EXPECT_FALSE(MayLift(callers, PeerAt("")));
}

TEST(CallersTest, ATokenOrAUserIsLeaveBesideNames) {
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
