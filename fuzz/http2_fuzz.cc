// Fuzzes an HTTP/2 connection with a client that sends arbitrary bytes in pieces: the server sends
// whole frames in a valid order, its buffers are bounded, and every request is finished.
//
// The first byte chooses the size of the pieces, the second one the events of the connection. The
// rest is what the client sends after its preface and settings, either as raw bytes or as frames.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/byte_reader.h"
#include "fuzz/must.h"
#include "net/http2/http2_session.h"
#include "wire/http2/hpack_reader.h"
#include "wire/http2/http2_frame.h"

namespace sluice::fuzz {
namespace {

using Type = Http2FrameType;

constexpr Bounds kBounds{.connection_requests = 8,
                         .streams = 8,
                         .connection_bytes = 20'000,
                         .request_bytes = 1000,
                         .header_bytes = 600,
                         .header_fields = 12};
// The output may exceed its bound by data that was begun below it: a piece of a body, and the heads
// and trailers of all streams.
constexpr std::size_t kMaxOutput = kBounds.connection_bytes + kMaxHttp2Payload + 4000;

// The events of a connection, one per bit of a byte.
struct Course {
  bool is_framed;      // the client sends valid frames
  bool replies_later;  // the service replies asynchronously
  bool never_reads;    // the client reads nothing before it ends
  bool drains;         // the server drains half way through
  bool ticks;          // time advances
};

Course CourseOf(std::uint8_t bits) {
  const auto has = [bits](unsigned bit) { return (bits >> bit & 1U) != 0; };
  return {has(0), has(1), has(2), has(3), has(4)};
}

// Echoes the bodies of requests to /stream, and sends long or short replies to others.
class Service final : public HttpService {
 public:
  explicit Service(bool replies_later) : replies_later_(replies_later) {}

  void Serve(std::span<Exchange* const> batch) override {
    Must(!batch.empty(), "there is something to serve");
    for (Exchange* exchange : batch) {
      MustBeRequest(exchange->request);
      waiting_.push_back(exchange);
    }
    Must(waiting_.size() <= kBounds.connection_requests, "no more is served at once than agreed");
    if (!replies_later_) ReplyToAll();
  }

  BodyDelivery DeliveryFor(const HttpRequest& head) const override {
    return head.target == "/stream" ? BodyDelivery::kStreamed : BodyDelivery::kWhole;
  }

  void ServeStream(Exchange& exchange, StreamEvent event) override {
    if (event == StreamEvent::kGone) {
      Must(streaming_.erase(&exchange) == 1, "a stream goes once, and only if it was there");
      return;
    }
    MustBeRequest(exchange.request);
    streaming_.insert(&exchange);
    Must(streaming_.size() <= kBounds.streams, "no more stream at once than agreed");
    exchange.reply.body.append(exchange.request.body);
    exchange.taken = exchange.request.body.size();
    if (exchange.request.is_whole || event == StreamEvent::kDraining) {
      streaming_.erase(&exchange);
      exchange.reply.trailers.Add("grpc-status", "0");
      exchange.Finish();
    } else {
      exchange.Send();
    }
  }

  void ReplyToAll() {
    for (Exchange* exchange : std::exchange(waiting_, {})) {
      const bool is_long = exchange->request.method == "POST";
      exchange->reply.status = is_long ? 200 : 429;
      exchange->reply.headers.Add("Content-Type", "text/plain");
      if (!exchange->request.body.empty()) exchange->reply.trailers.Add("grpc-status", "8");
      exchange->reply.body.assign(is_long ? 30'000 : exchange->request.target.size(), 'x');
      exchange->Finish();
    }
  }

  [[nodiscard]] bool is_done() const { return waiting_.empty() && streaming_.empty(); }

 private:
  static void MustBeRequest(const HttpRequest& request) {
    Must(request.body.size() <= kBounds.request_bytes, "a body is within its bound");
    Must(request.headers.size() <= kBounds.header_fields, "fields are no more than agreed");
    std::size_t bytes = 0;
    for (const Header& header : request.headers) {
      bytes += header.name.size() + header.value.size();
      Must(!header.name.empty() && header.name.front() != ':', "what is told apart is no header");
      const bool is_lower = std::none_of(header.name.begin(), header.name.end(),
                                         [](char c) { return c >= 'A' && c <= 'Z'; });
      Must(is_lower, "names are in lower case");
      Must(header.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos,
           "a value is one line");
    }
    Must(bytes <= kBounds.header_bytes, "a head is within its bound");
    if (request.fault != HttpRequest::Fault::kNone) return;
    Must(!request.method.empty(), "a request has a method");
  }

  bool replies_later_;
  std::vector<Exchange*> waiting_;
  std::set<Exchange*> streaming_;
};

// Checks the output of the server frame by frame.
class Heard {
 public:
  void Take(std::string_view bytes) {
    while (!bytes.empty()) {
      Must(bytes.size() >= kHttp2HeaderBytes, "the header of a frame is whole");
      const Http2FrameHeader header = ReadHttp2FrameHeader(bytes);
      bytes.remove_prefix(kHttp2HeaderBytes);
      Must(header.length <= bytes.size(), "a frame is whole");
      TakeFrame(header, bytes.substr(0, header.length));
      bytes.remove_prefix(header.length);
    }
  }

