// Compares Session::kept_bytes with the memory that sessions really hold.

#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/http1/http1_session.h"
#include "net/http2/http2_session.h"
#include "net/loop/byte_budget.h"
#include "net/loop/kept_text.h"
#include "net/resp/resp_session.h"
#include "unit/net/http2/http2_frame.h"
#include "unit/net/scripted_service.h"

namespace sluice {
namespace {

constexpr std::size_t kLongValue = 3000;

// Returns the allocated bytes; always 0 under sanitizers.
std::size_t Allocated() { return mallinfo2().uordblks; }

// GET http://h/ with a long field that is not added to the dynamic table.
std::string LongRequest(std::int32_t stream, FrameEnd end) {
  const auto flags = static_cast<FrameEnd>(static_cast<std::uint8_t>(end) |
                                           static_cast<std::uint8_t>(FrameEnd::kHeaders));
  std::string fields("\x82\x86\x84\x41\x01h\0\1x\x7F\xB9\x16", 12);
  fields.append(kLongValue, 'v');
  return Frame(FrameType::kHeaders, flags, stream, fields);
}

// Replies at once, except to /later.
class LongReplies final : public HttpService {
 public:
  void Serve(std::span<Exchange* const> batch) override {
    for (Exchange* exchange : batch) {
      if (exchange->request.target == "/later") {
        exchange->parked_bytes = kParked;
        waiting.push_back(exchange);
        continue;
      }
      exchange->reply.body.assign(kLongValue, 'x');
      exchange->Finish();
    }
  }

  static constexpr std::size_t kParked = 100'000;
  std::vector<Exchange*> waiting;
};

class KeptMemory : public testing::Test {
 protected:
  // Requests for one stream that stays open and 99 that are answered.
  static std::string ManyRequests() {
    std::string bytes = std::string(kPreface) + SettingsFrame() + WindowFrame(0, 1U << 24U);
    for (int i = 0; i < 100; ++i) bytes += LongRequest(2 * i + 1, FrameEnd::kNothing);
    for (int i = 1; i < 100; ++i) bytes += DataFrame(2 * i + 1, "x", FrameEnd::kStream);
    return bytes;
  }

  // Passes in all bytes as Connection does with a peer that reads: resumes the session while it is
  // paused.
  static void ReceiveAll(Session& session, std::string unread) {
    do {
      unread.erase(0, session.Receive(unread));
      std::string().swap(session.output);
    } while (session.paused());
  }

