// Http2Session: writing frames.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "net/http2/http2_session.h"
#include "net/loop/kept_text.h"
#include "wire/http2/hpack_writer.h"

namespace sluice {
namespace {

constexpr std::size_t kFlagsOffset = 4;  // position of the flags in a frame header

std::uint8_t FlagIf(bool condition, std::uint8_t flag) {
  return condition ? flag : std::uint8_t{0};
}

}  // namespace

void Http2Session::SendPreface() {
  const std::size_t begin = BeginHttp2Frame({0, Http2FrameType::kSettings, 0, 0}, output);
  AppendHttp2Setting(Http2Setting::kMaxConcurrentStreams,
                     static_cast<std::uint32_t>(bounds_.streams), output);
  AppendHttp2Setting(Http2Setting::kMaxHeaderListSize,
                     static_cast<std::uint32_t>(bounds_.header_bytes), output);
  EndHttp2Frame(begin, output);
  AppendHttp2WindowUpdate(0, static_cast<std::uint32_t>(kConnectionWindow - kHttp2Window), output);
}

void Http2Session::Say(Http2Stream& stream) {
  HttpReply& reply = stream.reply;
  if (!std::exchange(stream.at.submitted, true)) SayHead(stream);
  SayBody(stream);
  const bool is_fixed = !reply.fixed_body.empty();
  const std::size_t unsaid = reply.body_text().size() - stream.at.sent;
  // A fixed body is not the stream's memory.
  const std::size_t held = is_fixed ? 0 : unsaid;
  unsaid_ += held - std::exchange(stream.at.unsaid, held);
  if (unsaid > 0) {
    // Erases only when more than half has been sent, so that each byte is moved at most once.
    if (!is_fixed && stream.at.sent > unsaid) {
      EraseFront(reply.body, std::exchange(stream.at.sent, 0));
    }
    if (!std::exchange(stream.at.waits, true)) waiting_.push_back(&stream);
    return;
  }
  if (!stream.at.finished) {
    Empty(reply.body);
    stream.at.sent = 0;
    return;
  }
  if (reply.trailers.size() > 0) {
    SayTrailers(stream);
  } else if (!stream.at.told_end) {
    AppendHttp2FrameHeader({0, Http2FrameType::kData, kHttp2EndStream, stream.id()}, output);
  }
  // The reply is complete, so the client need not send the rest of the request (RFC 9113, 8.1).
  if (!stream.at.ended) AppendHttp2Reset(stream.id(), Http2Error::kNone, output);
  Close(stream);
}

void Http2Session::SayHead(Http2Stream& stream) {
  const HttpReply& reply = stream.reply;
  stream.at.told_end =
      stream.at.finished && reply.body_text().empty() && reply.trailers.size() == 0;
  const std::uint8_t flags = kHttp2EndHeaders | FlagIf(stream.at.told_end, kHttp2EndStream);
  const std::size_t begin =
      BeginHttp2Frame({0, Http2FrameType::kHeaders, flags, stream.id()}, output);
  if (!std::exchange(has_said_fields_, true)) AppendHpackStart(output);
  AppendHpackStatus(reply.status, output);
  for (std::size_t i = 0; i < reply.headers.size(); ++i) {
    AppendHpackField(reply.headers[i].name, reply.headers[i].value, output);
  }
  EndFields(begin);
}

void Http2Session::SayBody(Http2Stream& stream) {
  const std::string_view body = stream.reply.body_text();
  const bool ends = stream.at.finished && stream.reply.trailers.size() == 0;
  while (stream.at.sent < body.size() && output.size() < max_output()) {
    const std::int64_t window = std::min(send_window_, stream.at.send_window);
    if (window <= 0) return;
    const std::size_t size = std::min(
        {body.size() - stream.at.sent, static_cast<std::size_t>(window), kMaxHttp2Payload});
    stream.at.told_end = ends && stream.at.sent + size == body.size();
    const std::uint8_t flags = FlagIf(stream.at.told_end, kHttp2EndStream);
    AppendHttp2FrameHeader({size, Http2FrameType::kData, flags, stream.id()}, output);
    output.append(body.substr(stream.at.sent, size));
    stream.at.sent += size;
    said_ += size;
    idle_frames_ += kIdleFramesPerData;
    stream.at.send_window -= static_cast<std::int64_t>(size);
    send_window_ -= static_cast<std::int64_t>(size);
  }
}

void Http2Session::SayTrailers(const Http2Stream& stream) {
  const HeaderList& trailers = stream.reply.trailers;
  const std::uint8_t flags = kHttp2EndHeaders | kHttp2EndStream;
  const std::size_t begin =
      BeginHttp2Frame({0, Http2FrameType::kHeaders, flags, stream.id()}, output);
  for (std::size_t i = 0; i < trailers.size(); ++i) {
    AppendHpackField(trailers[i].name, trailers[i].value, output);
  }
  EndFields(begin);
}

void Http2Session::EndFields(std::size_t begin) {
  if (EndHttp2Frame(begin, output) <= kMaxHttp2Payload) return;
  const std::size_t end = begin + kHttp2HeaderBytes + kMaxHttp2Payload;
  const std::string more = output.substr(end);
  output.resize(end);
  EndHttp2Frame(begin, output);
  output[begin + kFlagsOffset] =
      static_cast<char>(output[begin + kFlagsOffset] & ~kHttp2EndHeaders);
  const std::uint32_t stream = ReadHttp2FrameHeader(output.substr(begin, kHttp2HeaderBytes)).stream;
  for (std::size_t at = 0; at < more.size(); at += kMaxHttp2Payload) {
    const std::size_t size = std::min(more.size() - at, kMaxHttp2Payload);
    const std::uint8_t flags = FlagIf(at + size == more.size(), kHttp2EndHeaders);
    AppendHttp2FrameHeader({size, Http2FrameType::kContinuation, flags, stream}, output);
    output.append(more, at, size);
  }
}

void Http2Session::Pump() {
  if (ended()) return;
  turn_.swap(waiting_);
  for (Http2Stream* stream : turn_) stream->at.waits = false;
  for (Http2Stream* stream : turn_) Say(*stream);
  turn_.clear();
  if (fault_ != Http2Error::kNone) {
    AppendHttp2Goaway(std::min(max_served_, streams_.newest()), fault_, output);
    End();
  }
  paused_ = output.size() >= max_output();
  if (IsOver()) End();
}

bool Http2Session::IsOver() const {
  // A peer that has closed its side sends no more window updates, and unfinished requests stay
  // unfinished.
  if (received_all_) return unfinished_ == 0 && (waiting_.empty() || !paused_);
  return goes_away_ && streams_.open().empty();
}

}  // namespace sluice
