#include "load/grpc_client.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <variant>

#include "base/text.h"
#include "wire/grpc/grpc_frame.h"

namespace sluice {
namespace {

// How many bytes the server may send before it needs a window update. The default of 64 KiB would
// delay replies when many small ones are in flight.
constexpr std::int32_t kConnectionWindow = 1 << 24;
// The maximum number of concurrent streams until the server's SETTINGS arrive.
constexpr std::uint32_t kStreamsAtFirst = 100;

constexpr int kMaxStatus = static_cast<int>(GrpcStatus::kUnauthenticated);
constexpr int kHttpOk = 200;

std::string_view View(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// REQUIRES: the texts outlive the client, because nghttp2 does not copy them.
nghttp2_nv Field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    // nghttp2 takes non-const pointers, but does not modify the texts.
    return const_cast<std::uint8_t*>(  // NOLINT(cppcoreguidelines-pro-type-const-cast)
        reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

class Options {
 public:
  Options() {
    nghttp2_option_new(&option_);
    nghttp2_option_set_no_closed_streams(option_, 1);
    nghttp2_option_set_peer_max_concurrent_streams(option_, kStreamsAtFirst);
  }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  ~Options() { nghttp2_option_del(option_); }

  [[nodiscard]] const nghttp2_option* get() const { return option_; }

 private:
  nghttp2_option* option_ = nullptr;
};

}  // namespace

// A call in flight. Reused for later calls.
struct GrpcClient::Stream {
  // Prepares for another call.
  void Begin(std::uint64_t new_tag, std::string_view message) {
    tag = new_tag;
    request.clear();
    const std::size_t begin = BeginGrpcMessage(request);
    request.append(message);
    EndGrpcMessage(begin, request);
    sent = 0;
    reply.clear();
    words.clear();
    http_status = 0;
    grpc_status = -1;
    is_too_long = false;
  }

  std::int32_t id = 0;  // 0: no call is in flight
  std::uint64_t tag = 0;
  std::string request;  // including its prefix
  std::size_t sent = 0;
  std::string reply;  // including its prefix
  std::string words;
  int http_status = 0;
  int grpc_status = -1;  // -1: not received yet
  bool is_too_long = false;
};

struct GrpcClient::Fields {
  std::vector<nghttp2_nv> all;
};

// Their signatures are nghttp2's. NOLINTBEGIN(readability-function-size)
struct GrpcClient::Callbacks {
  static GrpcClient& Self(void* user) { return *static_cast<GrpcClient*>(user); }

  static Stream* Find(nghttp2_session* session, std::int32_t id) {
    return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session, id));
  }

  static int NumberIn(std::string_view text) {
    int number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : -1;
  }

  static int OnHeader(nghttp2_session* session, const nghttp2_frame* frame,
                      const std::uint8_t* name_bytes, std::size_t name_size,
                      const std::uint8_t* value_bytes, std::size_t value_size,
                      std::uint8_t /*flags*/, void* /*user*/) {
    const std::string_view name = View(name_bytes, name_size);
    const bool is_status = name == ":status";
    if (!is_status && !name.starts_with("grpc-")) return 0;
    Stream* const stream = Find(session, frame->hd.stream_id);
    if (stream == nullptr) return 0;
    const std::string_view value = View(value_bytes, value_size);
    if (is_status) {
      stream->http_status = NumberIn(value);
    } else if (name == "grpc-status") {
      stream->grpc_status = NumberIn(value);
    } else if (name == "grpc-message") {
      stream->words.assign(value);
    }
    return 0;
  }

  static int OnData(nghttp2_session* session, std::uint8_t /*flags*/, std::int32_t id,
                    const std::uint8_t* bytes, std::size_t size, void* /*user*/) {
    Stream* const stream = Find(session, id);
    if (stream == nullptr || stream->is_too_long) return 0;
    if (stream->reply.size() + size > kMaxReplyBytes) {
      stream->is_too_long = true;
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
      return 0;
    }
    stream->reply.append(View(bytes, size));
    return 0;
  }

  static int OnFrame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_GOAWAY) {
      Self(user).takes_calls_ = false;
      Self(user).was_asked_to_go_ = true;
    }
    return 0;
  }

  static int OnClose(nghttp2_session* session, std::int32_t id, std::uint32_t error, void* user) {
    Stream* const stream = Find(session, id);
    if (stream != nullptr && stream->id == id) Self(user).Close(*stream, error);
    return 0;
  }

  // Closes a call that was still queued when the server sent GOAWAY; nghttp2 has no stream for it
  // yet.
  static int OnNotSent(nghttp2_session* /*session*/, const nghttp2_frame* frame, int /*error*/,
                       void* user) {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    const auto& streams = Self(user).streams_;
    const auto found = std::ranges::find(streams, frame->hd.stream_id,
                                         [](const auto& stream) { return stream->id; });
    if (found != streams.end()) Self(user).Close(**found, NGHTTP2_REFUSED_STREAM);
    return 0;
  }

  static ssize_t Read(nghttp2_session* /*session*/, std::int32_t /*id*/, std::uint8_t* out,
                      std::size_t size, std::uint32_t* flags, nghttp2_data_source* source,
                      void* /*user*/) {
    auto& stream = *static_cast<Stream*>(source->ptr);
    const std::size_t taken = std::min(size, stream.request.size() - stream.sent);
    std::ranges::copy(std::string_view(stream.request).substr(stream.sent, taken), out);
    stream.sent += taken;
    if (stream.sent == stream.request.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(taken);
  }

  static int OnError(nghttp2_session* /*session*/, int /*code*/, const char* words,
                     std::size_t size, void* user) {
    Self(user).fault_.assign(words, size);
    return 0;
  }

  static nghttp2_session_callbacks* Make() {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, OnNotSent);
    nghttp2_session_callbacks_set_error_callback2(callbacks, OnError);
    return callbacks;
  }
};
// NOLINTEND(readability-function-size)

