#include "net/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "net/http2_callbacks.h"
#include "net/http2_fields.h"

namespace sluice {
namespace {

// How much a peer may send before it hears that it may send more: on the whole connection, where
// the default of 64 KiB would make many small requests wait.
constexpr std::int32_t kConnectionWindow = 1 << 20;

// Streams that the peer may reset: so many at once, and so many a second.
constexpr std::uint64_t kResetBurst = 1000;
constexpr std::uint64_t kResetRate = 200;

class Options {
 public:
  Options() {
    nghttp2_option_new(&option_);
    nghttp2_option_set_no_closed_streams(option_, 1);
    nghttp2_option_set_stream_reset_rate_limit(option_, kResetBurst, kResetRate);
  }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  ~Options() { nghttp2_option_del(option_); }

  [[nodiscard]] const nghttp2_option* get() const { return option_; }

 private:
  nghttp2_option* option_ = nullptr;
};

}  // namespace

void Http2Session::Free::operator()(nghttp2_session* session) const {
  nghttp2_session_del(session);
}

Http2Session::Http2Session(HttpService& service, const Peer& peer, const Bounds& bounds)
    : service_(service), peer_(peer), bounds_(bounds), fields_(std::make_unique<Http2Fields>()) {
  const Options options;
  nghttp2_session_callbacks* callbacks = Callbacks::Make();
  nghttp2_session* session = nullptr;
  nghttp2_session_server_new2(&session, callbacks, this, options.get());
  nghttp2_session_callbacks_del(callbacks);
  session_.reset(session);
  const std::array settings = {
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
                             static_cast<std::uint32_t>(bounds_.streams)},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
                             static_cast<std::uint32_t>(bounds_.header_bytes)},
  };
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  Pump();
}

Http2Session::~Http2Session() { TellStreams(StreamEvent::kGone); }

std::size_t Http2Session::Receive(std::string_view unread) {
  if (ended()) return unread.size();
  receiving_ = true;
  const std::optional<Http2FrameWatch::Fault> fault = watch_.Take(unread);
  const ssize_t taken =
      nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const std::uint8_t*>(unread.data()),
                               fault ? fault->offset : unread.size());
  if (fault) nghttp2_session_terminate_session(session_.get(), fault->error);
  ServeReady();
  receiving_ = false;
  Pump();
  if (taken < 0) End();
  return unread.size();
}

void Http2Session::ReceiveEnd() {
  received_all_ = true;
  Pump();
}

void Http2Session::WarnOfDrain() { TellStreams(StreamEvent::kDrainAhead); }

void Http2Session::Drain() {
  if (ended()) return;
  if (!draining_) {
    draining_ = true;
    nghttp2_submit_shutdown_notice(session_.get());
    TellStreams(StreamEvent::kDraining);
  } else {
    nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
                          nullptr, 0);
    TellStreams(StreamEvent::kDraining);
  }
  if (!receiving_) Pump();
}

Session::Phase Http2Session::phase() const {
  if (unfinished_ > 0) return Phase::kAnswering;
  if (watch_.is_within_head()) return Phase::kHead;
  if (open_ > streaming_.size()) return Phase::kAnswering;
  return watch_.is_within() ? Phase::kHead : Phase::kIdle;
}

void Http2Session::Tick(Nanos now, const Deadlines& deadlines) {
  const Nanos step = now - std::exchange(now_, now);
  GiveUpLate(step, deadlines);
  if (!Rests() || spare_.size() < streams_.size()) return;
  decltype(spare_)().swap(spare_);
  decltype(streams_)().swap(streams_);
}

void Http2Session::GiveUpLate(Nanos step, const Deadlines& deadlines) {
  // What began between two calls is taken to have begun at the first.
  if (now_ - earliest_ <= step + std::min(deadlines.body, deadlines.write)) return;
  earliest_ = now_;
  bool is_any_late = false;
  for (const auto& stream : streams_) {
    if (!stream->is_awaited()) continue;
    if (now_ - stream->since > step + stream->Allowed(deadlines)) {
      nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream->id(), NGHTTP2_CANCEL);
      is_any_late = true;
    } else {
      earliest_ = std::min(earliest_, stream->since);
    }
  }
  if (is_any_late) Pump();
}

