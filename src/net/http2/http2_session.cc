#include "net/http2/http2_session.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice {
namespace {

// Maximum number of requests per batch. Small enough that their data stays in the CPU caches from
// parsing to the reply.
constexpr std::size_t kMaxBatch = 32;

// Token bucket for stream resets: burst, and rate per second.
constexpr std::int64_t kMaxAllowance = 1000;
constexpr std::int64_t kAllowanceRate = 200;

// Token bucket for idle frames (see SpendIdleFrames): burst, and rate per second. Requests and
// replies add to it.
constexpr std::int64_t kMaxIdleFrames = 10'000;
constexpr std::int64_t kIdleFramesRate = 1000;

// Calls of Retire from the GOAWAY that announces the end of an old connection to the final one:
// one second at the worker's tick of 250 ms.
constexpr std::uint32_t kCallsToFinalGoaway = 4;

}  // namespace

Http2Session::Http2Session(HttpService& service, const Peer& peer, const Bounds& bounds)
    : service_(service),
      peer_(peer),
      bounds_(bounds),
      streams_(*this),
      allowance_(kMaxAllowance),
      idle_frames_(kMaxIdleFrames),
      max_served_(kMaxHttp2Stream) {
  BoundOutput(bounds.connection_bytes);
  SendPreface();
}

Http2Session::~Http2Session() { TellStreams(StreamEvent::kGone); }

std::size_t Http2Session::Receive(std::string_view unread) {
  if (ended()) return unread.size();
  if (output.empty()) acknowledged_ = 0;
  std::string_view rest = unread;
  receiving_ = true;
  while (TakeNext(rest)) {
    if (ready_.size() >= kMaxBatch) ServeReady();
  }
  ServeReady();
  receiving_ = false;
  has_unread_ = !rest.empty();
  Pump();
  return ended() ? unread.size() : unread.size() - rest.size();
}

void Http2Session::ReceiveEnd() {
  received_all_ = true;
  Pump();
}

void Http2Session::WarnOfDrain() { TellStreams(StreamEvent::kDrainAhead); }

void Http2Session::Drain() {
  if (ended()) return;
  if (!std::exchange(draining_, true)) {
    // Requests that are already in flight are still accepted.
    AppendHttp2Goaway(kMaxHttp2Stream, Http2Error::kNone, output);
  } else {
    goes_away_ = true;
    max_served_ = std::min(max_served_, streams_.newest());
    AppendHttp2Goaway(max_served_, Http2Error::kNone, output);
  }
  TellStreams(StreamEvent::kDraining);
  if (!receiving_) Pump();
}

void Http2Session::Retire() {
  const std::uint32_t call = retire_calls_++;
  if (call == 0 || call == kCallsToFinalGoaway) Drain();
}

Session::Phase Http2Session::phase() const {
  if (unfinished_ > 0) return Phase::kAnswering;
  if (!has_settings_ || split_.frame.stream != 0) return Phase::kHead;
  if (streams_.open().size() > streaming_.size()) return Phase::kAnswering;
  return has_unread_ ? Phase::kHead : Phase::kIdle;
}

std::size_t Http2Session::kept_bytes() const {
  return held_ + heads_ + split_.block.size() + unsaid_ + streams_.memory_bytes();
}

void Http2Session::ReleaseMemory() {
  streams_.Trim();
  for (std::vector<Http2Stream*>* list : {&ready_, &waiting_, &turn_}) {
    if (list->empty()) std::vector<Http2Stream*>().swap(*list);
  }
  decltype(batch_)().swap(batch_);
}

void Http2Session::Tick(Nanos now, const Deadlines& deadlines) {
  const Nanos step = now - std::exchange(looked_, now).value_or(now);
  now_ += step;
  const Nanos counted = std::min<Nanos>(step, std::chrono::minutes(1));
  allowance_ =
      std::min(kMaxAllowance, allowance_ + kAllowanceRate * counted / std::chrono::seconds(1));
  // Capped here and not for each request, which saves a comparison per request.
  idle_frames_ =
      std::min(kMaxIdleFrames, idle_frames_ + kIdleFramesRate * counted / std::chrono::seconds(1));
  if (!ended()) GiveUpLate(step, deadlines);
  if (Rests()) {
    ReleaseMemory();
  } else {
    streams_.TrimUnused();
  }
}

void Http2Session::GiveUpLate(Nanos step, const Deadlines& deadlines) {
  // Times are only as fine as Tick: what began between two calls counts from the earlier one, so
  // one step is added to every deadline.
  if (now_ - earliest_ <= step + std::min(deadlines.body, deadlines.write)) return;
  earliest_ = now_;
  std::vector<Http2Stream*> late;
  for (Http2Stream* stream : streams_.open()) {
    if (!stream->is_awaited()) continue;
    const bool is_late = now_ - stream->since > step + stream->Allowed(deadlines);
    if (is_late && !IsTaking(*stream, deadlines)) {
      late.push_back(stream);
      continue;
    }
    if (is_late) Await(*stream);
    earliest_ = std::min(earliest_, stream->since);
  }
  for (Http2Stream* stream : late) {
    // The service, notified that one stream is gone, may finish others.
    if (!stream->at.closed) Reset(*stream, Http2Error::kCancel);
  }
  if (!late.empty()) Pump();
}