  [[nodiscard]] bool is_within_fields() const { return split_ != 0; }

 private:
  void TakeFrame(const Http2FrameHeader& header, std::string_view payload) {
    Must(header.length <= kMaxHttp2Payload, "a frame is within the bound of frames");
    Must(std::exchange(has_settings_, true) || header.type == Type::kSettings,
         "settings come first");
    Must(!has_fault_, "nothing follows the fault of a connection");
    const bool goes_on = header.type == Type::kContinuation && header.stream == split_;
    Must(split_ == 0 ? header.type != Type::kContinuation : goes_on, "fields are not interrupted");
    if (header.stream != 0) TakeOfStream(header);
    switch (header.type) {
      case Type::kData:
        return Must(header.stream % 2 == 1 && answered_.contains(header.stream),
                    "bodies follow heads");
      case Type::kHeaders:
      case Type::kContinuation:
        return TakeFields(header, payload);
      case Type::kReset:
        return Must(header.stream % 2 == 1 && payload.size() == 4, "a reset is of a stream");
      case Type::kSettings:
        return Must(header.stream == 0 && payload.size() % 6 == 0, "settings are a list");
      case Type::kPing:
        return Must(header.stream == 0 && payload.size() == 8 && header.Has(kHttp2Ack),
                    "only the pings of clients are answered");
      case Type::kGoaway:
        Must(header.stream == 0 && payload.size() >= 8, "a goodbye is the connection's");
        has_fault_ = ReadHttp2Number(payload, 4) != 0;
        return;
      case Type::kWindowUpdate:
        return Must(payload.size() == 4 && ReadHttp2Number(payload) != 0 &&
                        ReadHttp2Number(payload) <= kMaxHttp2Stream,
                    "windows are opened by something");
      default:
        return Must(false, "nothing else is said");
    }
  }

  // A reset may follow the end of a reply, and no frame may follow a reset.
  void TakeOfStream(const Http2FrameHeader& header) {
    Must(!reset_.contains(header.stream), "nothing follows a reset");
    if (header.type == Type::kReset) {
      reset_.insert(header.stream);
      return;
    }
    if (header.type == Type::kContinuation) return;
    Must(!ended_.contains(header.stream), "nothing follows the end of a reply");
    const bool may_end = header.type == Type::kData || header.type == Type::kHeaders;
    if (may_end && header.Has(kHttp2EndStream)) ended_.insert(header.stream);
  }

  void TakeFields(const Http2FrameHeader& header, std::string_view payload) {
    block_ += payload;
    split_ = header.Has(kHttp2EndHeaders) ? 0 : header.stream;
    if (split_ != 0) return;
    const bool is_head = answered_.insert(header.stream).second;
    fields_.Start(block_);
    HpackField field;
    bool is_first = true;
    HpackReader::Found found = fields_.Next(field);
    for (; found == HpackReader::Found::kField; found = fields_.Next(field)) {
      Must((field.name == ":status") == (is_head && is_first), "a head begins with its status");
      is_first = false;
    }
    Must(found == HpackReader::Found::kEnd && !is_first, "fields can be read");
    block_.clear();
  }

