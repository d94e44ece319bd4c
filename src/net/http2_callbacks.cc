#include "net/http2_callbacks.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "net/http2_fields.h"

namespace sluice {
namespace {

std::string_view View(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

Http2Session& Http2Session::Callbacks::Self(void* user) {
  return *static_cast<Http2Session*>(user);
}

Http2Stream* Http2Session::Callbacks::Find(nghttp2_session* session, std::int32_t id) {
  return static_cast<Http2Stream*>(nghttp2_session_get_stream_user_data(session, id));
}

bool Http2Session::Callbacks::BeginsRequest(const nghttp2_frame* frame) {
  return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
}

int Http2Session::Callbacks::OnBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame,
                                            void* user) {
  if (!BeginsRequest(frame)) return 0;
  Http2Stream* stream = Self(user).Open(frame->hd.stream_id);
  nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, stream);
  return 0;
}

int Http2Session::Callbacks::OnHeader(nghttp2_session* session, const nghttp2_frame* frame,
                                      const std::uint8_t* name, std::size_t name_size,
                                      const std::uint8_t* value, std::size_t value_size,
                                      std::uint8_t /*flags*/, void* user) {
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

int Http2Session::Callbacks::OnData(nghttp2_session* session, std::uint8_t /*flags*/,
                                    std::int32_t id, const std::uint8_t* bytes, std::size_t size,
                                    void* user) {
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

int Http2Session::Callbacks::OnFrame(nghttp2_session* session, const nghttp2_frame* frame,
                                     void* user) {
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

int Http2Session::Callbacks::OnClose(nghttp2_session* session, std::int32_t id,
                                     std::uint32_t /*error*/, void* user) {
  Http2Stream* stream = Find(session, id);
  if (stream == nullptr) return 0;
  // It may be another stream's by the time that somebody looks for it here.
  nghttp2_session_set_stream_user_data(session, id, nullptr);
  Self(user).Closed(*stream);
  return 0;
}

ssize_t Http2Session::Callbacks::Read(nghttp2_session* session, std::int32_t id, std::uint8_t* out,
                                      std::size_t size, std::uint32_t* flags,
                                      nghttp2_data_source* source, void* /*user*/) {
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
    Http2Fields& fields = *stream.session().fields_;
    fields.Clear();
    fields.Add(reply.trailers);
    nghttp2_submit_trailer(session, id, fields.data(), fields.size());
  }
  return static_cast<ssize_t>(taken);
}

// Once the whole reply has left, the rest of a body that nobody wants must not be sent. (A reset
// any earlier would drop what is still in line.)
int Http2Session::Callbacks::OnSent(nghttp2_session* session, const nghttp2_frame* frame,
                                    void* /*user*/) {
  const bool carries = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
  if (!carries || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
  const Http2Stream* stream = Find(session, frame->hd.stream_id);
  if (stream != nullptr && stream->request.fault != HttpRequest::Fault::kNone) {
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream->id(), NGHTTP2_NO_ERROR);
  }
  return 0;
}

nghttp2_session_callbacks* Http2Session::Callbacks::Make() {
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

}  // namespace sluice
