#include "wire/grpc/grpc_timeout.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using namespace std::chrono_literals;

TEST(GrpcTimeoutTest, ParsesEveryUnit) {
  EXPECT_EQ(ParseGrpcTimeout("1H").value(), 1h);
  EXPECT_EQ(ParseGrpcTimeout("2M").value(), 2min);
  EXPECT_EQ(ParseGrpcTimeout("3S").value(), 3s);
  EXPECT_EQ(ParseGrpcTimeout("250m").value(), 250ms);
  EXPECT_EQ(ParseGrpcTimeout("5u").value(), 5us);
  EXPECT_EQ(ParseGrpcTimeout("99999999n").value(), 99999999ns);
  EXPECT_EQ(ParseGrpcTimeout("00000020m").value(), 20ms);
}

TEST(GrpcTimeoutTest, ParsesZero) {
  EXPECT_EQ(ParseGrpcTimeout("0n").value(), 0ns);
  EXPECT_EQ(ParseGrpcTimeout("00000000H").value(), 0ns);
}

TEST(GrpcTimeoutTest, SaturatesTimeoutsThatDoNotFit) {
  EXPECT_EQ(ParseGrpcTimeout("99999999H").value(), Nanos::max());
  EXPECT_EQ(ParseGrpcTimeout("2562048H").value(), Nanos::max());
  EXPECT_EQ(ParseGrpcTimeout("2562047H").value(), 2562047h);
  EXPECT_EQ(ParseGrpcTimeout("99999999M").value(), 99999999min);
}

TEST(GrpcTimeoutTest, RejectsMalformedTimeouts) {
  for (const char* text :
       {"",     "m",    "1",  "10", "123456789m", "-1m", "+1m", " 1m", "1m ", "1 m",
        "1.5S", "0x1S", "1s", "1h", "1U",         "1N",  "1mm", "m1",  "1é",  "١m"}) {
    EXPECT_FALSE(ParseGrpcTimeout(text).ok()) << text;
  }
}

}  // namespace
}  // namespace sluice
