#include "wire/grpc/grpc_message.h"

#include <gtest/gtest.h>

#include <string>

#include "wire/grpc/grpc_status.h"

namespace sluice {
namespace {

using namespace std::string_literals;

std::string Encoded(std::string_view words) {
  std::string out = "grpc-message: ";
  AppendGrpcMessage(words, out);
  return out.substr(14);
}

TEST(GrpcMessageTest, KeepsPrintableAscii) {
  std::string printable;
  for (char c = ' '; c <= '~'; ++c) {
    if (c != '%') printable += c;
  }
  EXPECT_EQ(Encoded(printable), printable);
}

// This is the case special_status_message of gRPC's interop tests.
TEST(GrpcMessageTest, EncodesAllOtherBytes) {
  EXPECT_EQ(Encoded("\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n"),
            "%09%0Atest with whitespace%0D%0Aand Unicode BMP %E2%98%BA and non-BMP "
            "%F0%9F%98%88%09%0A");
  EXPECT_EQ(Encoded("100 % \x7F\0\xFF"s), "100 %25 %7F%00%FF");
}

TEST(GrpcStatusTest, NamesEveryStatusByItsNumber) {
  EXPECT_EQ(NameOf(GrpcStatus::kOk), "OK");
  EXPECT_EQ(NameOf(GrpcStatus::kInvalidArgument), "INVALID_ARGUMENT");
  EXPECT_EQ(NameOf(GrpcStatus::kResourceExhausted), "RESOURCE_EXHAUSTED");
  EXPECT_EQ(NameOf(GrpcStatus::kUnimplemented), "UNIMPLEMENTED");
  EXPECT_EQ(NameOf(GrpcStatus::kUnauthenticated), "UNAUTHENTICATED");
}

}  // namespace
}  // namespace sluice