  bool has_settings_ = false;
  bool has_fault_ = false;
  std::uint32_t split_ = 0;
  std::string block_;
  HpackReader fields_;
  std::set<std::uint32_t> answered_;
  std::set<std::uint32_t> ended_;
  std::set<std::uint32_t> reset_;
};

// Both ends of a connection.
class Fixture {
 public:
  explicit Fixture(const Course& course)
      : course_(course),
        service_(course.replies_later),
        session_(std::make_unique<Http2Session>(service_, peer_, kBounds)) {
    session_->on_late_reply = [] {};
  }

  void Send(std::string_view bytes) {
    unread_ += bytes;
    Receive();
    // Unread bytes are a partial frame, or the session is paused until the client reads.
    Must(session_->paused() || unread_.size() < kHttp2HeaderBytes + kMaxHttp2Payload,
         "what is carried over is less than a frame");
    if (!course_.never_reads) TakeOutput();
    if (course_.ticks) Tick();
  }

  void Drain() {
    session_->Drain();
    MustKeepBounds();
  }

  void End() {
    session_->ReceiveEnd();
    // A reply may make room for requests that are still unread.
    for (int turn = 0; turn < kMaxTurns && !session_->ended(); ++turn) {
      service_.ReplyToAll();
      TakeOutput();
    }
    Must(session_->ended(), "a connection whose client has gone ends");
    service_.ReplyToAll();
    TakeOutput();
    Must(session_->unfinished() == 0, "all that was served is finished");
    Must(!heard_.is_within_fields(), "all fields are said");
    session_.reset();
    Must(service_.is_done(), "a service hears of the end of every request");
  }

 private:
  static constexpr int kMaxTurns = 10'000;

  void Receive() {
    // Copied to an allocation of the exact size, so that sanitizers detect reads beyond it and
    // views that are kept.
    const std::vector<char> bytes(unread_.begin(), unread_.end());
    const std::size_t taken = session_->Receive({bytes.data(), bytes.size()});
    Must(taken <= bytes.size(), "no more is taken than is there");
    unread_.erase(0, taken);
    MustKeepBounds();
  }

  // Takes the output as a connection does: a paused session continues once its output has been
  // sent.
  void TakeOutput() {
    do {
      heard_.Take(std::exchange(session_->output, {}));
      if (!session_->paused()) return;
      Receive();
    } while (!session_->output.empty());
  }

  void Tick() {
    now_ += std::chrono::seconds(1);
    session_->Tick(now_, {});
    MustKeepBounds();
  }

  void MustKeepBounds() const {
    Must(session_->output.size() <= kMaxOutput, "the output is within its bound");
  }

  Course course_;
  Service service_;
  Peer peer_;
  std::unique_ptr<Http2Session> session_;
  std::string unread_;
  Heard heard_;
  Nanos now_{0};
};

// Builds frames of any type, flags and stream, with correct lengths.
std::string Frames(ByteReader& input) {
  std::string frames;
  while (!input.AtEnd()) {
    Http2FrameHeader header;
    header.type = static_cast<Type>(input.Below(11));
    header.flags = input.Byte();
    header.stream = input.Byte();
    std::string payload = input.Bytes(input.Byte());
    // Make some payloads longer than most inputs are.
    if (header.stream >= 0x80) payload.resize(payload.size() * 64);
    header.stream &= 0x1FU;
    header.length = payload.size();
    AppendHttp2FrameHeader(header, frames);
    frames += payload;
  }
  return frames;
}

void Run(ByteReader input) {
  const std::size_t choice = input.Byte();
  const std::size_t piece = choice == 0 ? SIZE_MAX : choice * choice;
  const Course course = CourseOf(input.Byte());
  const std::string bytes = course.is_framed ? Frames(input) : input.Bytes(SIZE_MAX);
  Fixture scene(course);
  std::string greeting(kHttp2Preface);
  AppendHttp2FrameHeader({0, Type::kSettings, 0, 0}, greeting);
  scene.Send(greeting);
  std::string_view rest = bytes;
  bool drains = course.drains;
  while (!rest.empty()) {
    const std::string_view next = rest.substr(0, piece);
    rest.remove_prefix(next.size());
    scene.Send(next);
    if (drains && rest.size() <= bytes.size() / 2) {
      drains = false;
      scene.Drain();
      scene.Drain();
    }
  }
  scene.End();
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  sluice::fuzz::Run(sluice::fuzz::ByteReader({data, size}));
  return 0;
}
