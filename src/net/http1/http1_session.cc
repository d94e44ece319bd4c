#include "net/http1/http1_session.h"

#include <utility>

#include "base/text.h"
#include "net/http1/http_status.h"
#include "net/loop/kept_text.h"

namespace sluice {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Returns a view of the head and the body.
HttpRequest RequestOf(const Http1Head& head, std::string_view body, const Peer& peer) {
  return {.method = head.method,
          .target = head.target,
          .authority = head.host,
          .headers = head.fields,
          .body = body,
          .peer = &peer};
}

}  // namespace

class Http1Session::Message final : public Exchange {
 public:
  explicit Message(Http1Session& session) : session_(session) {}
  ~Message() = default;

  void Begin(const Http1Head& head, std::string_view body, const Peer& peer) {
    headers_.assign(head.fields.begin(), head.fields.end());
    request = RequestOf(head, body, peer);
    request.headers = headers_;
    reply.Clear();
    parked_bytes = 0;
    finished = false;
    closes = !head.keeps_alive;
    is_10 = head.version == Http1Version::k10;
    is_head = head.method == "HEAD";
  }

  // Completes the reply with an error, without calling the service.
  void Refuse(const HttpFault& fault) {
    reply.Clear();
    reply.status = fault.status;
    reply.headers.Add("Content-Type", "text/plain");
    reply.body.assign(fault.text).append("\n");
    finished = true;
    closes = true;
    is_10 = false;
    is_head = false;
  }

  void Finish() override {
    finished = true;
    session_.Finished();
  }

  // Empty because HTTP/1 requests do not stream.
  void Send() override {}

  void ReleaseMemory() { Empty(reply.body); }
  [[nodiscard]] std::size_t memory_bytes() const {
    return sizeof(*this) + headers_.capacity() * sizeof(Header) + reply.body.capacity();
  }
  [[nodiscard]] std::size_t pending_bytes() const { return parked_bytes; }

  std::size_t counted_bytes = 0;  // used by the ReplyQueue
  bool finished = false;
  bool closes = false;  // the connection closes after this reply
  bool is_10 = false;
  bool is_head = false;

 private:
  Http1Session& session_;
  std::vector<Header> headers_;
};

Http1Session::Http1Session(HttpService& service, const Peer& peer, const Bounds& bounds)
    : service_(service),
      peer_(peer),
      bounds_(bounds),
      reader_({.max_head_bytes = bounds.header_bytes,
               .max_target_bytes = bounds.header_bytes,
               .max_fields = bounds.header_fields,
               .max_content_bytes = bounds.request_bytes}),
      chunk_reader_(
          {.max_body_bytes = bounds.request_bytes, .max_trailer_bytes = bounds.header_bytes}) {
  BoundOutput(bounds.connection_bytes);
}

Http1Session::~Http1Session() = default;

std::size_t Http1Session::Receive(std::string_view unread) {
  if (std::exchange(paused_, false)) WriteReplies();
  std::size_t taken = 0;
  while (!ended() && !closing_ && !IsFull()) {
    taken += ReadBatch(unread.substr(taken));
    if (queue_.batch().empty()) break;
    ServeBatch();
  }
  paused_ = !ended() && !closing_ && IsFull();
  if (paused_) half_read_ = is_chunked_ || taken < unread.size();
  WriteReplies();
  return ended() || closing_ ? unread.size() : taken;
}

bool Http1Session::IsFull() const {
  return output.size() >= max_output() || queue_.size() >= bounds_.connection_requests;
}

std::size_t Http1Session::ReadBatch(std::string_view unread) {
  std::size_t taken = 0;
  while (queue_.size() < bounds_.connection_requests && !queue_.has_batch() && !closing_) {
    const std::string_view rest = unread.substr(taken);
    half_read_ = is_chunked_ || !rest.empty();
    if (!half_read_) break;
    if ((is_chunked_ ? ReadChunks(rest, taken) : ReadOne(rest, taken)) == Next::kServe) break;
  }
  return taken;
}

Http1Session::Next Http1Session::ReadOne(std::string_view unread, std::size_t& taken) {
  if (unread.size() < needed_) return Next::kServe;
  const Http1HeadRead read = reader_.Read(unread);
  if (read.state == ReadState::kFault) {
    Refuse(read.fault);
    return Next::kServe;
  }
  if (read.state == ReadState::kMore) return Next::kServe;
  if (!reader_.head().is_chunked) return ReadSized(unread, read.consumed, taken);
  if (LeavesBodyUnread()) return AnswerHead();
  // Requests in the batch view the reader's current input. Reading chunks moves the reader to a
  // copy of the head, so the batch must be served first.
  if (!queue_.batch().empty()) return Next::kServe;
  BeginChunks(unread.substr(0, read.consumed));
  taken += read.consumed;
  return Next::kGoOn;
}