void GrpcClient::Free::operator()(nghttp2_session* session) const { nghttp2_session_del(session); }

GrpcClient::GrpcClient(std::string authority, std::string path, Listener& listener,
                       HeaderList metadata)
    : authority_(std::move(authority)),
      path_(std::move(path)),
      metadata_(std::move(metadata)),
      listener_(listener),
      fields_(std::make_unique<Fields>()) {
  fields_->all = {Field(":method", "POST"),
                  Field(":scheme", "http"),
                  Field(":path", path_),
                  Field(":authority", authority_),
                  Field("content-type", "application/grpc"),
                  Field("te", "trailers")};
  for (std::size_t i = 0; i < metadata_.size(); ++i) {
    fields_->all.push_back(Field(metadata_[i].name, metadata_[i].value));
  }
  const Options options;
  nghttp2_session_callbacks* callbacks = Callbacks::Make();
  nghttp2_session* session = nullptr;
  nghttp2_session_client_new2(&session, callbacks, this, options.get());
  nghttp2_session_callbacks_del(callbacks);
  session_.reset(session);
  const nghttp2_settings_entry no_push{NGHTTP2_SETTINGS_ENABLE_PUSH, 0};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &no_push, 1);
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

GrpcClient::~GrpcClient() = default;

void GrpcClient::Call(std::uint64_t tag, std::string_view message) {
  if (spare_.empty()) {
    streams_.push_back(std::make_unique<Stream>());
    spare_.push_back(streams_.back().get());
  }
  Stream& stream = *spare_.back();
  stream.Begin(tag, message);
  nghttp2_data_provider body{};
  body.source.ptr = &stream;
  body.read_callback = Callbacks::Read;
  const std::int32_t id = nghttp2_submit_request(session_.get(), nullptr, fields_->all.data(),
                                                 fields_->all.size(), &body, &stream);
  spare_.pop_back();
  ++in_flight_;
  stream.id = id;
  if (id >= 0) return;
  // The stream identifiers are used up, after about a billion calls.
  takes_calls_ = false;
  Tell(stream, {.outcome = GrpcReply::Fate::kNotTaken});
}

void GrpcClient::Pump() {
  for (;;) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size <= 0) break;
    output.append(View(bytes, static_cast<std::size_t>(size)));
  }
}

bool GrpcClient::Receive(std::string_view bytes) {
  const ssize_t taken = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  Pump();
  if (taken >= 0 && nghttp2_session_want_read(session_.get()) != 0) return true;
  takes_calls_ = false;
  if (was_asked_to_go_) return true;
  // nghttp2 has ended the session by itself: the server violated the protocol.
  if (fault_.empty()) fault_ = "a frame breaks the rules of HTTP/2";
  return false;
}

void GrpcClient::ReceiveEnd() {
  takes_calls_ = false;
  for (const std::unique_ptr<Stream>& stream : streams_) {
    if (stream->id == 0) continue;
    Tell(*stream, {.outcome = GrpcReply::Fate::kBroken, .words = "the connection was closed"});
  }
}

void GrpcClient::Close(Stream& stream, std::uint32_t error) {
  if (error == NGHTTP2_REFUSED_STREAM) {
    return Tell(stream, {.outcome = GrpcReply::Fate::kNotTaken});
  }
  const auto broken = [&](std::string_view words) {
    Tell(stream, {.outcome = GrpcReply::Fate::kBroken, .words = words});
  };
  if (stream.is_too_long) return broken("the reply is too long");
  if (stream.grpc_status < 0 || stream.grpc_status > kMaxStatus) {
    if (stream.http_status != 0 && stream.http_status != kHttpOk) {
      return broken(Concat("HTTP status ", stream.http_status));
    }
    if (error == NGHTTP2_NO_ERROR) return broken("the reply has no grpc-status");
    return broken(Concat("the stream was reset: ", nghttp2_http2_strerror(error)));
  }
  const auto status = static_cast<GrpcStatus>(stream.grpc_status);
  if (status != GrpcStatus::kOk) return Tell(stream, {.status = status, .words = stream.words});
  const auto next = NextGrpcMessage(stream.reply, kMaxReplyBytes);
  const auto* const message = std::get_if<GrpcMessage>(&next);
  if (message == nullptr || message->frame_size != stream.reply.size()) {
    return broken("the reply is not one message");
  }
  Tell(stream, {.message = message->message});
}

void GrpcClient::Tell(Stream& stream, GrpcReply reply) {
  stream.id = 0;
  --in_flight_;
  reply.tag = stream.tag;
  listener_.OnReply(reply);
  spare_.push_back(&stream);
}

}  // namespace sluice