Http2Stream* Http2Session::Open(std::int32_t id) {
  if (spare_.empty()) {
    streams_.push_back(std::make_unique<Http2Stream>(*this));
    spare_.push_back(streams_.back().get());
  }
  Http2Stream* stream = spare_.back();
  spare_.pop_back();
  stream->Open(id);
  stream->since = now_;
  ++open_;
  return stream;
}

void Http2Session::CompleteHead(Http2Stream& stream) {
  stream.CompleteHead(peer_);
  if (!service_.Streams(stream.request)) return;
  stream.streams = true;
  streaming_.push_back(&stream);
  Queue(stream);
}

void Http2Session::Complete(Http2Stream& stream) {
  stream.complete = true;
  ++completed_;
  Queue(stream);
}

void Http2Session::Queue(Http2Stream& stream) {
  if (!std::exchange(stream.ready, true)) ready_.push_back(&stream);
}

void Http2Session::Closed(Http2Stream& stream) {
  stream.closed = true;
  --open_;
  if (stream.streams) {
    std::erase(streaming_, &stream);
    if (stream.served && !stream.finished) service_.ServeStream(stream, StreamEvent::kGone);
    stream.finished = true;
  }
  // One that waits to be served is passed over then, and one that is being served is let go when
  // it is finished.
  const bool is_served = stream.served && !stream.finished;
  if (!stream.ready && !is_served) Recycle(stream);
}

void Http2Session::Recycle(Http2Stream& stream) {
  held_ -= stream.LetGo();
  spare_.push_back(&stream);
}

void Http2Session::ServeReady() {
  batch_.clear();
  serving_ = true;
  for (Http2Stream* stream : ready_) {
    stream->ready = false;
    if (stream->closed) {
      Recycle(*stream);
      continue;
    }
    held_ -= stream->ShowBody();
    stream->served = true;
    if (stream->streams) {
      if (!stream->finished) service_.ServeStream(*stream, StreamEvent::kMore);
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
    if (stream->served && !stream->finished) service_.ServeStream(*stream, event);
  }
}

void Http2Session::Send(Http2Stream& stream) {
  Submit(stream);
  if (serving_ || receiving_) return;
  Pump();
  if (on_late_reply) on_late_reply();
}

void Http2Session::Finished(Http2Stream& stream) {
  stream.finished = true;
  stream.since = now_;
  if (!stream.streams) --unfinished_;
  if (stream.closed) {
    Recycle(stream);
  } else {
    Submit(stream);
  }
  if (serving_ || receiving_) return;
  Pump();
  if (on_late_reply) on_late_reply();
}

void Http2Session::Submit(Http2Stream& stream) {
  if (std::exchange(stream.submitted, true)) {
    nghttp2_session_resume_data(session_.get(), stream.id());
    return;
  }
  const HttpReply& reply = stream.reply;
  const auto [end, error] = std::to_chars(
      stream.status.data(), stream.status.data() + stream.status.size(), reply.status);
  const std::string_view status(stream.status.data(), end);
  fields_->Clear();
  fields_->Add(":status", status);
  fields_->Add(reply.headers);
  nghttp2_data_provider body{};
  body.source.ptr = &stream;
  body.read_callback = Callbacks::Read;
  const bool has_body = !reply.body.empty() || reply.trailers.size() > 0 || !stream.finished;
  nghttp2_submit_response(session_.get(), stream.id(), fields_->data(), fields_->size(),
                          has_body ? &body : nullptr);
}

void Http2Session::Pump() {
  while (output.size() < bounds_.connection_bytes) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size < 0) End();
    if (size <= 0) break;
    output.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  paused_ = output.size() >= bounds_.connection_bytes;
  // Nobody opens a window any more where the peer sends no more, and what is half there stays so.
  const bool waits =
      received_all_ ? unfinished_ > 0 : nghttp2_session_want_read(session_.get()) != 0;
  if (!waits && nghttp2_session_want_write(session_.get()) == 0) End();
}

}  // namespace sluice