  LongReplies service_;
  const Peer peer_{};
};

TEST_F(KeptMemory, CountsSpareHttp2Streams) {
  const std::string bytes = ManyRequests();
  const std::size_t before = Allocated();
  Http2Session session(service_, peer_, Bounds{});
  ReceiveAll(session, bytes);
  const std::size_t after = Allocated();
  const std::size_t held = after > before ? after - before : 0;
  EXPECT_GE(session.kept_bytes(), 99 * 2 * kLongValue);
  // Tables, lists and the allocator's overhead are not counted.
  EXPECT_GE(session.kept_bytes() * 5 / 4, held);
}

TEST_F(KeptMemory, FreesSpareHttp2StreamsWhileAnotherStaysOpen) {
  Http2Session session(service_, peer_, Bounds{});
  ReceiveAll(session, ManyRequests());
  for (int i = 1; i <= 2; ++i) session.Tick(std::chrono::milliseconds(250 * i), Deadlines{});
  EXPECT_LT(session.kept_bytes(), ByteBudget::kLittle);
  const std::string rest = DataFrame(1, "x", FrameEnd::kStream);
  session.Receive(rest);
  EXPECT_FALSE(session.output.empty()) << "the one that was open is answered";
}

// Replies to each piece of a streaming request with 50,000 bytes.
class WordyService final : public HttpService {
 public:
  void Serve(std::span<Exchange* const> /*batch*/) override {}
  BodyDelivery DeliveryFor(const HttpRequest& /*head*/) const override {
    return BodyDelivery::kStreamed;
  }
  void ServeStream(Exchange& exchange, StreamEvent event) override {
    if (event != StreamEvent::kMore) return;
    exchange.taken = exchange.request.body.size();
    exchange.reply.body.append(50'000, 'x');
    exchange.Send();
  }
};

TEST_F(KeptMemory, ResetsHttp2StreamsThatExceedTheReplyBound) {
  WordyService service;
  Http2Session session(service, peer_, Bounds{.connection_bytes = 100'000});
  std::string bytes = std::string(kPreface) + SettingsFrame();
  for (int i = 0; i < 30; ++i) bytes += LongRequest(2 * i + 1, FrameEnd::kNothing);
  session.Receive(bytes);
  EXPECT_FALSE(session.ended());
  EXPECT_LT(session.output.size() + session.kept_bytes(), 350'000U);
}

TEST_F(KeptMemory, KeepsSpareHttp2StreamsThatAreUsedRegularly) {
  Http2Session session(service_, peer_, Bounds{});
  ReceiveAll(session, ManyRequests());
  std::int32_t stream = 201;
  for (int tick = 1; tick < 5; ++tick) {
    std::string bytes;
    for (int i = 0; i < 50; ++i) bytes += LongRequest(stream + 2 * i, FrameEnd::kNothing);
    for (int i = 0; i < 50; ++i) bytes += DataFrame(stream + 2 * i, "x", FrameEnd::kStream);
    stream += 100;
    session.Receive(bytes);
    session.output.clear();
    session.Tick(std::chrono::milliseconds(250 * tick), Deadlines{});
  }
  EXPECT_GE(session.kept_bytes(), 50 * kLongValue);
  EXPECT_LT(session.kept_bytes(), 60 * 5 * kLongValue);
}

TEST_F(KeptMemory, ReleasesSpareHttp2Streams) {
  Http2Session session(service_, peer_, Bounds{});
  ReceiveAll(session, ManyRequests());
  session.ReleaseMemory();
  EXPECT_LT(session.kept_bytes(), ByteBudget::kLittle);
}

TEST_F(KeptMemory, CountsSpareHttp1Messages) {
  Http1Session session(service_, peer_, Bounds{});
  std::string bytes;
  for (int i = 0; i < 64; ++i) {
    bytes += "GET / HTTP/1.1\r\nHost: h\r\n";
    for (int field = 0; field < 90; ++field) bytes += "A: b\r\n";
    bytes += "\r\n";
  }
  session.Receive(bytes);
  EXPECT_GE(session.kept_bytes(), 64 * (kLongValue + 90 * sizeof(Header)));
  session.ReleaseMemory();
  EXPECT_LT(session.kept_bytes(), std::size_t{1} << 10U);
}

TEST_F(KeptMemory, CountsHttp1RequestsAnsweredLater) {
  Http1Session session(service_, peer_, Bounds{});
  session.Receive(
      "GET /later HTTP/1.1\r\nHost: h\r\n\r\n"
      "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_GE(session.kept_bytes(), LongReplies::kParked + kLongValue)
      << "the second reply waits for the first";
  for (Exchange* exchange : service_.waiting) exchange->Finish();
  EXPECT_LT(session.kept_bytes(), 3 * kLongValue);
}

class OkService final : public RespService {
 public:
  void Serve(std::span<RespExchange* const> batch) override {
    for (RespExchange* exchange : batch) {
      if (exchange->arguments[0] == "NAME") exchange->client->name = exchange->arguments[1];
      if (exchange->arguments[0] == "QUEUE") {
        exchange->client->transaction = std::make_unique<RespTransaction>();
        RespTransaction& transaction = *exchange->client->transaction;
        transaction.bytes = exchange->arguments[1];
        transaction.sizes.resize(RespTransaction::kMaxCommands);
        transaction.counts.resize(RespTransaction::kMaxCommands);
      }
      if (exchange->arguments[0] == "DISCARD") exchange->client->transaction.reset();
      exchange->reply = "+OK\r\n";
      exchange->Finish();
    }
  }
};

TEST_F(KeptMemory, FreesMemoryOfManyRespArguments) {
  OkService service;
  RespSession session(service, peer_, Bounds{});
  std::string command = "*200\r\n";
  for (int i = 0; i < 200; ++i) command += "$1\r\nA\r\n";
  std::string bytes;
  for (int i = 0; i < 128; ++i) bytes += command;
  const std::size_t before = Allocated();
  session.Receive(bytes);
  const std::size_t after = Allocated();
  const std::size_t held = after > before ? after - before : 0;
  EXPECT_LT(held, 128 * 200 * sizeof(std::string_view) / 4);
}

TEST_F(KeptMemory, CountsRespClientName) {
  OkService service;
  RespSession session(service, peer_, Bounds{});
  session.Receive("*2\r\n$4\r\nNAME\r\n$100000\r\n" + std::string(100'000, 'n') + "\r\n");
  EXPECT_GE(session.kept_bytes(), 100'000U);
}

TEST_F(KeptMemory, CountsRespTransaction) {
  OkService service;
  RespSession session(service, peer_, Bounds{});
  session.Receive("*2\r\n$5\r\nQUEUE\r\n$60000\r\n" + std::string(60'000, 'k') + "\r\n");
  EXPECT_GE(session.kept_bytes(),
            60'000 + 2 * RespTransaction::kMaxCommands * sizeof(std::uint32_t));
  session.Receive("*1\r\n$7\r\nDISCARD\r\n");
  EXPECT_LT(session.kept_bytes(), std::size_t{1} << 10U);
}

TEST(EraseFront, ShrinksMostlyEmptyStrings) {
  std::string text(1'000'000, 'x');
  EraseFront(text, 999'999);
  EXPECT_EQ(text, "x");
  EXPECT_LE(text.capacity(), kTextKept);
  std::string max(1'000'000, 'x');
  EraseFront(max, 10);
  EXPECT_EQ(max.size(), 999'990U);
}

}  // namespace
}  // namespace sluice
