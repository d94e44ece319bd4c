#include "net/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

namespace sluice {
namespace {

// How much a peer may send before it hears that it may send more: on the whole connection, where
// the default of 64 KiB would make many small requests wait.
constexpr std::int32_t kConnectionWindow = 1 << 20;

// Streams that the peer may reset: so many at once, and so many a second.
constexpr std::uint64_t kResetBurst = 1000;
constexpr std::uint64_t kResetRate = 200;

std::string_view View(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

std::uint8_t* Bytes(std::string_view text) {
  // nghttp2 takes what it does not change by a pointer to what could be.
  return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
}

// The names and values stay where they are until the stream is closed. A name with capitals is
// copied, since nghttp2 writes it in lower case.
nghttp2_nv Field(std::string_view name, std::string_view value) {
  const bool lower =
      std::ranges::none_of(name, [](char byte) { return byte >= 'A' && byte <= 'Z'; });
  const int name_flag = lower ? NGHTTP2_NV_FLAG_NO_COPY_NAME : NGHTTP2_NV_FLAG_NONE;
  return {Bytes(name), Bytes(value), name.size(), value.size(),
          static_cast<std::uint8_t>(name_flag | NGHTTP2_NV_FLAG_NO_COPY_VALUE)};
}

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

struct Http2Session::Fields {
  void Add(const HeaderList& headers) {
    for (std::size_t i = 0; i < headers.size(); ++i) {
      all.push_back(Field(headers[i].name, headers[i].value));
    }
  }

  std::vector<nghttp2_nv> all;
};

struct Http2Session::Callbacks {
  static Http2Session& Self(void* user) { return *static_cast<Http2Session*>(user); }

  static Http2Stream* Find(nghttp2_session* session, std::int32_t id) {
    return static_cast<Http2Stream*>(nghttp2_session_get_stream_user_data(session, id));
  }

  static bool BeginsRequest(const nghttp2_frame* frame) {
    return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
  }

  static int OnBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    if (!BeginsRequest(frame)) return 0;
    Http2Stream* stream = Self(user).Open(frame->hd.stream_id);
    nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, stream);
    return 0;
  }

  static int OnHeader(nghttp2_session* session, const nghttp2_frame* frame,
                      const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                      std::size_t value_size, std::uint8_t /*flags*/, void* user) {
    if (!BeginsRequest(frame)) return 0;
    Http2Stream* stream = Find(session, frame->hd.stream_id);
    if (stream == nullptr) return 0;
    const Bounds& bounds = Self(user).bounds_;
    if (stream->field_count() >= bounds.header_fields ||
        stream->field_bytes() + name_size + value_size > bounds.header_bytes) {
      stream->request.fault = HttpRequest::Fault::kHeadTooLarge;
      return 0;
    }
    stream->AddField(View(name, name_size), View(value, value_size));
    return 0;
  }

  static int OnData(nghttp2_session* session, std::uint8_t /*flags*/, std::int32_t id,
                    const std::uint8_t* bytes, std::size_t size, void* user) {
    Http2Stream* stream = Find(session, id);
    if (stream == nullptr || stream->complete || stream->finished) return 0;
    Http2Session& self = Self(user);
    if (stream->body_bytes() + size > self.bounds_.request_bytes ||
        self.held_ + size > self.bounds_.connection_bytes) {
      stream->request.fault = HttpRequest::Fault::kBodyTooLarge;
      self.Complete(*stream);
      return 0;
    }
    stream->AddBody(View(bytes, size));
    self.held_ += size;
    if (stream->streams) self.Queue(*stream);
    return 0;
  }

  static int OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    Http2Stream* stream = Find(session, frame->hd.stream_id);
    if (stream == nullptr || stream->complete) return 0;
    if (BeginsRequest(frame)) Self(user).CompleteHead(*stream);
    const bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (is_last || stream->request.fault != HttpRequest::Fault::kNone) {
      Self(user).Complete(*stream);
    }
    return 0;
  }

