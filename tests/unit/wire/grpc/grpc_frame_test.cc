#include "wire/grpc/grpc_frame.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice {
namespace {

using namespace std::string_literals;

constexpr std::size_t kMax = 300;

std::string Framed(std::string_view message) {
  std::string out = "before";
  const std::size_t begin = BeginGrpcMessage(out);
  out += message;
  EndGrpcMessage(begin, out);
  return out.substr(6);
}

// Returns "OK:" and the message, or the name of the status.
std::string Read(std::string_view body) {
  const auto read = ReadUnaryMessage(body, kMax);
  if (const auto* fault = std::get_if<GrpcFault>(&read)) {
    EXPECT_FALSE(fault->message.empty());
    return std::string(NameOf(fault->status));
  }
  return "OK:" + std::string(*std::get_if<std::string_view>(&read));
}

TEST(GrpcFrameTest, WritesThePrefixAsAFlagAndTheLength) {
  EXPECT_EQ(Framed(""), "\0\0\0\0\0"s);
  EXPECT_EQ(Framed("abc"), "\0\0\0\0\3abc"s);
  EXPECT_EQ(Framed(std::string(0x01020304, 'x')).substr(0, 5), "\0\1\2\3\4"s);
}

TEST(GrpcFrameTest, ReadsBackWrittenMessages) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{255}, kMax}) {
    const std::string message(size, 'm');
    EXPECT_EQ(Read(Framed(message)), "OK:" + message);
  }
}

TEST(GrpcFrameTest, ReportsTruncatedAndExtraBytesAsInternal) {
  EXPECT_EQ(Read(""), "INTERNAL");
  for (std::size_t size = 1; size < 8; ++size) {
    EXPECT_EQ(Read(Framed("abc").substr(0, size)), "INTERNAL");
  }
  EXPECT_EQ(Read(Framed("abc") + "x"), "INTERNAL");
  EXPECT_EQ(Read(Framed("abc") + Framed("abc")), "INTERNAL");
  EXPECT_EQ(Read(Framed("") + Framed("")), "INTERNAL");
  EXPECT_EQ(Read("\0\0\0\0\2abc"s), "INTERNAL");
}

TEST(GrpcFrameTest, ReportsCompressionAsUnimplementedAndOtherFlagsAsInternal) {
  EXPECT_EQ(Read("\1\0\0\0\3abc"s), "UNIMPLEMENTED");
  EXPECT_EQ(Read("\1"s), "UNIMPLEMENTED");
  EXPECT_EQ(Read("\2\0\0\0\3abc"s), "INTERNAL");
  EXPECT_EQ(Read("\xFF\0\0\0\3abc"s), "INTERNAL");
}

TEST(GrpcFrameTest, ReportsOverlongMessagesAsResourceExhausted) {
  EXPECT_EQ(Read(Framed(std::string(kMax + 1, 'm'))), "RESOURCE_EXHAUSTED");
  EXPECT_EQ(Read("\0\xFF\xFF\xFF\xFF"s), "RESOURCE_EXHAUSTED");
}

TEST(GrpcFrameTest, ValidatesThePrefixBeforeTheMessageArrives) {
  EXPECT_TRUE(std::holds_alternative<GrpcNeedsMore>(NextGrpcMessage("", kMax)));
  EXPECT_TRUE(std::holds_alternative<GrpcNeedsMore>(NextGrpcMessage("\0\xFF\xFF\xFF"s, kMax)));
  EXPECT_TRUE(std::holds_alternative<GrpcFault>(NextGrpcMessage("\0\xFF\xFF\xFF\xFF"s, kMax)));
  EXPECT_TRUE(std::holds_alternative<GrpcNeedsMore>(NextGrpcMessage("\0\0\0\0\3ab"s, kMax)));
}

TEST(GrpcFrameTest, ReadsTheMessagesOfAStreamInOrder) {
  const std::string stream = Framed("abc") + Framed("") + Framed("de");
  std::string_view rest = stream;
  for (const std::string_view expected : {"abc", "", "de"}) {
    const auto next = NextGrpcMessage(rest, kMax);
    const auto* message = std::get_if<GrpcMessage>(&next);
    ASSERT_NE(message, nullptr);
    EXPECT_EQ(message->message, expected);
    rest.remove_prefix(message->frame_size);
  }
  EXPECT_TRUE(rest.empty());
}

}  // namespace
}  // namespace sluice
