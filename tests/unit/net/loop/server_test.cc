#include "net/loop/server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "net/http2/http2_stream.h"
#include "unit/net/http2/http2_client.h"
#include "unit/net/loop/loopback_client.h"

namespace sluice {
namespace {

constexpr std::string_view kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

// More than loopback sockets buffer before the client reads.
constexpr std::size_t kHugeBytes = std::size_t{16} << 20U;

// Replies to all requests but /later, which it answers on /release. For a server with one worker.
class LaterService final : public HttpService, public RespService {
 public:
  struct Counts {
    std::atomic<std::size_t> waiting{0};
    // A request for /hold blocks the worker until may_go_on is set.
    std::atomic<bool> holds{false};
    std::atomic<bool> may_go_on{false};
    // Numbers of events on streaming requests.
    std::atomic<std::size_t> streaming{0};
    std::atomic<std::size_t> warned{0};
    std::atomic<std::size_t> gone{0};
  };

  explicit LaterService(Counts& counts) : counts_(counts) {}

  void Serve(std::span<Exchange* const> batch) override {
    for (Exchange* exchange : batch) {
      exchange->reply.body = "hello";
      if (exchange->request.target == "/later") {
        waiting_.push_back(exchange);
        ++counts_.waiting;
        continue;
      }
      if (exchange->request.target == "/release") Release();
      if (exchange->request.target == "/hold") Hold();
      if (exchange->request.target == "/large") exchange->reply.body.assign(5000, 'x');
      if (exchange->request.target == "/huge") exchange->reply.body.assign(kHugeBytes, 'x');
      exchange->Finish();
    }
  }
  BodyDelivery DeliveryFor(const HttpRequest& head) const override {
    return head.target == "/stream" ? BodyDelivery::kStreamed : BodyDelivery::kWhole;
  }
  void ServeStream(Exchange& exchange, StreamEvent event) override {
    if (event == StreamEvent::kGone) ++counts_.gone;
    if (event == StreamEvent::kDrainAhead) ++counts_.warned;
    if (event != StreamEvent::kMore) return;
    ++counts_.streaming;
    exchange.Send();
  }

  void Serve(std::span<RespExchange* const> batch) override {
    for (RespExchange* exchange : batch) {
      exchange->reply = "+HELLO\r\n";
      commands_.push_back(exchange);
      ++counts_.waiting;
    }
  }

 private:
  void Hold() {
    counts_.holds = true;
    EXPECT_TRUE(Until([&] { return counts_.may_go_on.exchange(false); }));
  }

  void Release() {
    for (Exchange* exchange : std::exchange(waiting_, {})) exchange->Finish();
    for (RespExchange* exchange : std::exchange(commands_, {})) exchange->Finish();
    counts_.waiting = 0;
  }

  Counts& counts_;
  std::vector<Exchange*> waiting_;
  std::vector<RespExchange*> commands_;
};

// Forwards to a LaterService that the HTTP and RESP services of all listeners share.
class SharedHttp final : public HttpService {
 public:
  explicit SharedHttp(std::shared_ptr<LaterService> to) : to_(std::move(to)) {}
  void Serve(std::span<Exchange* const> batch) override { to_->Serve(batch); }
  BodyDelivery DeliveryFor(const HttpRequest& head) const override {
    return to_->DeliveryFor(head);
  }
  void ServeStream(Exchange& exchange, StreamEvent event) override {
    to_->ServeStream(exchange, event);
  }

 private:
  std::shared_ptr<LaterService> to_;
};

class SharedResp final : public RespService {
 public:
  explicit SharedResp(std::shared_ptr<LaterService> to) : to_(std::move(to)) {}
  void Serve(std::span<RespExchange* const> batch) override { to_->Serve(batch); }

 private:
  std::shared_ptr<LaterService> to_;
};

// A server with one worker, whose last listener is for operators.
class ServerTest : public testing::Test {
 protected:
  void Start(Server::Options options = {}) {
    std::vector<ListeningSocket> sockets;
    sockets.push_back(ListeningSocket::Open(TcpEndpoint{"127.0.0.1", 0}).value());
    Start(std::move(options), std::move(sockets));
  }