  static int OnClose(nghttp2_session* session, std::int32_t id, std::uint32_t /*error*/,
                     void* user) {
    Http2Stream* stream = Find(session, id);
    if (stream == nullptr) return 0;
    // It may be another stream's by the time that somebody looks for it here.
    nghttp2_session_set_stream_user_data(session, id, nullptr);
    Self(user).Closed(*stream);
    return 0;
  }

  static ssize_t Read(nghttp2_session* session, std::int32_t id, std::uint8_t* out,
                      std::size_t size, std::uint32_t* flags, nghttp2_data_source* source,
                      void* /*user*/) {
    auto& stream = *static_cast<Http2Stream*>(source->ptr);
    HttpReply& reply = stream.reply;
    const std::size_t taken = std::min(size, reply.body.size() - stream.sent);
    std::memcpy(out, reply.body.data() + stream.sent, taken);
    stream.sent += taken;
    if (stream.sent < reply.body.size()) return static_cast<ssize_t>(taken);
    if (!stream.finished) {
      reply.body.clear();
      stream.sent = 0;
      return taken == 0 ? static_cast<ssize_t>(NGHTTP2_ERR_DEFERRED) : static_cast<ssize_t>(taken);
    }
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (reply.trailers.size() > 0) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      Fields& fields = *stream.session().fields_;
      fields.all.clear();
      fields.Add(reply.trailers);
      nghttp2_submit_trailer(session, id, fields.all.data(), fields.all.size());
    }
    return static_cast<ssize_t>(taken);
  }

  // Once the whole reply has left, the rest of a body that nobody wants must not be sent. (A reset
  // any earlier would drop what is still in line.)
  static int OnSent(nghttp2_session* session, const nghttp2_frame* frame, void* /*user*/) {
    const bool carries = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (!carries || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    const Http2Stream* stream = Find(session, frame->hd.stream_id);
    if (stream != nullptr && stream->request.fault != HttpRequest::Fault::kNone) {
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream->id(), NGHTTP2_NO_ERROR);
    }
    return 0;
  }

  static nghttp2_session_callbacks* Make() {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, OnBeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, OnSent);
    return callbacks;
  }
};

void Http2Session::Free::operator()(nghttp2_session* session) const {
  nghttp2_session_del(session);
}

Http2Session::Http2Session(HttpService& service, const Peer& peer, const Bounds& bounds)
    : service_(service), peer_(peer), bounds_(bounds), fields_(std::make_unique<Fields>()) {
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
  return open_ > streaming_.size() ? Phase::kBody : Phase::kIdle;
}

void Http2Session::Tick() {
  if (!Rests() || spare_.size() < streams_.size()) return;
  decltype(spare_)().swap(spare_);
  decltype(streams_)().swap(streams_);
}

Http2Stream* Http2Session::Open(std::int32_t id) {
  if (spare_.empty()) {
    streams_.push_back(std::make_unique<Http2Stream>(*this));
    spare_.push_back(streams_.back().get());
  }
  Http2Stream* stream = spare_.back();
  spare_.pop_back();
  stream->Open(id);
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
  fields_->all.clear();
  fields_->all.push_back(Field(":status", status));
  fields_->Add(reply.headers);
  nghttp2_data_provider body{};
  body.source.ptr = &stream;
  body.read_callback = Callbacks::Read;
  const bool has_body = !reply.body.empty() || reply.trailers.size() > 0 || !stream.finished;
  nghttp2_submit_response(session_.get(), stream.id(), fields_->all.data(), fields_->all.size(),
                          has_body ? &body : nullptr);
}

void Http2Session::Pump() {
  while (output.size() < bounds_.connection_bytes) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size < 0) End();
    if (size <= 0) break;
    output.append(View(bytes, static_cast<std::size_t>(size)));
  }
  paused_ = output.size() >= bounds_.connection_bytes;
  // Nobody opens a window any more where the peer sends no more, and what is half there stays so.
  const bool waits =
      received_all_ ? unfinished_ > 0 : nghttp2_session_want_read(session_.get()) != 0;
  if (!waits && nghttp2_session_want_write(session_.get()) == 0) End();
}

}  // namespace sluice
