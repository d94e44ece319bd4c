#include "unit/net/http2/http2_client.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace sluice {
namespace {

std::string Text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

nghttp2_nv Field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

struct Http2Client::Callbacks {
  static Http2Client& Self(void* user) { return *static_cast<Http2Client*>(user); }

  static int OnHeader(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                      const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                      std::size_t value_size, std::uint8_t /*flags*/, void* user) {
    Reply& reply = Self(user).replies[frame->hd.stream_id];
    auto& fields = frame->headers.cat == NGHTTP2_HCAT_RESPONSE ? reply.headers : reply.trailers;
    fields[Text(name, name_size)] = Text(value, value_size);
    return 0;
  }

  static int OnData(nghttp2_session* /*session*/, std::uint8_t /*flags*/, std::int32_t stream,
                    const std::uint8_t* bytes, std::size_t size, void* user) {
    Self(user).replies[stream].body += Text(bytes, size);
    return 0;
  }

  static int OnFrame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_GOAWAY) {
      Self(user).has_goaway = true;
      Self(user).goaway_last = frame->goaway.last_stream_id;
      Self(user).goaway_error = frame->goaway.error_code;
      return 0;
    }
    if (frame->hd.stream_id == 0) return 0;
    Reply& reply = Self(user).replies[frame->hd.stream_id];
    const bool carries = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (carries && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) reply.is_whole = true;
    if (frame->hd.type == NGHTTP2_RST_STREAM) {
      reply.is_reset = true;
      reply.error = frame->rst_stream.error_code;
    }
    return 0;
  }

  static ssize_t Read(nghttp2_session* /*session*/, std::int32_t /*stream*/, std::uint8_t* out,
                      std::size_t size, std::uint32_t* flags, nghttp2_data_source* source,
                      void* /*user*/) {
    auto& sending = *static_cast<Sending*>(source->ptr);
    const std::size_t taken = std::min(size, sending.body.size() - sending.sent);
    std::memcpy(out, sending.body.data() + sending.sent, taken);
    sending.sent += taken;
    if (sending.sent < sending.body.size()) return static_cast<ssize_t>(taken);
    if (sending.ends) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (taken == 0 && !sending.ends) return NGHTTP2_ERR_DEFERRED;
    return static_cast<ssize_t>(taken);
  }
};

Http2Client::Http2Client() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::OnData);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::OnFrame);
  nghttp2_session_client_new(&session_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
}

Http2Client::~Http2Client() { nghttp2_session_del(session_); }

std::int32_t Http2Client::Send(std::string_view method, std::string path, Sending* sending) {
  const std::vector<nghttp2_nv> fields = {Field(":method", method), Field(":scheme", "http"),
                                          Field(":authority", "limits.test"), Field(":path", path),
                                          Field("x-user", "42")};
  nghttp2_data_provider body{};
  body.source.ptr = sending;
  body.read_callback = Callbacks::Read;
  return nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(),
                                sending == nullptr ? nullptr : &body, nullptr);
}

std::int32_t Http2Client::Get(std::string path) { return Send("GET", std::move(path), nullptr); }

std::int32_t Http2Client::Post(std::string path, std::string body) {
  bodies_.push_back(std::make_unique<Sending>(Sending{std::move(body), 0, true}));
  return Send("POST", std::move(path), bodies_.back().get());
}

std::int32_t Http2Client::PostUnfinished(std::string path, std::string body) {
  bodies_.push_back(std::make_unique<Sending>(Sending{std::move(body), 0, false}));
  return Send("POST", std::move(path), bodies_.back().get());
}

void Http2Client::SendMore(std::int32_t stream, std::string_view bytes) {
  bodies_.back()->body.append(bytes);
  nghttp2_session_resume_data(session_, stream);
}

void Http2Client::EndBody(std::int32_t stream) {
  bodies_.back()->ends = true;
  nghttp2_session_resume_data(session_, stream);
}

void Http2Client::Reset(std::int32_t stream) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
}

void Http2Client::Ping() { nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr); }

void Http2Client::GrantWindow(std::int32_t bytes) {
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, bytes);
}

std::string Http2Client::TakeOutput() {
  std::string output;
  for (;;) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
    if (size <= 0) return output;
    output += Text(bytes, static_cast<std::size_t>(size));
  }
}

bool Http2Client::Receive(std::string_view bytes) {
  return nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                  bytes.size()) >= 0;
}

}  // namespace sluice
