#include "net/seats.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"

namespace sluice {
namespace {

class SeatsTest : public testing::Test {
 protected:
  static Bounds Small() {
    Bounds bounds;
    bounds.connections = 4;
    bounds.operator_connections = 2;
    bounds.address_connections = 2;
    return bounds;
  }

  // Takes one and keeps it.
  bool Take(Audience audience, std::string_view address) {
    std::optional<Seats::Seat> seat = seats.Take(audience, address);
    if (!seat) return false;
    taken.push_back(std::move(*seat));
    return true;
  }

  Seats seats{Small()};
  std::vector<Seats::Seat> taken;
};

// Invariant (1).
TEST_F(SeatsTest, ClientsLeaveOperatorsTheirs) {
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(Take(Audience::kClients, ""));
  EXPECT_FALSE(seats.HasRoom(Audience::kClients));
  EXPECT_FALSE(Take(Audience::kClients, ""));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(Take(Audience::kOperators, "192.0.2.1"));
  EXPECT_FALSE(seats.HasRoom(Audience::kOperators));
  EXPECT_FALSE(Take(Audience::kOperators, "192.0.2.1"));
}

TEST_F(SeatsTest, OperatorsLeaveClientsTheirs) {
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(Take(Audience::kOperators, ""));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(Take(Audience::kClients, ""));
}

TEST_F(SeatsTest, ASeatIsGivenBackAtItsEnd) {
  for (int i = 0; i < 4; ++i) Take(Audience::kClients, "");
  taken.pop_back();
  EXPECT_EQ(seats.count(Audience::kClients), 3U);
  EXPECT_TRUE(Take(Audience::kClients, ""));
  taken.clear();
  EXPECT_EQ(seats.count(Audience::kClients), 0U);
}

// Invariant (2).
TEST_F(SeatsTest, OneAddressHasItsShare) {
  EXPECT_TRUE(Take(Audience::kClients, "192.0.2.1"));
  EXPECT_TRUE(Take(Audience::kClients, "192.0.2.1"));
  EXPECT_FALSE(Take(Audience::kClients, "192.0.2.1"));
  EXPECT_EQ(seats.count(Audience::kClients), 2U);
  EXPECT_TRUE(Take(Audience::kClients, "192.0.2.2"));
  taken.clear();
  EXPECT_TRUE(Take(Audience::kClients, "192.0.2.1"));
}

TEST_F(SeatsTest, OneNetworkOfIPv6IsOneAddress) {
  EXPECT_TRUE(Take(Audience::kClients, "2001:db8:0:1::1"));
  EXPECT_TRUE(Take(Audience::kClients, "2001:db8::1:a:b:c:d"));
  EXPECT_FALSE(Take(Audience::kClients, "2001:db8:0:1:ffff::"));
  EXPECT_TRUE(Take(Audience::kClients, "2001:db8:0:2::1"));
}

// As sockets tell them that take both kinds.
TEST_F(SeatsTest, AnIPv4AddressInTheFormOfIPv6IsOneOfIPv4) {
  EXPECT_TRUE(Take(Audience::kClients, "::ffff:192.0.2.1"));
  EXPECT_TRUE(Take(Audience::kClients, "192.0.2.1"));
  EXPECT_FALSE(Take(Audience::kClients, "::ffff:192.0.2.1"));
  EXPECT_TRUE(Take(Audience::kClients, "::ffff:192.0.2.2"));
}

TEST_F(SeatsTest, WhoeverIsOnThisMachineIsNotCounted) {
  for (const std::string_view address : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", ""}) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(Take(Audience::kClients, address)) << address;
    taken.clear();
  }
}

// A client behind a proxy has no more than one that connects itself, and takes nothing from others.
TEST_F(SeatsTest, CountsConnectionsOfAProxyToTheClientsThatItNames) {
  const auto take_for = [&](std::string_view client) {
    std::optional<Seats::Seat> seat =
        seats.Take(Audience::kClients, "192.0.2.9", PeerKind::kTrustedProxy);
    if (!seat || !seat->MoveTo(client)) return false;
    taken.push_back(std::move(*seat));
    return true;
  };
  EXPECT_TRUE(take_for("198.51.100.7"));
  EXPECT_TRUE(take_for("198.51.100.7"));
  EXPECT_FALSE(take_for("198.51.100.7"));
  EXPECT_FALSE(Take(Audience::kClients, "198.51.100.7")) << "nor directly";
  EXPECT_TRUE(take_for("203.0.113.9"));
  EXPECT_EQ(seats.count(Audience::kClients), 3U);
  taken.clear();
  EXPECT_TRUE(take_for("198.51.100.7"));
}

TEST_F(SeatsTest, DoesNotBoundAProxyThatHasNotNamedItsClients) {
  for (int i = 0; i < 4; ++i) {
    std::optional<Seats::Seat> seat =
        seats.Take(Audience::kClients, "192.0.2.9", PeerKind::kTrustedProxy);
    ASSERT_TRUE(seat);
    taken.push_back(std::move(*seat));
  }
  EXPECT_FALSE(seats.HasRoom(Audience::kClients)) << "but it is counted";
  taken.clear();
  EXPECT_TRUE(Take(Audience::kClients, "192.0.2.9"));
}

// Nothing is remembered of an address that has no connection any more, however many come and go.
TEST_F(SeatsTest, AddressesThatLeftAreForgotten) {
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

class SeatsToLeaveTest : public testing::Test {
 protected:
  static Bounds Ten() {
    Bounds bounds;
    bounds.connections = 10;
    bounds.address_connections = 10;
    bounds.operator_connections = 10;
    return bounds;
  }

  // Takes a seat of a connection that has waited for a request since then. Returns its id.
  std::uint64_t TakeIdle(std::string_view address, int since,
                         Audience audience = Audience::kClients) {
    return Take(address, ConnectionWait::kRequest, since, audience);
  }
  std::uint64_t Take(std::string_view address, ConnectionWait wait, int since = 0,
                     Audience audience = Audience::kClients) {
    std::optional<Seats::Seat> seat = seats.Take(audience, address);
    EXPECT_TRUE(seat);
    seat->SetWaiting(wait, Nanos(since));
    taken.push_back(std::move(*seat));
    return taken.back().id();
  }
  std::vector<std::uint64_t> Choose(std::size_t max_count) {
    return seats.ChooseToLeave(Audience::kClients, max_count);
  }
  using Ids = std::vector<std::uint64_t>;

  Seats seats{Ten()};
  std::vector<Seats::Seat> taken;
};

// Invariant (4).
TEST_F(SeatsToLeaveTest, ChoosesTheLongestWaitingOfTheAddressWithMostConnections) {
  TakeIdle("192.0.2.1", 1);
  TakeIdle("192.0.2.2", 30);
  const std::uint64_t second = TakeIdle("192.0.2.2", 20);
  const std::uint64_t first = TakeIdle("192.0.2.2", 10);
  TakeIdle("192.0.2.1", 2);
  EXPECT_EQ(Choose(2), (Ids{first, second}));
}

TEST_F(SeatsToLeaveTest, CountsOneNetworkOfIpv6AsOneAddress) {
  TakeIdle("192.0.2.1", 1);
  TakeIdle("192.0.2.1", 1);
  const std::uint64_t first = TakeIdle("2001:db8::1", 2);
  TakeIdle("2001:db8::2", 3);
  TakeIdle("2001:db8::3", 3);
  EXPECT_EQ(Choose(1), Ids{first});
}

TEST_F(SeatsToLeaveTest, ChoosesNoMoreUntilThoseChosenHaveGoneOrSaidWhatTheyWaitFor) {
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

TEST_F(SeatsToLeaveTest, ChoosesAtMostHalfOfThoseThatGoFirst) {
  TakeIdle("192.0.2.1", 0);
  for (int i = 0; i < 5; ++i) TakeIdle("192.0.2.2", i);
  EXPECT_EQ(Choose(64).size(), 3U);
}

TEST_F(SeatsToLeaveTest, ChoosesFromAllAddressesThatHaveEquallyMany) {
  const std::uint64_t second = TakeIdle("192.0.2.1", 2);
  TakeIdle("192.0.2.2", 3);
  const std::uint64_t first = TakeIdle("192.0.2.3", 1);
  EXPECT_EQ(Choose(2), (Ids{first, second}));
}

// Invariant (3).
TEST_F(SeatsToLeaveTest, ChoosesNoneWhoseRequestIsBeingDecided) {
  for (int i = 0; i < 5; ++i) Take("192.0.2.2", ConnectionWait::kNone);
  const std::uint64_t idle = TakeIdle("192.0.2.1", 100);
  EXPECT_EQ(Choose(3), Ids{idle});
}

TEST_F(SeatsToLeaveTest, ChoosesNoneThatIsNew) {
  std::optional<Seats::Seat> seat = seats.Take(Audience::kClients, "192.0.2.1");
  EXPECT_EQ(Choose(1), Ids{});
}

TEST_F(SeatsToLeaveTest, ChoosesTransfersOfAnAddressThatHasMoreThanItsShare) {
  TakeIdle("192.0.2.1", 1);
  TakeIdle("192.0.2.1", 1);
  // Of ten, with two addresses there and one to come, three are the share.
  for (int i = 0; i < 3; ++i) Take("192.0.2.2", ConnectionWait::kTransfer);
  EXPECT_EQ(Choose(1), Ids{taken.front().id()});
  taken.front().SetWaiting(ConnectionWait::kNone, Nanos(0));
  const std::uint64_t first = Take("192.0.2.2", ConnectionWait::kTransfer, -1);
  EXPECT_EQ(Choose(1), Ids{first});
}

TEST_F(SeatsToLeaveTest, KeepsTheOnlyTransferOfAnAddress) {
  for (const std::string_view address :
       {"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5", "192.0.2.6", "192.0.2.7",
        "192.0.2.8", "192.0.2.9", "192.0.2.10"}) {
    Take(address, ConnectionWait::kTransfer);
  }
  EXPECT_EQ(Choose(1), Ids{});
}

TEST_F(SeatsToLeaveTest, ChoosesHeadsOfAnyAddress) {
  const std::uint64_t head = Take("192.0.2.1", ConnectionWait::kHead);
  EXPECT_EQ(Choose(1), Ids{head});
}

// A flood within one address leaves alone whoever uses it as agreed.
TEST_F(SeatsToLeaveTest, ChoosesTheMoreNumerousKindWithinOneAddress) {
  for (const std::string_view address : {"192.0.2.1", "127.0.0.1"}) {
    for (int i = 0; i < 3; ++i) TakeIdle(address, 1);
    Ids slow = {Take(address, ConnectionWait::kTransfer, 2),
                Take(address, ConnectionWait::kHead, 3)};
    for (int i = 0; i < 4; ++i) Take(address, ConnectionWait::kTransfer, 4);
    EXPECT_EQ(Choose(2), slow);
    taken.clear();
  }
}

TEST_F(SeatsToLeaveTest, ChoosesIdleOnesWhereUnfinishedOnesAreNotMore) {
  Take("192.0.2.1", ConnectionWait::kHead, 1);
  Take("192.0.2.1", ConnectionWait::kHead, 1);
  TakeIdle("192.0.2.1", 4);
  const std::uint64_t idle = TakeIdle("192.0.2.1", 3);
  EXPECT_EQ(Choose(1), Ids{idle});
}

TEST_F(SeatsToLeaveTest, RanksConnectionsOfAProxyByTheirClients) {
  TakeIdle("198.51.100.7", 1);
  TakeIdle("198.51.100.7", 1);
  for (int i = 0; i < 3; ++i) {
    std::optional<Seats::Seat> seat =
        seats.Take(Audience::kClients, "192.0.2.9", PeerKind::kTrustedProxy);
    seat->SetWaiting(ConnectionWait::kRequest, Nanos(0));
    ASSERT_TRUE(seat->MoveTo(Concat("203.0.113.", i)));
    taken.push_back(std::move(*seat));
  }
  EXPECT_EQ(Choose(1), Ids{taken.front().id()});
}

TEST_F(SeatsToLeaveTest, ChoosesThoseOfThisMachineLast) {
  const std::uint64_t local = TakeIdle("127.0.0.1", 1);
  Take("127.0.0.1", ConnectionWait::kNone);
  const std::uint64_t stranger = TakeIdle("192.0.2.1", 2);
  EXPECT_EQ(Choose(2), Ids{stranger});
  taken.pop_back();
  EXPECT_EQ(Choose(2), Ids{local});
}

TEST_F(SeatsToLeaveTest, ChoosesOfOneAudienceAlone) {
  const std::uint64_t probe = TakeIdle("192.0.2.1", 1, Audience::kOperators);
  EXPECT_EQ(Choose(1), Ids{});
  EXPECT_EQ(seats.ChooseToLeave(Audience::kOperators, 1), Ids{probe});
}

TEST_F(SeatsToLeaveTest, RanksOperatorsByAddressToo) {
  TakeIdle("192.0.2.1", 1, Audience::kOperators);
  TakeIdle("192.0.2.2", 3, Audience::kOperators);
  const std::uint64_t first = TakeIdle("192.0.2.2", 2, Audience::kOperators);
  EXPECT_EQ(seats.ChooseToLeave(Audience::kOperators, 1), Ids{first});
}

}  // namespace
}  // namespace sluice
