#include "net/http2_frame_watch.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "unit/net/http2_frame.h"

namespace sluice {
namespace {

// The error of a client that says these after its preface, 0 for none.
std::uint32_t ErrorOf(std::string_view frames) {
  Http2FrameWatch watch;
  const std::optional<Http2FrameWatch::Fault> fault =
      watch.Take(std::string(kPreface) + SettingsFrame() + std::string(frames));
  return fault ? fault->error : 0;
}

std::string Open(std::int32_t stream) { return RequestFrame(stream, FrameEnd::kNothing); }
std::string Whole(std::int32_t stream) { return RequestFrame(stream, FrameEnd::kStream); }
std::string Data(std::int32_t stream) { return DataFrame(stream, "abc", FrameEnd::kNothing); }
std::string LastData(std::int32_t stream) { return DataFrame(stream, "abc", FrameEnd::kStream); }

// Invariant (1).
TEST(Http2FrameWatch, WhatHasEndedDoesNotGoOn) {
  EXPECT_EQ(ErrorOf(Whole(1) + Data(1)), kStreamClosed);
  EXPECT_EQ(ErrorOf(Whole(1) + Whole(1)), kStreamClosed);
  EXPECT_EQ(ErrorOf(Open(1) + LastData(1) + Data(1)), kStreamClosed);
  EXPECT_EQ(ErrorOf(Open(1) + Whole(1) + Data(1)), kStreamClosed) << "trailers end it";
  EXPECT_EQ(ErrorOf(Open(1) + ResetFrame(1) + Data(1)), kStreamClosed);
  EXPECT_EQ(ErrorOf(Open(1) + ResetFrame(1) + Whole(1)), kStreamClosed);
  EXPECT_EQ(ErrorOf(Whole(1) + Whole(3) + Whole(5) + Whole(3)), kStreamClosed);
}

// Invariant (2).
TEST(Http2FrameWatch, StreamsAreNotBegunBelowOthers) {
  EXPECT_EQ(ErrorOf(Whole(5) + Whole(3)), kProtocolError);
  EXPECT_EQ(ErrorOf(Whole(5) + Whole(1)), kProtocolError);
  EXPECT_EQ(ErrorOf(Whole(1) + Whole(7) + Whole(5)), kProtocolError);
  EXPECT_EQ(ErrorOf(Whole(1) + Whole(3) + Whole(1)), kStreamClosed) << "none was passed over";
  EXPECT_EQ(ErrorOf(Whole(5) + Data(3)), kStreamClosed);
}

// Invariant (3).
TEST(Http2FrameWatch, WhatHasNotEndedGoesOn) {
  EXPECT_EQ(ErrorOf(Open(1) + Open(3) + Data(1) + Data(3) + LastData(1) + Whole(3)), 0U);
  EXPECT_EQ(ErrorOf(Open(1) + Whole(3) + Whole(5) + LastData(1)), 0U);
}

TEST(Http2FrameWatch, FramesThatMayComeAfterTheEndDo) {
  const std::string priority(5, '\0');
  const std::string window = std::string(3, '\0') + '\1';
  EXPECT_EQ(ErrorOf(Whole(1) + ResetFrame(1) + ResetFrame(1)), 0U);
  EXPECT_EQ(ErrorOf(Whole(1) + Frame(static_cast<FrameType>(2), FrameEnd::kNothing, 1, priority)),
            0U);
  EXPECT_EQ(ErrorOf(Whole(1) + Frame(static_cast<FrameType>(8), FrameEnd::kNothing, 1, window)),
            0U);
}

TEST(Http2FrameWatch, WhatHasNotBegunIsNotJudged) {
  EXPECT_EQ(ErrorOf(Data(1)), 0U);
  EXPECT_EQ(ErrorOf(ResetFrame(1)), 0U);
  EXPECT_EQ(ErrorOf(Whole(2)), 0U);
}

TEST(Http2FrameWatch, AFlagOfAnotherFrameIsNoEnd) {
  // The acknowledgement of a ping has the same bit.
  EXPECT_EQ(ErrorOf(Open(1) + Frame(FrameType::kPing, FrameEnd::kStream, 1, "12345678") + Data(1)),
            0U);
}

// Invariant (4).
TEST(Http2FrameWatch, HowBytesAreCutMakesNoDifference) {
  const std::string before =
      std::string(kPreface) + SettingsFrame() + Open(1) + Data(1) + LastData(1);
  const std::string bytes = before + Data(1) + Whole(3);
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    Http2FrameWatch watch;
    std::optional<Http2FrameWatch::Fault> fault;
    std::size_t at = 0;
    for (; at < bytes.size() && !fault; at += size) fault = watch.Take(bytes.substr(at, size));
    ASSERT_TRUE(fault) << size;
    EXPECT_EQ(fault->error, kStreamClosed) << size;
    // What has been taken before ends within the frame at fault, or there.
    const std::size_t allowed = at - size + fault->offset;
    EXPECT_GE(allowed, before.size()) << size;
    EXPECT_LT(allowed, before.size() + 9) << size;
  }
}

TEST(Http2FrameWatch, WhatIsThereInPartIsKnown) {
  Http2FrameWatch watch;
  EXPECT_TRUE(watch.is_within_head()) << "the preface";
  watch.Take(kPreface);
  EXPECT_TRUE(watch.is_within_head()) << "the settings are a part of it";
  watch.Take(SettingsFrame());
  EXPECT_FALSE(watch.is_within());
  const std::string head = Frame(FrameType::kHeaders, FrameEnd::kStream, 1, "\x82\x86");
  watch.Take(head);
  EXPECT_TRUE(watch.is_within_head());
  watch.Take(Frame(FrameType::kContinuation, FrameEnd::kHeaders, 1, "\x84"));
  EXPECT_FALSE(watch.is_within());
  watch.Take(Open(3).substr(0, 5));
  EXPECT_TRUE(watch.is_within());
  watch.Take(Open(3).substr(5) + Data(3).substr(0, 10));
  EXPECT_TRUE(watch.is_within());
  EXPECT_FALSE(watch.is_within_head()) << "a body";
  watch.Take(Data(3).substr(10));
  EXPECT_FALSE(watch.is_within());
}

TEST(Http2FrameWatch, WhatItRemembersIsBounded) {
  std::string frames;
  for (std::int32_t stream = 1; stream <= 2 * 1024 + 1; stream += 2) frames += Open(stream);
  EXPECT_EQ(ErrorOf(frames + Data(3)), 0U);
  EXPECT_EQ(ErrorOf(frames + Data(1)), kStreamClosed) << "the oldest is forgotten";
}

}  // namespace
}  // namespace sluice