void Http2Session::SpendAllowance() {
  if (--allowance_ < 0) Fail(Http2Error::kEnhanceYourCalm);
}

void Http2Session::SpendIdleFrames(std::int64_t count) {
  idle_frames_ -= count;
  if (idle_frames_ < 0) Fail(Http2Error::kEnhanceYourCalm);
}

void Http2Session::Await(Http2Stream& stream) {
  stream.since = now_;
  stream.said_then = said_;
}

bool Http2Session::IsTaking(const Http2Stream& stream, const Deadlines& deadlines) const {
  // Counts the bytes sent on all streams, because streams take turns.
  const auto said = static_cast<std::int64_t>(said_ - stream.said_then);
  return stream.at.waits && said >= kMinRate * (deadlines.write / std::chrono::seconds(1));
}

BodyDelivery Http2Session::CompleteHead(Http2Stream& stream) {
  stream.CompleteHead(peer_);
  const BodyDelivery delivery = service_.DeliveryFor(stream.request);
  if (delivery == BodyDelivery::kStreamed) BeginStreaming(stream);
  return delivery;
}

void Http2Session::BeginStreaming(Http2Stream& stream) {
  stream.at.streams = true;
  streaming_.push_back(&stream);
  Queue(stream);
}

void Http2Session::Complete(Http2Stream& stream) {
  stream.at.complete = true;
  ++completed_;
  Queue(stream);
}

void Http2Session::Queue(Http2Stream& stream) {
  if (!std::exchange(stream.at.ready, true)) ready_.push_back(&stream);
}

void Http2Session::Close(Http2Stream& stream) {
  streams_.Close(stream);
  stream.at.closed = true;
  if (std::exchange(stream.at.waits, false)) std::erase(waiting_, &stream);
  unsaid_ -= std::exchange(stream.at.unsaid, 0);
  if (stream.at.streams) {
    std::erase(streaming_, &stream);
    if (stream.at.served && !stream.at.finished) service_.ServeStream(stream, StreamEvent::kGone);
    stream.at.finished = true;
  }
  // A stream that is queued is recycled by ServeReady, and one that is being served when it is
  // finished.
  const bool is_served = stream.at.served && !stream.at.finished;
  if (!stream.at.ready && !is_served) Recycle(stream);
}

void Http2Session::Recycle(Http2Stream& stream) {
  heads_ -= stream.head_bytes();
  held_ -= stream.ReleaseMemory();
  streams_.Recycle(stream);
}

void Http2Session::ServeReady() {
  batch_.clear();
  serving_ = true;
  for (Http2Stream* stream : ready_) {
    stream->at.ready = false;
    if (stream->at.closed) {
      Recycle(*stream);
      continue;
    }
    held_ -= stream->ShowBody();
    stream->at.served = true;
    if (stream->at.streams) {
      // Checked before each call, because a small message may have a large reply.
      if (IsFull()) {
        Reset(*stream, Http2Error::kEnhanceYourCalm);
        continue;
      }
      if (!stream->at.finished) service_.ServeStream(*stream, StreamEvent::kMore);
      if (!stream->at.closed) held_ -= stream->ShowBody();
    } else {
      ++unfinished_;
      batch_.push_back(stream);
    }
  }
  ready_.clear();
  if (!batch_.empty()) service_.Serve(batch_);
  serving_ = false;
}

void Http2Session::TellStreams(StreamEvent event) {
  const std::vector<Http2Stream*> all = streaming_;
  for (Http2Stream* stream : all) {
    if (stream->at.served && !stream->at.finished) service_.ServeStream(*stream, event);
  }
}

void Http2Session::Send(Http2Stream& stream) {
  if (ended()) return;
  if (!stream.at.waits) Await(stream);
  Say(stream);
  if (serving_ || receiving_) return;
  Pump();
  if (on_late_reply) on_late_reply();
}

void Http2Session::Finished(Http2Stream& stream) {
  stream.at.finished = true;
  Await(stream);
  if (stream.request.method == "HEAD") stream.DropBody();
  if (!stream.at.streams) --unfinished_;
  if (stream.at.closed) {
    Recycle(stream);
  } else if (ended()) {
    Close(stream);
  } else {
    Say(stream);
  }
  if (serving_ || receiving_) return;
  Pump();
  if (on_late_reply) on_late_reply();
}

}  // namespace sluice
