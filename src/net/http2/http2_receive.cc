// Http2Session: receiving and validating frames.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "net/http2/http2_session.h"
#include "net/loop/kept_text.h"

namespace sluice {
namespace {

using Type = Http2FrameType;

// Maximum number of PING and SETTINGS acknowledgements that may wait in the output.
constexpr std::size_t kMaxAcknowledged = 1000;
// Maximum CONTINUATION frames per head, and the maximum size of its compressed fields as a multiple
// of Bounds::header_bytes. The factor is above 1 so that a head over the bound can still be parsed
// and answered with an error.
constexpr int kMaxContinuations = 8;
constexpr std::size_t kBlockFactor = 4;

constexpr std::size_t kPriorityBytes = 5;
constexpr std::size_t kSettingBytes = 6;
constexpr std::uint32_t kMaxFrameSize = (1U << 24U) - 1;

bool BelongsToStream(Type type) {
  return type == Type::kData || type == Type::kHeaders || type == Type::kPriority ||
         type == Type::kReset || type == Type::kContinuation;
}

bool BelongsToConnection(Type type) {
  return type == Type::kSettings || type == Type::kPing || type == Type::kGoaway;
}

bool HasRightLength(const Http2FrameHeader& header) {
  switch (header.type) {
    case Type::kReset:
    case Type::kWindowUpdate:
      return header.length == 4;
    case Type::kPing:
      return header.length == 8;
    case Type::kGoaway:
      return header.length >= 8;
    case Type::kSettings:
      return header.Has(kHttp2Ack) ? header.length == 0 : header.length % kSettingBytes == 0;
    default:
      return true;
  }
}

// Removes the padding from the payload. Returns false if the padding is longer than the payload.
bool CutPadding(const Http2FrameHeader& header, std::string_view& payload) {
  if (!header.Has(kHttp2Padded)) return true;
  if (payload.empty()) return false;
  const std::size_t padding = static_cast<unsigned char>(payload.front());
  payload.remove_prefix(1);
  if (padding > payload.size()) return false;
  payload.remove_suffix(padding);
  return true;
}

std::uint32_t DependencyOf(std::string_view priority) {
  return ReadHttp2Number(priority) & kMaxHttp2Stream;
}

}  // namespace

bool Http2Session::TakeNext(std::string_view& rest) {
  if (fault_ != Http2Error::kNone || output.size() >= max_output()) return false;
  if (!has_preface_) return TakePreface(rest);
  if (rest.size() < kHttp2HeaderBytes) return false;
  const Http2FrameHeader header = ReadHttp2FrameHeader(rest);
  if (const Http2Error error = Validate(header); error != Http2Error::kNone) {
    Fail(error);
    return false;
  }
  if (rest.size() - kHttp2HeaderBytes < header.length) return false;
  const std::string_view payload = rest.substr(kHttp2HeaderBytes, header.length);
  rest.remove_prefix(kHttp2HeaderBytes + header.length);
  TakeFrame(header, payload);
  return true;
}

bool Http2Session::TakePreface(std::string_view& rest) {
  const std::size_t size = std::min(rest.size(), kHttp2Preface.size());
  if (rest.substr(0, size) != kHttp2Preface.substr(0, size)) {
    Fail(Http2Error::kProtocol);
    return false;
  }
  if (size < kHttp2Preface.size()) return false;
  rest.remove_prefix(size);
  has_preface_ = true;
  return true;
}

Http2Error Http2Session::Validate(const Http2FrameHeader& header) const {
  const std::uint32_t split = split_.frame.stream;
  const bool goes_on = header.type == Type::kContinuation && header.stream == split;
  const bool is_first = header.type == Type::kSettings && !header.Has(kHttp2Ack);
  if (header.length > kMaxHttp2Payload) return Http2Error::kFrameSize;
  if (!has_settings_ && !is_first) return Http2Error::kProtocol;
  if (split != 0 ? !goes_on : header.type == Type::kContinuation) return Http2Error::kProtocol;
  if (header.type == Type::kPushPromise) return Http2Error::kProtocol;
  if (BelongsToStream(header.type) && header.stream == 0) return Http2Error::kProtocol;
  if (BelongsToConnection(header.type) && header.stream != 0) return Http2Error::kProtocol;
  return HasRightLength(header) ? Http2Error::kNone : Http2Error::kFrameSize;
}

void Http2Session::TakeFrame(const Http2FrameHeader& header, std::string_view payload) {
  switch (header.type) {
    case Type::kData:
      return TakeData(header, payload);
    case Type::kHeaders:
      return TakeHeaders(header, payload);
    case Type::kContinuation:
      return TakeContinuation(header, payload);
    case Type::kPriority:
      return TakePriority(header, payload);
    case Type::kReset:
      return TakeReset(header);
    case Type::kSettings:
      return TakeSettings(header, payload);
    case Type::kPing:
      return TakePing(header, payload);
    case Type::kGoaway:
      goes_away_ = true;
      return SpendIdleFrames(1);
    case Type::kWindowUpdate:
      return TakeWindowUpdate(header, payload);
    default:
      return SpendIdleFrames(1);  // unknown types are ignored (RFC 9113, 4.1)
  }
}

Http2Stream* Http2Session::FindFor(const Http2FrameHeader& header) {
  if (Http2Stream* stream = streams_.Find(header.stream)) return stream;
  if (streams_.PastOf(header.stream) == Http2Streams::Past::kNone) Fail(Http2Error::kProtocol);
  return nullptr;
}

void Http2Session::TakeData(const Http2FrameHeader& header, std::string_view payload) {
  const auto size = static_cast<std::int64_t>(header.length);
  receive_window_ -= size;
  if (receive_window_ < 0) return Fail(Http2Error::kFlowControl);
  if (receive_window_ < kConnectionWindow / 2) {
    const auto more = static_cast<std::uint32_t>(kConnectionWindow - receive_window_);
    AppendHttp2WindowUpdate(0, more, output);
    receive_window_ = kConnectionWindow;
  }
  if (!CutPadding(header, payload)) return Fail(Http2Error::kProtocol);
  Http2Stream* stream = FindFor(header);
  const bool is_last = header.Has(kHttp2EndStream);
  if (payload.empty() && !is_last) SpendIdleFrames(1);
  if (stream == nullptr) {
    const Http2Streams::Past past = streams_.PastOf(header.stream);
    if (past != Http2Streams::Past::kReset) return Fail(Http2Error::kStreamClosed);
    if (is_last) streams_.NoteEnd(header.stream);
    return;
  }
  if (stream->at.ended) return Fail(Http2Error::kStreamClosed);
  stream->at.receive_window -= size;
  if (stream->at.receive_window < 0) return Reset(*stream, Http2Error::kFlowControl);
  TakeBody(*stream, payload);
  if (stream->at.closed) return;
  if (is_last) return EndRequest(*stream);
  if (stream->at.complete || stream->at.receive_window >= kHttp2Window / 2) return;
  const auto more = static_cast<std::uint32_t>(kHttp2Window - stream->at.receive_window);
  AppendHttp2WindowUpdate(stream->id(), more, output);
  stream->at.receive_window = kHttp2Window;
}

void Http2Session::TakeBody(Http2Stream& stream, std::string_view bytes) {
  if (stream.at.announced) {
    if (bytes.size() > *stream.at.announced) return Reset(stream, Http2Error::kProtocol);
    *stream.at.announced -= bytes.size();
  }
  if (stream.at.complete || stream.at.finished) return;
  if (stream.at.streams && IsFull()) return Reset(stream, Http2Error::kEnhanceYourCalm);
  if (stream.body_bytes() + bytes.size() > bounds_.request_bytes ||
      held_ + bytes.size() > bounds_.connection_bytes) {
    stream.request.fault = HttpRequest::Fault::kBodyTooLarge;
    return Complete(stream);
  }
  stream.AddBody(bytes);
  held_ += bytes.size();
  if (stream.at.streams) Queue(stream);
}

void Http2Session::EndRequest(Http2Stream& stream) {
  stream.at.ended = true;
  if (stream.at.announced.value_or(0) != 0) return Reset(stream, Http2Error::kProtocol);
  if (!stream.at.complete) Complete(stream);
}

void Http2Session::TakeHeaders(const Http2FrameHeader& header, std::string_view payload) {
  if (!CutPadding(header, payload) || header.stream % 2 == 0) return Fail(Http2Error::kProtocol);
  HeadFrame head{header.stream, header.Has(kHttp2EndStream), false};
  if (header.Has(kHttp2Priority)) {
    if (payload.size() < kPriorityBytes) return Fail(Http2Error::kProtocol);
    head.depends_on_itself = DependencyOf(payload) == header.stream;
    payload.remove_prefix(kPriorityBytes);
  }
  if (header.Has(kHttp2EndHeaders)) return TakeHead(head, payload);
  split_.frame = head;
  split_.continuations = 0;
  split_.block.assign(payload);
}

void Http2Session::TakeContinuation(const Http2FrameHeader& header, std::string_view payload) {
  if (++split_.continuations > kMaxContinuations ||
      split_.block.size() + payload.size() > kBlockFactor * bounds_.header_bytes) {
    return Fail(Http2Error::kEnhanceYourCalm);
  }
  split_.block.append(payload);
  if (!header.Has(kHttp2EndHeaders)) return;
  TakeHead(std::exchange(split_.frame, {}), split_.block);
  Empty(split_.block);
}

void Http2Session::TakeHead(const HeadFrame& head, std::string_view block) {
  Http2Stream* stream = streams_.Find(head.stream);
  if (stream != nullptr) {
    if (stream->at.ended) return Fail(Http2Error::kStreamClosed);
    return TakeTrailer(head, block, stream);
  }
  switch (streams_.PastOf(head.stream)) {
    case Http2Streams::Past::kNone:
      return TakeRequest(head, block);
    case Http2Streams::Past::kPassed:
      return Fail(Http2Error::kProtocol);
    case Http2Streams::Past::kReset:
      return TakeTrailer(head, block, nullptr);
    case Http2Streams::Past::kEnded:
      return Fail(Http2Error::kStreamClosed);
  }
}

void Http2Session::TakeRequest(const HeadFrame& head, std::string_view block) {
  const bool is_served = head.stream <= max_served_;
  const bool has_room = streams_.open().size() < bounds_.streams &&
                        unfinished_ < bounds_.connection_requests && !IsFull();
  Http2HeadCheck check;
  if (!is_served || !has_room) {
    streams_.Skip(head.stream, head.ends_stream);
    if (!TakeFields(block, check, nullptr)) return Fail(Http2Error::kCompression);
    if (!is_served) return;
    AppendHttp2Reset(head.stream, Http2Error::kRefusedStream, output);
    return SpendAllowance();
  }
  idle_frames_ += kIdleFramesPerRequest;
  Http2Stream& stream = streams_.Open(head.stream);
  Await(stream);
  stream.at.ended = head.ends_stream;
  stream.at.send_window = first_send_window_;
  stream.at.receive_window = kHttp2Window;
  const bool is_read = TakeFields(block, check, &stream);
  heads_ += stream.head_bytes();
  if (!is_read) return Fail(Http2Error::kCompression);
  if (!check.IsRequest() || head.depends_on_itself) return Reset(stream, Http2Error::kProtocol);
  stream.at.announced = check.content_length();
  const BodyDelivery delivery = CompleteHead(stream);
  if (head.ends_stream) {
    EndRequest(stream);
  } else if (stream.request.fault != HttpRequest::Fault::kNone ||
             delivery == BodyDelivery::kUnread) {
    Complete(stream);
  }
}

void Http2Session::TakeTrailer(const HeadFrame& head, std::string_view block, Http2Stream* stream) {
  Http2HeadCheck check;
  if (!TakeFields(block, check, nullptr)) return Fail(Http2Error::kCompression);
  if (stream == nullptr) {
    if (head.ends_stream) streams_.NoteEnd(head.stream);
    return;
  }
  if (head.ends_stream && check.IsTrailer()) return EndRequest(*stream);
  stream->at.ended = head.ends_stream;
  Reset(*stream, Http2Error::kProtocol);
}

bool Http2Session::TakeFields(std::string_view block, Http2HeadCheck& check, Http2Stream* stream) {
  fields_.Start(block);
  for (;;) {
    HpackField field;
    const HpackReader::Found found = fields_.Next(field);
    if (found != HpackReader::Found::kField) return found == HpackReader::Found::kEnd;
    check.Add(field.kind, field.value);
    if (stream != nullptr) KeepField(field, *stream);
  }
}

void Http2Session::KeepField(const HpackField& field, Http2Stream& stream) {
  const std::size_t bytes = stream.field_bytes() + field.name.size() + field.value.size();
  if (stream.field_count() >= bounds_.header_fields || bytes > bounds_.header_bytes) {
    stream.request.fault = HttpRequest::Fault::kHeadTooLarge;
  } else {
    stream.AddField(field.name, field.value);
  }
}

void Http2Session::TakePriority(const Http2FrameHeader& header, std::string_view payload) {
  Http2Error error = Http2Error::kNone;
  if (payload.size() != kPriorityBytes) {
    error = Http2Error::kFrameSize;
  } else if (DependencyOf(payload) == header.stream) {
    error = Http2Error::kProtocol;
  }
  if (error == Http2Error::kNone) return SpendIdleFrames(1);
  Http2Stream* stream = streams_.Find(header.stream);
  return stream == nullptr ? Fail(error) : Reset(*stream, error);
}

void Http2Session::TakeReset(const Http2FrameHeader& header) {
  Http2Stream* stream = FindFor(header);
  if (stream == nullptr) {
    streams_.NoteEnd(header.stream);
    return SpendIdleFrames(1);
  }
  // Resets of requests that were not served yet are the cheap flood ("rapid reset"). A client that
  // resets a served request has paid for it like any other, so that one is free.
  if (!stream->at.served) SpendAllowance();
  stream->at.ended = true;
  Close(*stream);
}

void Http2Session::TakeSettings(const Http2FrameHeader& header, std::string_view payload) {
  SpendIdleFrames(1 + static_cast<std::int64_t>(payload.size() / kSettingBytes));
  if (header.Has(kHttp2Ack)) return;
  has_settings_ = true;
  for (; !payload.empty(); payload.remove_prefix(kSettingBytes)) {
    const auto name =
        static_cast<unsigned char>(payload[0]) << 8U | static_cast<unsigned char>(payload[1]);
    const Http2Error error =
        TakeSetting(static_cast<Http2Setting>(name), ReadHttp2Number(payload, 2));
    if (error != Http2Error::kNone) return Fail(error);
  }
  AppendHttp2FrameHeader({0, Type::kSettings, kHttp2Ack, 0}, output);
  if (++acknowledged_ > kMaxAcknowledged) Fail(Http2Error::kEnhanceYourCalm);
}

Http2Error Http2Session::TakeSetting(Http2Setting setting, std::uint32_t value) {
  switch (setting) {
    case Http2Setting::kEnablePush:
      return value <= 1 ? Http2Error::kNone : Http2Error::kProtocol;
    case Http2Setting::kMaxFrameSize:
      return value >= kMaxHttp2Payload && value <= kMaxFrameSize ? Http2Error::kNone
                                                                 : Http2Error::kProtocol;
    case Http2Setting::kInitialWindowSize: {
      if (value > kMaxHttp2Window) return Http2Error::kFlowControl;
      const std::int64_t more = value - std::exchange(first_send_window_, value);
      for (Http2Stream* stream : streams_.open()) {
        stream->at.send_window += more;
        if (stream->at.send_window > kMaxHttp2Window) return Http2Error::kFlowControl;
      }
      return Http2Error::kNone;
    }
    default:
      return Http2Error::kNone;
  }
}

void Http2Session::TakePing(const Http2FrameHeader& header, std::string_view payload) {
  SpendIdleFrames(1);
  if (header.Has(kHttp2Ack)) return;
  AppendHttp2FrameHeader({payload.size(), Type::kPing, kHttp2Ack, 0}, output);
  output.append(payload);
  if (++acknowledged_ > kMaxAcknowledged) Fail(Http2Error::kEnhanceYourCalm);
}

void Http2Session::TakeWindowUpdate(const Http2FrameHeader& header, std::string_view payload) {
  SpendIdleFrames(1);
  const std::int64_t more = ReadHttp2Number(payload) & kMaxHttp2Stream;
  if (header.stream == 0) {
    send_window_ += more;
    if (more == 0) Fail(Http2Error::kProtocol);
    if (send_window_ > kMaxHttp2Window) Fail(Http2Error::kFlowControl);
    return;
  }
  Http2Stream* stream = FindFor(header);
  if (stream == nullptr) return;
  stream->at.send_window += more;
  if (more == 0) return Reset(*stream, Http2Error::kProtocol);
  if (stream->at.send_window > kMaxHttp2Window) Reset(*stream, Http2Error::kFlowControl);
}

void Http2Session::Fail(Http2Error error) {
  if (fault_ == Http2Error::kNone) fault_ = error;
}

void Http2Session::Reset(Http2Stream& stream, Http2Error error) {
  AppendHttp2Reset(stream.id(), error, output);
  Close(stream);
  if (receiving_) SpendAllowance();
}

}  // namespace sluice
