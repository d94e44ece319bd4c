// What a connection that is open, and has been busy, takes while nothing is asked.

#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/choose_session.h"
#include "net/http1_session.h"
#include "net/http2_session.h"
#include "net/resp_session.h"
#include "unit/net/http2_frame.h"
#include "unit/net/scripted_service.h"

namespace sluice {
namespace {

constexpr std::size_t kMost = std::size_t{8} << 10U;

class PongService final : public RespService {
 public:
  void Serve(std::span<RespExchange* const> batch) override {
    for (RespExchange* exchange : batch) {
      exchange->reply = "+PONG\r\n";
      exchange->Finish();
    }
  }
};

// Forgets what it was asked.
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

std::size_t InUse() { return mallinfo2().uordblks; }

// What is left in use by a session that was told all of this at once, and then nothing.
std::size_t IdleOnce(const std::function<std::unique_ptr<Session>()>& make,
                     std::string_view bytes) {
  const std::size_t before = InUse();
  const std::unique_ptr<Session> session = make();
  do {
    bytes.remove_prefix(session->Receive(bytes));
    session->output.clear();
  } while (session->paused());
  EXPECT_EQ(bytes.size(), 0U);
  EXPECT_FALSE(session->ended());
  for (int i = 1; i <= 2; ++i) session->Tick(std::chrono::milliseconds(250 * i), Deadlines{});
  const std::size_t after = InUse();
  return after > before ? after - before : 0;
}

// The same of a second one: the allocator keeps some of what the first has given back.
std::size_t Idle(const std::function<std::unique_ptr<Session>()>& make, std::string_view bytes) {
  IdleOnce(make, bytes);
  return IdleOnce(make, bytes);
}

std::string Repeat(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(IdleMemory, OfHttp1) {
  HelloService service;
  const Peer peer;
  const std::string requests = Repeat("GET / HTTP/1.1\r\nHost: h\r\nX-A: b\r\n\r\n", 1000) +
                               "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" +
                               "10000\r\n" + std::string(0x10000, 'x') + "\r\n0\r\n\r\n";
  EXPECT_LT(Idle([&] { return std::make_unique<Http1Session>(service, peer, Bounds{}); }, requests),
            kMost);
}

// Its output is that of the session around it.
TEST(IdleMemory, OfHttp1BehindAProxy) {
  const Peer peer;
  Services services;
  services.http = std::make_unique<HelloService>();
  services.entrance.is_proxy = [](std::string_view /*address*/) { return true; };
  const std::string local("\r\n\r\n\0\r\nQUIT\n\x20\0\0\0", 16);
  const std::string requests = local + Repeat("GET / HTTP/1.1\r\nHost: h\r\n\r\n", 1000);
  EXPECT_LT(Idle([&] { return ChooseSession(requests, services, peer, Bounds{}); }, requests),
            kMost);
}

TEST(IdleMemory, OfResp) {
  PongService service;
  const Peer peer;
  EXPECT_LT(Idle([&] { return std::make_unique<RespSession>(service, peer, Bounds{}); },
                 Repeat("*1\r\n$4\r\nPING\r\n", 5000)),
            kMost);
}

TEST(IdleMemory, OfHttp2) {
  HelloService service;
  const Peer peer;
  std::string bytes = std::string(kPreface) + SettingsFrame();
  for (int i = 0; i < 100; ++i) bytes += RequestFrame(2 * i + 1, FrameEnd::kStream);
  EXPECT_LT(Idle([&] { return std::make_unique<Http2Session>(service, peer, Bounds{}); }, bytes),
            kMost);
}

TEST(IdleMemory, OfHttp2AfterALongField) {
  HelloService service;
  const Peer peer;
  // Of 25,600 times "a", five bits each.
  const std::string field =
      std::string("\0\1x\xFF\x81\x7C", 6) + Repeat("\x18\xC6\x31\x8C\x63", 3200);
  const std::string bytes = std::string(kPreface) + SettingsFrame() +
                            Frame(FrameType::kHeaders, FrameEnd::kBoth, 1,
                                  std::string("\x82\x86\x84\x41\x01h", 6) + field);
  EXPECT_LT(Idle([&] { return std::make_unique<Http2Session>(service, peer, Bounds{}); }, bytes),
            kMost);
}

TEST(IdleMemory, OfHttp2WithAStreamThatIsOpenBesideOthersThatWere) {
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
            kMost);
}

// Nothing of what has come and gone on it.
TEST(IdleMemory, OfHttp2WithAStreamThatIsOpen) {
  ScriptedService service;
  const Peer peer;
  std::string bytes = std::string(kPreface) + SettingsFrame();
  bytes += Frame(FrameType::kHeaders, FrameEnd::kHeaders, 1, "\x83\x86\x41\x01h\x04\x07/stream");
  for (int i = 0; i < 3; ++i) {
    bytes += DataFrame(1, std::string(16'384, 'x'), FrameEnd::kNothing);
  }
  EXPECT_LT(Idle([&] { return std::make_unique<Http2Session>(service, peer, Bounds{}); }, bytes),
            kMost);
}

}  // namespace
}  // namespace sluice