  void Start(Server::Options options, std::vector<ListeningSocket> sockets) {
    options.operators = sockets.size();
    sockets.push_back(ListeningSocket::Open(TcpEndpoint{"127.0.0.1", 0}).value());
    address = sockets.front().text();
    operators = sockets.back().text();
    const auto shared = std::make_shared<LaterService>(counts);
    server = std::make_unique<Server>(options, std::move(sockets), [&](const Server::Place&) {
      return Services{std::make_unique<SharedHttp>(shared), std::make_unique<SharedResp>(shared)};
    });
    EXPECT_TRUE(server->Start().ok());
  }

  static std::string Get(std::string_view target) {
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n";
  }

  // Sends a request on a new connection and waits for the reply. The worker has then processed
  // everything that arrived before.
  void Ask(std::string_view target) const { Ask(target, address); }
  static void Ask(std::string_view target, std::string_view where) {
    const LoopbackClient client(where);
    client.Say(Get(target));
    EXPECT_EQ(client.HearTo("hello"), kHello);
  }

  bool UntilWaiting(std::size_t count) const {
    return Until([&] { return counts.waiting == count; });
  }

  LaterService::Counts counts;
  std::string address;
  std::string operators;  // address of the listener for operators
  std::unique_ptr<Server> server;
};

TEST_F(ServerTest, AnswersARequest) {
  Start();
  Ask("/");
}

TEST_F(ServerTest, SendsLateReplies) {
  Start();
  const LoopbackClient client(address);
  client.Say(Get("/later"));
  ASSERT_TRUE(UntilWaiting(1));
  Ask("/release");
  EXPECT_EQ(client.HearTo("hello"), kHello);
  client.Say(Get("/"));
  EXPECT_EQ(client.HearTo("hello"), kHello) << "and the connection goes on";
}

// Invariant (3) of Connection.
TEST_F(ServerTest, AnswersClientsThatSendNoMore) {
  Start();
  const LoopbackClient client(address);
  client.Say(Get("/later") + Get("/later"));
  client.SayNoMore();
  ASSERT_TRUE(UntilWaiting(2));
  Ask("/");
  Ask("/release");
  const std::string said = client.HearAll();
  EXPECT_TRUE(said.starts_with(kHello)) << said;
  EXPECT_TRUE(said.ends_with("Connection: close\r\nContent-Length: 5\r\n\r\nhello")) << said;
  EXPECT_TRUE(Until([&] { return server->connection_count() == 0; }));
}

TEST_F(ServerTest, AnswersRespClientsThatSendNoMore) {
  Start();
  const LoopbackClient client(address);
  client.Say("*1\r\n$4\r\nPING\r\n");
  client.SayNoMore();
  ASSERT_TRUE(UntilWaiting(1));
  Ask("/");
  Ask("/release");
  EXPECT_EQ(client.HearAll(), "+HELLO\r\n");
}

TEST_F(ServerTest, AnswersHttp2ClientsThatSendNoMore) {
  Start();
  const LoopbackClient client(address);
  Http2Client http2;
  const std::int32_t stream = http2.Get("/later");
  http2.PostUnfinished("/", "half of it");
  client.Say(http2.TakeOutput());
  client.SayNoMore();
  ASSERT_TRUE(UntilWaiting(1));
  Ask("/");
  Ask("/release");
  http2.Receive(client.HearAll());
  EXPECT_EQ(http2.replies[stream].body, "hello");
}

TEST_F(ServerTest, ClosesClientsThatSendNoMoreAfterTheirReplies) {
  Start();
  const LoopbackClient client(address);
  client.Say(Get("/") + "GET / HT");
  client.SayNoMore();
  EXPECT_EQ(client.HearAll(), kHello);
}

TEST_F(ServerTest, DropsLateRepliesToClosedConnections) {
  Start();
  {
    const LoopbackClient http(address);
    http.Say(Get("/later") + Get("/later"));
    const LoopbackClient resp(address);
    resp.Say("*1\r\n$4\r\nPING\r\n");
    const LoopbackClient http2(address);
    Http2Client client;
    client.Get("/later");
    http2.Say(client.TakeOutput());
    ASSERT_TRUE(UntilWaiting(4));
  }
  Ask("/");
  Ask("/release");
  EXPECT_TRUE(Until([&] { return server->connection_count() == 0; }));
}

// Invariant (4) of Connection.
TEST_F(ServerTest, ClosesConnectionThatExceedsTheByteBudget) {
  Server::Options options;
  options.bounds.bytes = 50'000;
  Start(options);
  const std::string half_a_body = Concat(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 40000\r\n\r\n", std::string(20'000, 'x'));
  const LoopbackClient first(address);
  first.Say(half_a_body);
  EXPECT_TRUE(Until([&] { return server->kept_bytes() > 20'000; }));
  {
    const LoopbackClient second(address);
    second.Say(half_a_body);
    EXPECT_TRUE(Until([&] { return server->kept_bytes() > 40'000; }));
    const LoopbackClient third(address);
    third.Say(half_a_body);
    EXPECT_EQ(third.HearAll(), "");
    Ask("/");
  }
  EXPECT_TRUE(Until([&] { return server->kept_bytes() < 40'000; }))
      << "they gave back their shares";
  first.Say(std::string(20'000, 'x'));
  EXPECT_EQ(first.HearTo("hello"), kHello);
  EXPECT_TRUE(Until([&] { return server->kept_bytes() == 0; }));
}

// Invariant (6) of Connection.
TEST_F(ServerTest, FreesMemoryOfClosedConnectionsAtOnce) {
  Server::Options options;
  options.bounds.bytes = 100;
  Start(options);
  const LoopbackClient holding(address);
  const LoopbackClient greedy(address);
  const LoopbackClient next(address);
  for (const LoopbackClient* client : {&holding, &greedy, &next}) {
    client->Say(Get("/"));
    EXPECT_EQ(client->HearTo("hello"), kHello);
  }
  // Both arrive while the worker is busy, so it sees them in one round of the event loop.
  holding.Say(Get("/hold"));
  ASSERT_TRUE(Until([&] { return counts.holds.exchange(false); }));
  greedy.Say(Concat("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 40000\r\n\r\n",
                    std::string(30'000, 'x')));
  next.Say(Get("/hold"));
  counts.may_go_on = true;
  ASSERT_TRUE(Until([&] { return counts.holds.load(); }));
  EXPECT_LT(server->kept_bytes(), 4000U);
  counts.may_go_on = true;
  EXPECT_EQ(holding.HearTo("hello"), kHello);
  EXPECT_EQ(greedy.HearAll(), "") << "it was closed";
  EXPECT_EQ(next.HearTo("hello"), kHello);
}

TEST_F(ServerTest, SparesSmallConnectionsWhenTheBudgetIsExceeded) {
  Server::Options options;
  options.bounds.bytes = 100;
  Start(options);
  const LoopbackClient greedy(address);
  greedy.Say(Concat("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 40000\r\n\r\n",
                    std::string(ByteBudget::kLittle - 1000, 'x')));
  EXPECT_TRUE(Until([&] { return server->kept_bytes() > ByteBudget::kLittle - 1000; }));
  const std::size_t kept = server->kept_bytes();
  const LoopbackClient client(address);
  client.Say("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n1");
  EXPECT_TRUE(Until([&] { return server->kept_bytes() > kept; }));
  client.Say("2");
  EXPECT_EQ(client.HearTo("hello"), kHello);
}

// Memory held for reuse is freed before a connection is closed.
TEST_F(ServerTest, FreesSpareStreamsBeforeClosingConnections) {
  Server::Options options;
  options.bounds.bytes = 100;
  Start(options);
  const LoopbackClient client(address);
  Http2Client http2;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::int32_t> streams;
    for (int i = 0; i < 50; ++i) streams.push_back(http2.Post("/", std::string(900, 'x')));
    client.Say(http2.TakeOutput());
    const auto all_answered = [&] {
      return std::ranges::all_of(streams,
                                 [&](std::int32_t s) { return http2.replies[s].is_whole; });
    };
    while (!all_answered()) {
      const std::string said = client.Hear();
      ASSERT_FALSE(said.empty()) << "it was closed";
      http2.Receive(said);
    }
    EXPECT_TRUE(Until([&] { return server->kept_bytes() <= ByteBudget::kLittle; }));
  }
}

TEST_F(ServerTest, AcceptsManyWaitingConnections) {
  Start();
  constexpr std::size_t kMany = 300;
  std::vector<std::unique_ptr<LoopbackClient>> clients;
  for (std::size_t i = 0; i < kMany; ++i) {
    clients.push_back(std::make_unique<LoopbackClient>(address));
  }
  EXPECT_TRUE(Until([&] { return server->connection_count() == kMany; }));
  clients.back()->Say(Get("/"));
  EXPECT_EQ(clients.back()->HearTo("hello"), kHello);
}

TEST_F(ServerTest, ExemptsOperatorsFromTheByteBudget) {
  Server::Options options;
  options.bounds.bytes = 100;
  Start(options);
  const LoopbackClient client(operators);
  client.Say(
      Concat("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2000\r\n\r\n", std::string(1000, 'x')));
  Ask("/", operators);
  client.Say(std::string(1000, 'x'));
  EXPECT_EQ(client.HearTo("hello"), kHello);
}

TEST_F(ServerTest, CountsHttp2Memory) {
  Start();
  const LoopbackClient client(address);
  Http2Client http2;
  http2.PostUnfinished("/", std::string(3000, 'x'));
  client.Say(http2.TakeOutput());
  EXPECT_TRUE(Until([&] { return server->kept_bytes() > 3000; }));
  EXPECT_LT(server->kept_bytes(), 4000U + sizeof(Http2Stream));
}

TEST_F(ServerTest, CountsOnlyUnsentReplyBytes) {
  Start();
  const LoopbackClient client(address);
  client.Say(Get("/huge"));
  ASSERT_TRUE(Until([&] { return server->kept_bytes() > 0; }));
  EXPECT_LT(server->kept_bytes(), kHugeBytes);
  std::size_t heard = 0;
  while (heard < kHugeBytes) {
    const std::size_t size = client.Hear().size();
    ASSERT_GT(size, 0U);
    heard += size;
  }
  EXPECT_TRUE(Until([&] { return server->kept_bytes() == 0; }));
}

// Invariant (2) of Connection.
TEST_F(ServerTest, AnswersManyPipelinedRequests) {
  Server::Options options;
  options.bounds.connection_bytes = 20'000;
  options.bounds.connection_requests = 50;
  Start(options);
  const LoopbackClient client(address);
  constexpr int kCount = 3000;
  std::string requests;
  for (int i = 0; i < kCount; ++i) requests += Get("/large");
  client.Say(requests + "GET /large HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string said = client.HearAll();
  std::size_t replies = 0;
  for (std::size_t at = said.find("HTTP/1.1 200"); at != std::string::npos;
       at = said.find("HTTP/1.1 200", at + 1)) {
    ++replies;
  }
  EXPECT_EQ(replies, kCount + 1U);
}

// Invariant (5) of Connection.
TEST_F(ServerTest, NotifiesIdleClientsOfTheClose) {
  Server::Options options;
  options.deadlines.idle = std::chrono::milliseconds(100);
  Start(options);
  const LoopbackClient http1(address);
  http1.Say(Get("/"));
  const LoopbackClient http2(address);
  Http2Client client;
  const std::int32_t stream = client.Get("/");
  http2.Say(client.TakeOutput());
  client.Receive(http2.HearAll());
  EXPECT_EQ(client.replies[stream].body, "hello");
  EXPECT_TRUE(client.has_goaway);
  EXPECT_EQ(client.goaway_last, stream);
  EXPECT_EQ(client.goaway_error, 0U);
  EXPECT_EQ(http1.HearAll(), kHello);
}

TEST_F(ServerTest, ClosesClientsThatSendHalfAPreface) {
  Server::Options options;
  options.deadlines.header = std::chrono::milliseconds(100);
  Start(options);
  const LoopbackClient client(address);
  client.Say("PRI * HTTP/2.0\r\n\r\nSM");
  EXPECT_EQ(client.HearAll(), "") << "it might still be a request of HTTP/1";
  EXPECT_TRUE(Until([&] { return server->connection_count() == 0; }));
}

// Invariant (2).
TEST_F(ServerTest, ServesOperatorsWhenClientsUseAllConnections) {
  Server::Options options;
  options.bounds.connections = 2;
  Start(options);
  const LoopbackClient first(address);
  first.Say(Get("/later"));
  const LoopbackClient second(address);
  second.Say(Get("/later"));
  ASSERT_TRUE(UntilWaiting(2));
  const LoopbackClient third(address);
  third.Say(Get("/"));
  for (int i = 0; i < 3; ++i) Ask("/", operators);
  EXPECT_EQ(server->connection_count(), 2U);
  first.SayNoMore();
  Ask("/release", operators);
  EXPECT_EQ(third.HearTo("hello"), kHello) << "it has waited to be accepted";
}

TEST_F(ServerTest, ClosesAnIdleConnectionToMakeRoomForAnother) {
  Server::Options options;
  options.bounds.connections = 2;
  options.bounds.operator_connections = 2;
  Start(options);
  for (const std::string& where : {address, operators}) {
    const LoopbackClient idle(where);
    idle.Say(Get("/"));
    EXPECT_EQ(idle.HearTo("hello"), kHello);
    const LoopbackClient busy(where);
    busy.Say(Get("/later"));
    ASSERT_TRUE(UntilWaiting(1));
    const LoopbackClient third(where);
    third.Say(Get("/"));
    EXPECT_EQ(third.HearTo("hello"), kHello);
    EXPECT_EQ(idle.HearAll(), "") << "it was closed";
    third.Say(Get("/release"));
    EXPECT_EQ(busy.HearTo("hello"), kHello) << "it was not";
  }
}

TEST_F(ServerTest, KeepsIdleConnectionsWhileNoneIsWaiting) {
  Server::Options options;
  options.bounds.connections = 2;
  Start(options);
  const LoopbackClient first(address);
  first.Say(Get("/"));
  EXPECT_EQ(first.HearTo("hello"), kHello);
  const LoopbackClient second(address);
  // Takes longer than detecting an idle connection and making room would: one iteration per
  // millisecond.
  int looks = 0;
  ASSERT_TRUE(Until([&] {
    second.Say(Get("/"));
    EXPECT_EQ(second.HearTo("hello"), kHello);
    return ++looks == 600;
  }));
  first.Say(Get("/"));
  EXPECT_EQ(first.HearTo("hello"), kHello) << "it is still there";
}

TEST_F(ServerTest, ClosesASilentConnectionToMakeRoomForAnother) {
  Server::Options options;
  options.bounds.connections = 1;
  options.deadlines.header = std::chrono::hours(1);
  Start(options);
  const LoopbackClient silent(address);
  Ask("/");
  EXPECT_EQ(silent.HearAll(), "");
}

constexpr std::string_view kHalfBody = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n1";

// A flood of unfinished requests closes no idle connection, and does not lock out others.
TEST_F(ServerTest, EvictsSlowBodiesToMakeRoomForAnother) {
  Server::Options options;
  options.bounds.connections = 6;
  options.bounds.operator_connections = 6;
  options.deadlines.body = std::chrono::hours(1);
  Start(options);
  for (const std::string& where : {address, operators}) {
    const LoopbackClient idle(where);
    idle.Say(Get("/"));
    EXPECT_EQ(idle.HearTo("hello"), kHello);
    std::vector<std::unique_ptr<LoopbackClient>> slow;
    for (int i = 0; i < 20; ++i) {
      slow.push_back(std::make_unique<LoopbackClient>(where));
      slow.back()->Say(kHalfBody);
    }
    Ask("/", where);
    idle.Say(Get("/"));
    EXPECT_EQ(idle.HearTo("hello"), kHello) << "it was not closed";
  }
}

TEST_F(ServerTest, EvictsHttp2ConnectionsThatWaitForABody) {
  Server::Options options;
  options.bounds.connections = 2;
  options.deadlines.body = std::chrono::hours(1);
  Start(options);
  std::vector<std::unique_ptr<LoopbackClient>> clients;
  for (int i = 0; i < 2; ++i) {
    Http2Client client;
    client.PostUnfinished("/", "half of it");
    clients.push_back(std::make_unique<LoopbackClient>(address));
    clients.back()->Say(client.TakeOutput());
  }
  Ask("/");
}

TEST_F(ServerTest, EvictsConnectionsThatDoNotReadTheirReplies) {
  Server::Options options;
  options.bounds.connections = 2;
  options.deadlines.write = std::chrono::hours(1);
  Start(options);
  const LoopbackClient first(address);
  first.Say(Get("/huge"));
  const LoopbackClient second(address);
  second.Say(Get("/huge"));
  Ask("/");
}

TEST_F(ServerTest, EvictsNoConnectionWithARequestInFlight) {
  Server::Options options;
  options.bounds.connections = 4;
  options.deadlines.body = std::chrono::hours(1);
  Start(options);
  const LoopbackClient http1(address);
  http1.Say(Get("/later") + std::string(kHalfBody));
  const LoopbackClient connection(address);
  Http2Client http2;
  const std::int32_t later = http2.Get("/later");
  http2.PostUnfinished("/", "half of it");
  connection.Say(http2.TakeOutput());
  ASSERT_TRUE(UntilWaiting(2));
  const LoopbackClient slow(address);
  slow.Say(kHalfBody);
  const LoopbackClient other(address);
  other.Say(kHalfBody);
  Ask("/");
  Ask("/release");
  EXPECT_EQ(http1.HearTo("hello"), kHello);
  while (!http2.replies[later].is_whole) {
    const std::string said = connection.Hear();
    ASSERT_FALSE(said.empty());
    ASSERT_TRUE(http2.Receive(said));
  }
}

TEST_F(ServerTest, RetiresOldConnections) {
  Server::Options options;
  options.deadlines.age = std::chrono::milliseconds(300);
  Start(options);
  const LoopbackClient http1(address);
  std::string reply;
  ASSERT_TRUE(Until([&] {
    http1.Say(Get("/"));
    reply = http1.HearTo("hello");
    return reply != kHello;
  }));
  EXPECT_NE(reply.find("Connection: close"), std::string::npos) << reply;
  EXPECT_EQ(http1.HearAll(), "");

  const LoopbackClient resp(address);
  resp.Say("*1\r\n$4\r\nPING\r\n");
  ASSERT_TRUE(UntilWaiting(1));
  const LoopbackClient later(address);
  later.Say("*1\r\n$4\r\nPING\r\n");
  ASSERT_TRUE(UntilWaiting(2));
  // Connections that wait for replies stay, however old they are.
  const LoopbackClient idle(address);
  EXPECT_TRUE(Until([&] { return server->connection_count() == 3; }));
  Ask("/release");
  EXPECT_EQ(resp.HearAll(), "+HELLO\r\n");
  EXPECT_EQ(later.HearAll(), "+HELLO\r\n");
}

TEST_F(ServerTest, SendsGoawayOnOldConnections) {
  Server::Options options;
  options.deadlines.age = std::chrono::milliseconds(300);
  Start(options);
  const LoopbackClient client(address);
  Http2Client http2;
  std::vector<std::int32_t> streams;
  while (!http2.has_goaway) {
    streams.push_back(http2.Get("/"));
    client.Say(http2.TakeOutput());
    const std::string said = client.Hear();
    ASSERT_FALSE(said.empty());
    ASSERT_TRUE(http2.Receive(said));
  }
  EXPECT_EQ(http2.goaway_error, 0U);
  http2.Receive(client.HearAll());
  for (const std::int32_t stream : streams) EXPECT_TRUE(http2.replies[stream].is_whole);
}

// Invariant (3).
TEST_F(ServerTest, RefusesClientsAndServesOperatorsWhileDraining) {
  Start();
  const LoopbackClient client(address);
  client.Say(Get("/later"));
  ASSERT_TRUE(UntilWaiting(1));
  const LoopbackClient connected(operators);
  connected.Say(Get("/"));
  EXPECT_EQ(connected.HearTo("hello"), kHello);
  server->Drain();
  EXPECT_TRUE(Until([&] { return !LoopbackClient(address).is_connected(); }));
  EXPECT_TRUE(Until([&] { return server->connection_count() == 1; })) << "it is owed a reply";
  server->Drain();
  connected.Say(Get("/"));
  EXPECT_EQ(connected.HearTo("hello"), kHello) << "one that was there goes on";
  Ask("/release", operators);
  EXPECT_TRUE(client.HearAll().ends_with("hello"));
  EXPECT_TRUE(Until([&] { return server->connection_count() == 0; }));
  Ask("/", operators);
}

TEST_F(ServerTest, AnswersUnreadRequestsSentBeforeTheDrain) {
  Start();
  const LoopbackClient busy(address);
  busy.Say(Get("/hold"));
  ASSERT_TRUE(Until([&] { return counts.holds.load(); }));
  const LoopbackClient client(address);
  client.Say(Get("/"));
  server->Drain();
  counts.may_go_on = true;
  EXPECT_TRUE(client.HearTo("hello").ends_with("hello"));
  EXPECT_TRUE(busy.HearTo("hello").ends_with("hello"));
}

TEST_F(ServerTest, KeepsInheritedSocketsOpenAfterADrain) {
  ListeningSocket opened = ListeningSocket::Open(TcpEndpoint{"127.0.0.1", 0}).value();
  std::vector<ListeningSocket> sockets;
  sockets.push_back(ListeningSocket::Adopt(dup(opened.descriptor())).value());
  Start({}, std::move(sockets));
  const LoopbackClient client(address);
  client.Say(Get("/later"));
  ASSERT_TRUE(UntilWaiting(1));
  server->Drain();
  Ask("/", operators);  // the acceptors run on the same thread
  EXPECT_TRUE(LoopbackClient(address).is_connected()) << "whoever listens next will accept it";
  Ask("/release", operators);
}

TEST_F(ServerTest, AnnouncesDrainsToStreamingRequests) {
  Start();
  const LoopbackClient client(address);
  Http2Client http2;
  http2.PostUnfinished("/stream", "");
  client.Say(http2.TakeOutput());
  ASSERT_TRUE(Until([&] { return counts.streaming == 1; }));
  server->WarnOfDrain();
  EXPECT_TRUE(Until([&] { return counts.warned == 1; }));
  Ask("/");
  EXPECT_EQ(counts.gone, 0U);
}

// Invariant (2) of Worker.
TEST_F(ServerTest, FreesUnfinishedExchangesOnStop) {
  Start();
  const LoopbackClient client(address);
  Http2Client http2;
  http2.Get("/later");
  http2.PostUnfinished("/stream", "");
  client.Say(http2.TakeOutput());
  ASSERT_TRUE(UntilWaiting(1));
  Ask("/");
  EXPECT_EQ(counts.gone, 0U);
  server->Stop();
  EXPECT_EQ(counts.gone, 1U) << "its session was freed";
  EXPECT_EQ(server->connection_count(), 0U);
}

}  // namespace
}  // namespace sluice
