#include "net/loop/connection_limits.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace sluice {
namespace {

class ConnectionLimitsTest : public testing::Test {
 protected:
  static Bounds Small() {
    Bounds bounds;
    bounds.connections = 4;
    bounds.operator_connections = 2;
    bounds.address_connections = 2;
    return bounds;
  }

  // Takes a slot and keeps it in `taken`. Returns false if there was none.
  bool Take(Audience audience, std::string_view address) {
    std::optional<ConnectionLimits::Slot> slot = slots.Take(audience, address);
    if (!slot) return false;
    taken.push_back(std::move(*slot));
    return true;
  }

  ConnectionLimits slots{Small()};
  std::vector<ConnectionLimits::Slot> taken;
};

// Invariant (1).
TEST_F(ConnectionLimitsTest, KeepsOperatorSlotsWhenClientsUseAllTheirs) {
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(Take(Audience::kClients, ""));
  EXPECT_FALSE(slots.HasRoom(Audience::kClients));
  EXPECT_FALSE(Take(Audience::kClients, ""));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(Take(Audience::kOperators, "192.0.2.1"));
  EXPECT_FALSE(slots.HasRoom(Audience::kOperators));
  EXPECT_FALSE(Take(Audience::kOperators, "192.0.2.1"));
}

TEST_F(ConnectionLimitsTest, KeepsClientSlotsWhenOperatorsUseAllTheirs) {
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(Take(Audience::kOperators, ""));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(Take(Audience::kClients, ""));
}

TEST_F(ConnectionLimitsTest, ReturnsSlotOnDestruction) {
  for (int i = 0; i < 4; ++i) Take(Audience::kClients, "");
  taken.pop_back();
  EXPECT_EQ(slots.count(Audience::kClients), 3U);
  EXPECT_TRUE(Take(Audience::kClients, ""));
  taken.clear();
  EXPECT_EQ(slots.count(Audience::kClients), 0U);
}

// Invariant (2).
TEST_F(ConnectionLimitsTest, BoundsConnectionsPerAddress) {
  EXPECT_TRUE(Take(Audience::kClients, "192.0.2.1"));
  EXPECT_TRUE(Take(Audience::kClients, "192.0.2.1"));
  EXPECT_FALSE(Take(Audience::kClients, "192.0.2.1"));
  EXPECT_EQ(slots.count(Audience::kClients), 2U);
  EXPECT_TRUE(Take(Audience::kClients, "192.0.2.2"));
  taken.clear();
  EXPECT_TRUE(Take(Audience::kClients, "192.0.2.1"));
}

TEST_F(ConnectionLimitsTest, CountsIpv6AddressesPerNetwork) {
  EXPECT_TRUE(Take(Audience::kClients, "2001:db8:0:1::1"));
  EXPECT_TRUE(Take(Audience::kClients, "2001:db8::1:a:b:c:d"));
  EXPECT_FALSE(Take(Audience::kClients, "2001:db8:0:1:ffff::"));
  EXPECT_TRUE(Take(Audience::kClients, "2001:db8:0:2::1"));
}

// Dual-stack sockets report IPv4 peers in this form.
TEST_F(ConnectionLimitsTest, CountsMappedIpv4AddressesAsIpv4) {
  EXPECT_TRUE(Take(Audience::kClients, "::ffff:192.0.2.1"));
  EXPECT_TRUE(Take(Audience::kClients, "192.0.2.1"));
  EXPECT_FALSE(Take(Audience::kClients, "::ffff:192.0.2.1"));
  EXPECT_TRUE(Take(Audience::kClients, "::ffff:192.0.2.2"));
}

TEST_F(ConnectionLimitsTest, ExemptsThisMachineFromTheBoundPerAddress) {
  for (const std::string_view address : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", ""}) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(Take(Audience::kClients, address)) << address;
    taken.clear();
  }
}

// A client behind a proxy has the same bound as one that connects directly, and takes no
// connections from others.
TEST_F(ConnectionLimitsTest, CountsProxyConnectionsToTheirClients) {
  const auto take_for = [&](std::string_view client) {
    std::optional<ConnectionLimits::Slot> slot =
        slots.Take(Audience::kClients, "192.0.2.9", PeerKind::kTrustedProxy);
    if (!slot || !slot->MoveTo(client)) return false;
    taken.push_back(std::move(*slot));
    return true;
  };
  EXPECT_TRUE(take_for("198.51.100.7"));
  EXPECT_TRUE(take_for("198.51.100.7"));
  EXPECT_FALSE(take_for("198.51.100.7"));
  EXPECT_FALSE(Take(Audience::kClients, "198.51.100.7")) << "nor directly";
  EXPECT_TRUE(take_for("203.0.113.9"));
  EXPECT_EQ(slots.count(Audience::kClients), 3U);
  taken.clear();
  EXPECT_TRUE(take_for("198.51.100.7"));
}

TEST_F(ConnectionLimitsTest, ExemptsProxiesUntilTheyNameTheirClients) {
  for (int i = 0; i < 4; ++i) {
    std::optional<ConnectionLimits::Slot> slot =
        slots.Take(Audience::kClients, "192.0.2.9", PeerKind::kTrustedProxy);
    ASSERT_TRUE(slot);
    taken.push_back(std::move(*slot));
  }
  EXPECT_FALSE(slots.HasRoom(Audience::kClients)) << "but it is counted";
  taken.clear();
  EXPECT_TRUE(Take(Audience::kClients, "192.0.2.9"));
}

// An address without connections takes no memory, however many come and go.
TEST_F(ConnectionLimitsTest, ForgetsAddressesWithoutConnections) {
  const auto visit = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      EXPECT_TRUE(
          Take(Audience::kClients, Concat("10.", i >> 16, ".", i >> 8 & 255, ".", i & 255)));
      taken.clear();
    }
  };
  visit(0, 1000);
  const std::size_t before = mallinfo2().uordblks;
  visit(1000, 21'000);
  EXPECT_LT(mallinfo2().uordblks, before + 20'000);
}

class ConnectionEvictionTest : public testing::Test {
 protected:
  static Bounds Ten() {
    Bounds bounds;
    bounds.connections = 10;
    bounds.address_connections = 10;
    bounds.operator_connections = 10;
    return bounds;
  }

  // Takes a slot for a connection that has waited for a request since `since`. Returns its id.
  std::uint64_t TakeIdle(std::string_view address, int since,
                         Audience audience = Audience::kClients) {
    return Take(address, ConnectionWait::kRequest, since, audience);
  }
  std::uint64_t Take(std::string_view address, ConnectionWait wait, int since = 0,
                     Audience audience = Audience::kClients) {
    std::optional<ConnectionLimits::Slot> slot = slots.Take(audience, address);
    EXPECT_TRUE(slot);
    slot->SetWaiting(wait, Nanos(since));
    taken.push_back(std::move(*slot));
    return taken.back().id();
  }
  std::vector<std::uint64_t> Choose(std::size_t max_count) {
    return slots.ChooseToLeave(Audience::kClients, max_count);
  }
  using Ids = std::vector<std::uint64_t>;

  ConnectionLimits slots{Ten()};
  std::vector<ConnectionLimits::Slot> taken;
};

// Invariant (4).
TEST_F(ConnectionEvictionTest, ChoosesLongestWaitingOfTheBusiestAddress) {
  TakeIdle("192.0.2.1", 1);
  TakeIdle("192.0.2.2", 30);
  const std::uint64_t second = TakeIdle("192.0.2.2", 20);
  const std::uint64_t first = TakeIdle("192.0.2.2", 10);
  TakeIdle("192.0.2.1", 2);
  EXPECT_EQ(Choose(2), (Ids{first, second}));
}

TEST_F(ConnectionEvictionTest, RanksIpv6AddressesByNetwork) {
  TakeIdle("192.0.2.1", 1);
  TakeIdle("192.0.2.1", 1);
  const std::uint64_t first = TakeIdle("2001:db8::1", 2);
  TakeIdle("2001:db8::2", 3);
  TakeIdle("2001:db8::3", 3);
  EXPECT_EQ(Choose(1), Ids{first});
}

TEST_F(ConnectionEvictionTest, ChoosesAgainOnlyAfterTheChosenHaveReacted) {
  TakeIdle("192.0.2.2", 10);
  const std::uint64_t second = TakeIdle("192.0.2.2", 20);
  const std::uint64_t first = TakeIdle("192.0.2.2", 5);
  EXPECT_EQ(Choose(1), Ids{first});
  EXPECT_EQ(Choose(1), Ids{});
  taken.pop_back();
  EXPECT_EQ(Choose(1), Ids{taken.front().id()});
  taken.front().SetWaiting(ConnectionWait::kNone, Nanos(0));
  EXPECT_EQ(Choose(1), Ids{second});
}

TEST_F(ConnectionEvictionTest, ChoosesAtMostHalfOfTheCandidates) {
  TakeIdle("192.0.2.1", 0);
  for (int i = 0; i < 5; ++i) TakeIdle("192.0.2.2", i);
  EXPECT_EQ(Choose(64).size(), 3U);
}

TEST_F(ConnectionEvictionTest, ChoosesFromAllAddressesWithTheHighestCount) {
  const std::uint64_t second = TakeIdle("192.0.2.1", 2);
  TakeIdle("192.0.2.2", 3);
  const std::uint64_t first = TakeIdle("192.0.2.3", 1);
  EXPECT_EQ(Choose(2), (Ids{first, second}));
}

// Invariant (3).
TEST_F(ConnectionEvictionTest, SparesConnectionsWithRequestsInFlight) {
  for (int i = 0; i < 5; ++i) Take("192.0.2.2", ConnectionWait::kNone);
  const std::uint64_t idle = TakeIdle("192.0.2.1", 100);
  EXPECT_EQ(Choose(3), Ids{idle});
}

TEST_F(ConnectionEvictionTest, SparesNewConnections) {
  std::optional<ConnectionLimits::Slot> slot = slots.Take(Audience::kClients, "192.0.2.1");
  EXPECT_EQ(Choose(1), Ids{});
}

TEST_F(ConnectionEvictionTest, ChoosesTransfersOfAddressesAboveTheirShare) {
  TakeIdle("192.0.2.1", 1);
  TakeIdle("192.0.2.1", 1);
  // The fair share is 3: ten connections, divided by two addresses plus one.
  for (int i = 0; i < 3; ++i) Take("192.0.2.2", ConnectionWait::kTransfer);
  EXPECT_EQ(Choose(1), Ids{taken.front().id()});
  taken.front().SetWaiting(ConnectionWait::kNone, Nanos(0));
  const std::uint64_t first = Take("192.0.2.2", ConnectionWait::kTransfer, -1);
  EXPECT_EQ(Choose(1), Ids{first});
}

TEST_F(ConnectionEvictionTest, SparesTheOnlyTransferOfAnAddress) {
  for (const std::string_view address :
       {"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5", "192.0.2.6", "192.0.2.7",
        "192.0.2.8", "192.0.2.9", "192.0.2.10"}) {
    Take(address, ConnectionWait::kTransfer);
  }
  EXPECT_EQ(Choose(1), Ids{});
}

TEST_F(ConnectionEvictionTest, ChoosesUnfinishedHeadsOfAnyAddress) {
  const std::uint64_t head = Take("192.0.2.1", ConnectionWait::kHead);
  EXPECT_EQ(Choose(1), Ids{head});
}

// Well-behaved connections survive a flood from the same address.
TEST_F(ConnectionEvictionTest, ChoosesTheMoreNumerousKindWithinOneAddress) {
  for (const std::string_view address : {"192.0.2.1", "127.0.0.1"}) {
    for (int i = 0; i < 3; ++i) TakeIdle(address, 1);
    Ids slow = {Take(address, ConnectionWait::kTransfer, 2),
                Take(address, ConnectionWait::kHead, 3)};
    for (int i = 0; i < 4; ++i) Take(address, ConnectionWait::kTransfer, 4);
    EXPECT_EQ(Choose(2), slow);
    taken.clear();
  }
}

TEST_F(ConnectionEvictionTest, PrefersIdleConnectionsOnATie) {
  Take("192.0.2.1", ConnectionWait::kHead, 1);
  Take("192.0.2.1", ConnectionWait::kHead, 1);
  TakeIdle("192.0.2.1", 4);
  const std::uint64_t idle = TakeIdle("192.0.2.1", 3);
  EXPECT_EQ(Choose(1), Ids{idle});
}

TEST_F(ConnectionEvictionTest, RanksProxyConnectionsByClient) {
  TakeIdle("198.51.100.7", 1);
  TakeIdle("198.51.100.7", 1);
  for (int i = 0; i < 3; ++i) {
    std::optional<ConnectionLimits::Slot> slot =
        slots.Take(Audience::kClients, "192.0.2.9", PeerKind::kTrustedProxy);
    slot->SetWaiting(ConnectionWait::kRequest, Nanos(0));
    ASSERT_TRUE(slot->MoveTo(Concat("203.0.113.", i)));
    taken.push_back(std::move(*slot));
  }
  EXPECT_EQ(Choose(1), Ids{taken.front().id()});
}

TEST_F(ConnectionEvictionTest, ChoosesLocalConnectionsLast) {
  const std::uint64_t local = TakeIdle("127.0.0.1", 1);
  Take("127.0.0.1", ConnectionWait::kNone);
  const std::uint64_t stranger = TakeIdle("192.0.2.1", 2);
  EXPECT_EQ(Choose(2), Ids{stranger});
  taken.pop_back();
  EXPECT_EQ(Choose(2), Ids{local});
}

TEST_F(ConnectionEvictionTest, ChoosesFromOneAudienceOnly) {
  const std::uint64_t probe = TakeIdle("192.0.2.1", 1, Audience::kOperators);
  EXPECT_EQ(Choose(1), Ids{});
  EXPECT_EQ(slots.ChooseToLeave(Audience::kOperators, 1), Ids{probe});
}

TEST_F(ConnectionEvictionTest, RanksOperatorsByAddress) {
  TakeIdle("192.0.2.1", 1, Audience::kOperators);
  TakeIdle("192.0.2.2", 3, Audience::kOperators);
  const std::uint64_t first = TakeIdle("192.0.2.2", 2, Audience::kOperators);
  EXPECT_EQ(slots.ChooseToLeave(Audience::kOperators, 1), Ids{first});
}

}  // namespace
}  // namespace sluice