Http1Session::Next Http1Session::ReadSized(std::string_view unread, std::size_t head_bytes,
                                           std::size_t& taken) {
  const Http1Head& head = reader_.head();
  const std::size_t body_bytes = head.content_length.value_or(0);
  needed_ = head_bytes + body_bytes;
  if (unread.size() < needed_) {
    if (LeavesBodyUnread()) return AnswerHead();
    if (head.expects_continue && !std::exchange(told_to_continue_, true)) owes_continue_ = true;
    return Next::kServe;
  }
  AddMessage(unread.substr(head_bytes, body_bytes));
  taken += std::exchange(needed_, 0);
  return closing_ ? Next::kServe : Next::kGoOn;
}

bool Http1Session::LeavesBodyUnread() const {
  return service_.DeliveryFor(RequestOf(reader_.head(), {}, peer_)) == BodyDelivery::kUnread;
}

Http1Session::Next Http1Session::AnswerHead() {
  needed_ = 0;
  AddMessage({}).closes = true;
  closing_ = true;
  return Next::kServe;
}

void Http1Session::BeginChunks(std::string_view head) {
  chunked_head_.assign(head);
  reader_.Read(chunked_head_);
  chunk_reader_.Begin();
  chunks_.clear();
  is_chunked_ = true;
  owes_continue_ = reader_.head().expects_continue;
}

Http1Session::Next Http1Session::ReadChunks(std::string_view unread, std::size_t& taken) {
  const ChunkRead read = chunk_reader_.Read(unread, chunks_);
  taken += read.consumed;
  if (read.state == ReadState::kMore) return Next::kServe;
  is_chunked_ = false;
  half_read_ = read.consumed < unread.size();
  if (read.state == ReadState::kFault) {
    Refuse(read.is_too_large ? HttpFault{413, "the body is too large"}
                             : HttpFault{400, "the chunks of the body are malformed"});
    return Next::kServe;
  }
  AddMessage(chunks_);
  // There is one buffer for chunked bodies, and the next request may need it: serve this one first.
  return Next::kServe;
}

Http1Session::Message& Http1Session::AddMessage(std::string_view body) {
  Message& message = queue_.Join(*this);
  message.Begin(reader_.head(), body, peer_);
  if (message.closes) closing_ = true;
  told_to_continue_ = false;
  owes_continue_ = false;
  return message;
}

void Http1Session::Refuse(const HttpFault& fault) {
  queue_.JoinUnserved(*this).Refuse(fault);
  closing_ = true;
}

void Http1Session::ServeBatch() {
  completed_ += queue_.batch().size();
  unfinished_ += queue_.batch().size();
  queue_.Serve(service_);
  // Services may not read a request after Serve has returned.
  Empty(chunked_head_);
  Empty(chunks_);
  WriteReplies();
}

void Http1Session::Finished() {
  --unfinished_;
  if (queue_.is_serving()) return;
  WriteReplies();
  if (on_late_reply) on_late_reply();
}

void Http1Session::WriteReplies() {
  for (const Message* message = queue_.ready(); message != nullptr && !ended();
       message = queue_.ready()) {
    if (output.size() >= max_output()) {
      paused_ = true;
      return;
    }
    const bool is_last = message->closes || (draining_ && queue_.size() == 1 && !half_read_);
    WriteReply(*message, is_last);
    if (is_last) End();
    queue_.Leave();
  }
  if (!queue_.empty() || ended()) return;
  if (std::exchange(owes_continue_, false)) output.append(kContinue);
  if (leaving_ && !half_read_) End();
}

void Http1Session::WriteReply(const Message& message, bool is_last) {
  const HttpReply& reply = message.reply;
  output.append(StatusLine(reply.status));
  for (std::size_t i = 0; i < reply.headers.size(); ++i) {
    const Header header = reply.headers[i];
    output.append(header.name).append(": ").append(header.value).append("\r\n");
  }
  if (is_last) {
    output.append("Connection: close\r\n");
  } else if (message.is_10) {
    output.append("Connection: keep-alive\r\n");
  }
  output.append("Content-Length: ");
  const std::string_view body = reply.body_text();
  AppendPart(body.size(), output);
  output.append("\r\n\r\n");
  if (!message.is_head) output.append(body);
}

void Http1Session::ReceiveEnd() {
  half_read_ = false;
  // An incomplete request is dropped: its rest will never arrive.
  closing_ = closing_ || !paused_;
  draining_ = leaving_ = true;
  WriteReplies();
}

void Http1Session::Drain() {
  leaving_ = std::exchange(draining_, true);
  WriteReplies();
}

// The next reply carries "Connection: close". Without another request the idle deadline closes the
// connection.
void Http1Session::Retire() { draining_ = true; }

std::size_t Http1Session::kept_bytes() const {
  return chunked_head_.size() + chunks_.size() + queue_.kept_bytes();
}

void Http1Session::ReleaseMemory() { queue_.FreeSpare(); }

void Http1Session::Tick(Nanos /*now*/, const Deadlines& /*deadlines*/) {
  if (!Rests()) return;
  queue_.Rest();
  std::string().swap(chunked_head_);
  std::string().swap(chunks_);
}

Session::Phase Http1Session::phase() const {
  if (unfinished_ > 0) return Phase::kAnswering;
  if (!half_read_) return Phase::kIdle;
  return is_chunked_ || needed_ > 0 ? Phase::kBody : Phase::kHead;
}

}  // namespace sluice
