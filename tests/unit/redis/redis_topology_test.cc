#include "redis/redis_topology.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice {
namespace {

Result<RedisTopology> Read(const std::string& bytes) {
  RespValueReader reader{RespValueBounds{}};
  const RespValueRead read = reader.Read(bytes);
  EXPECT_EQ(read.state, ReadState::kWhole);
  return RedisTopology::Read(read.nodes, "asked");
}

std::string Place(const RedisTopology& topology, std::uint16_t slot) {
  const TcpEndpoint* const found = topology.Find(slot);
  return found == nullptr ? "nobody" : JoinPort(found->host, found->port);
}

TEST(RedisTopologyTest, MapsSlotsToThePrimaryOfTheirRange) {
  const Result<RedisTopology> read = Read(
      "*3\r\n"
      "*4\r\n:0\r\n:5460\r\n*4\r\n$2\r\nh1\r\n:7000\r\n$2\r\nid\r\n*0\r\n"
      "*4\r\n$2\r\nh4\r\n:7003\r\n$2\r\nid\r\n*0\r\n"
      "*3\r\n:5461\r\n:5461\r\n*3\r\n$2\r\nh2\r\n:7001\r\n$2\r\nid\r\n"
      "*3\r\n:16383\r\n:16383\r\n*3\r\n$2\r\nh1\r\n:7000\r\n$2\r\nid\r\n");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(Place(read.value(), 0), "h1:7000");
  EXPECT_EQ(Place(read.value(), 5460), "h1:7000");
  EXPECT_EQ(Place(read.value(), 5461), "h2:7001");
  EXPECT_EQ(Place(read.value(), 5462), "nobody");
  EXPECT_EQ(Place(read.value(), 16383), "h1:7000");
  EXPECT_EQ(read.value().primaries().size(), 2U);
}

TEST(RedisTopologyTest, UsesTheAskedHostIfNoneIsNamed) {
  const Result<RedisTopology> read = Read(
      "*3\r\n"
      "*3\r\n:0\r\n:0\r\n*3\r\n$0\r\n\r\n:7000\r\n$2\r\nid\r\n"
      "*3\r\n:1\r\n:1\r\n*3\r\n_\r\n:7001\r\n$2\r\nid\r\n"
      "*3\r\n:2\r\n:2\r\n*3\r\n$1\r\n?\r\n:7002\r\n$2\r\nid\r\n");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(Place(read.value(), 0), "asked:7000");
  EXPECT_EQ(Place(read.value(), 1), "asked:7001");
  EXPECT_EQ(Place(read.value(), 2), "nobody");
}

TEST(RedisTopologyTest, FollowsASlotThatMoved) {
  RedisTopology topology;
  EXPECT_EQ(Place(topology, 9), "nobody");
  topology.Set(9, {"h", 1});
  topology.Set(10, {"h", 1});
  topology.Set(9, {"h", 2});
  EXPECT_EQ(Place(topology, 9), "h:2");
  EXPECT_EQ(Place(topology, 10), "h:1");
}

TEST(RedisTopologyTest, RejectsMalformedReplies) {
  for (const char* text : {"+OK\r\n", "_\r\n", "*1\r\n:1\r\n", "*1\r\n*2\r\n:0\r\n:1\r\n",
                           "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\nh\r\n:1\r\n",
                           "*1\r\n*3\r\n:2\r\n:1\r\n*2\r\n$1\r\nh\r\n:1\r\n",
                           "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n:70000\r\n",
                           "*1\r\n*5\r\n:0\r\n:1\r\n*1\r\n$1\r\nh\r\n:1\r\n:1\r\n",
                           "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n$1\r\n1\r\n"}) {
    EXPECT_FALSE(Read(text).ok()) << text;
  }
  EXPECT_TRUE(Read("*0\r\n").ok());
}

}  // namespace
}  // namespace sluice
