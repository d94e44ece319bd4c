// The memory of an idle session that has been busy before.

#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/http1/http1_session.h"
#include "net/http2/http2_session.h"
#include "net/loop/choose_session.h"
#include "net/resp/resp_session.h"
#include "unit/net/http2/http2_frame.h"
#include "unit/net/scripted_service.h"

namespace sluice {
namespace {

constexpr std::size_t kMax = std::size_t{8} << 10U;

class PongService final : public RespService {
 public:
  void Serve(std::span<RespExchange* const> batch) override {
    for (RespExchange* exchange : batch) {
      exchange->reply = "+PONG\r\n";
      exchange->Finish();
    }
  }
};

// Replies with 200 bytes, and records nothing.
class HelloService final : public HttpService {
 public:
  void Serve(std::span<Exchange* const> batch) override {
    for (Exchange* exchange : batch) {
      exchange->reply.headers.Add("Content-Type", "text/plain");
      exchange->reply.body = std::string(200, 'x');
      exchange->Finish();
    }
  }
};

std::size_t ObjectPool() { return mallinfo2().uordblks; }

// Returns the bytes in use by a session that has received `bytes` and then been idle for two ticks.
std::size_t IdleOnce(const std::function<std::unique_ptr<Session>()>& make,
                     std::string_view bytes) {
  const std::size_t before = ObjectPool();
  const std::unique_ptr<Session> session = make();
  do {
    bytes.remove_prefix(session->Receive(bytes));
    session->output.clear();
  } while (session->paused());
  EXPECT_EQ(bytes.size(), 0U);
  EXPECT_FALSE(session->ended());
  for (int i = 1; i <= 2; ++i) session->Tick(std::chrono::milliseconds(250 * i), Deadlines{});
  const std::size_t after = ObjectPool();
  return after > before ? after - before : 0;
}

// Returns the bytes in use by a second session, because the allocator keeps some of the memory that
// the first one has freed.
std::size_t Idle(const std::function<std::unique_ptr<Session>()>& make, std::string_view bytes) {
  IdleOnce(make, bytes);
  return IdleOnce(make, bytes);
}

std::string Repeat(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(IdleMemory, StaysSmallForHttp1) {
  HelloService service;
  const Peer peer;
  const std::string requests = Repeat("GET / HTTP/1.1\r\nHost: h\r\nX-A: b\r\n\r\n", 1000) +
                               "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" +
                               "10000\r\n" + std::string(0x10000, 'x') + "\r\n0\r\n\r\n";
  EXPECT_LT(Idle([&] { return std::make_unique<Http1Session>(service, peer, Bounds{}); }, requests),
            kMax);
}

// The inner session's output is moved to the session around it.
TEST(IdleMemory, StaysSmallForHttp1BehindAProxy) {
  const Peer peer;
  Services services;
  services.http = std::make_unique<HelloService>();
  services.entrance.is_proxy = [](std::string_view /*address*/) { return true; };
  const std::string local("\r\n\r\n\0\r\nQUIT\n\x20\0\0\0", 16);
  const std::string requests = local + Repeat("GET / HTTP/1.1\r\nHost: h\r\n\r\n", 1000);
  EXPECT_LT(Idle([&] { return ChooseSession(requests, services, peer, Bounds{}); }, requests),
            kMax);
}

TEST(IdleMemory, StaysSmallForResp) {
  PongService service;
  const Peer peer;
  EXPECT_LT(Idle([&] { return std::make_unique<RespSession>(service, peer, Bounds{}); },
                 Repeat("*1\r\n$4\r\nPING\r\n", 5000)),
            kMax);
}

TEST(IdleMemory, StaysSmallForHttp2) {
  HelloService service;
  const Peer peer;
  std::string bytes = std::string(kPreface) + SettingsFrame();
  for (int i = 0; i < 100; ++i) bytes += RequestFrame(2 * i + 1, FrameEnd::kStream);
  EXPECT_LT(Idle([&] { return std::make_unique<Http2Session>(service, peer, Bounds{}); }, bytes),
            kMax);
}

TEST(IdleMemory, StaysSmallForHttp2AfterALongField) {
  HelloService service;
  const Peer peer;
  // A field value of 25,600 times "a", five bits each.
  const std::string field =
      std::string("\0\1x\xFF\x81\x7C", 6) + Repeat("\x18\xC6\x31\x8C\x63", 3200);
  const std::string bytes = std::string(kPreface) + SettingsFrame() +
                            Frame(FrameType::kHeaders, FrameEnd::kBoth, 1,
                                  std::string("\x82\x86\x84\x41\x01h", 6) + field);
  EXPECT_LT(Idle([&] { return std::make_unique<Http2Session>(service, peer, Bounds{}); }, bytes),
            kMax);
}

TEST(IdleMemory, StaysSmallForHttp2WithOneOfManyStreamsOpen) {
  ScriptedService service;
  service.fill = [&](HttpReply& reply) {
    reply.body = "hello";
    service.seen.clear();
    service.batches.clear();
  };
  const Peer peer;
  std::string bytes = std::string(kPreface) + SettingsFrame();
  bytes += Frame(FrameType::kHeaders, FrameEnd::kHeaders, 1, "\x83\x86\x41\x01h\x04\x07/stream");
  for (int i = 1; i < 100; ++i) bytes += RequestFrame(2 * i + 1, FrameEnd::kNothing);
  for (int i = 1; i < 100; ++i) bytes += DataFrame(2 * i + 1, "x", FrameEnd::kStream);
  EXPECT_LT(Idle([&] { return std::make_unique<Http2Session>(service, peer, Bounds{}); }, bytes),
            kMax);
}

// The bytes that have passed through the stream take no memory.
TEST(IdleMemory, StaysSmallForHttp2WithAnOpenStream) {
  ScriptedService service;
  const Peer peer;
  std::string bytes = std::string(kPreface) + SettingsFrame();
  bytes += Frame(FrameType::kHeaders, FrameEnd::kHeaders, 1, "\x83\x86\x41\x01h\x04\x07/stream");
  for (int i = 0; i < 3; ++i) {
    bytes += DataFrame(1, std::string(16'384, 'x'), FrameEnd::kNothing);
  }
  EXPECT_LT(Idle([&] { return std::make_unique<Http2Session>(service, peer, Bounds{}); }, bytes),
            kMax);
}

}  // namespace
}  // namespace sluice
