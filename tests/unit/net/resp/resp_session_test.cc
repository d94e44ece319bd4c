#include "net/resp/resp_session.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace sluice {
namespace {

// Replies to each command with its last argument.
class EchoService final : public RespService {
 public:
  void Serve(std::span<RespExchange* const> batch) override {
    batches.push_back(batch.size());
    for (RespExchange* exchange : batch) {
      RespWriter(exchange->client->version, exchange->reply).Bulk(exchange->arguments.back());
      exchange->closes = exchange->arguments.front() == "QUIT";
      if (replies_later) {
        waiting.push_back(exchange);
      } else {
        exchange->Finish();
      }
    }
  }

  bool replies_later = false;
  std::vector<RespExchange*> waiting;
  std::vector<std::size_t> batches;
};

class RespSessionTest : public testing::Test {
 protected:
  static Bounds Small() {
    Bounds bounds;
    bounds.request_bytes = 1000;
    bounds.connection_requests = 10;
    bounds.connection_bytes = 15'000;
    return bounds;
  }

  std::string Say(std::string_view bytes) {
    unread.append(bytes);
    unread.erase(0, session.Receive(unread));
    return std::exchange(session.output, {});
  }

  EchoService service;
  Peer peer;
  RespSession session{service, peer, Small()};
  std::string unread;
};

constexpr std::string_view kEchoA = "*2\r\n$4\r\nECHO\r\n$1\r\na\r\n";
constexpr std::string_view kEchoB = "*2\r\n$4\r\nECHO\r\n$1\r\nb\r\n";

TEST_F(RespSessionTest, ServesCommandsOfOneReceiveAsOneBatch) {
  EXPECT_EQ(Say(Concat(kEchoA, kEchoB)), "$1\r\na\r\n$1\r\nb\r\n");
  EXPECT_EQ(service.batches, std::vector<std::size_t>{2});
}

TEST_F(RespSessionTest, BoundsBatchSize) {
  std::string commands;
  for (int i = 0; i < 25; ++i) commands += kEchoA;
  Say(commands);
  EXPECT_EQ(service.batches, (std::vector<std::size_t>{10, 10, 5}));
}

// Invariant (4) of Session.
TEST_F(RespSessionTest, PausesWhileItsOutputIsFull) {
  std::string command = "*2\r\n$4\r\nECHO\r\n$900\r\n" + std::string(900, 'x') + "\r\n";
  std::string commands;
  for (int i = 0; i < 35; ++i) commands += command;
  Say(commands);
  EXPECT_TRUE(session.paused());
  EXPECT_EQ(service.batches, (std::vector<std::size_t>{10, 10}));
  session.Drain();
  EXPECT_FALSE(session.ended()) << "what has come is answered";
  while (session.paused()) Say("");
  EXPECT_EQ(service.batches, (std::vector<std::size_t>{10, 10, 10, 5}));
  EXPECT_TRUE(session.ended());
}

TEST_F(RespSessionTest, PausesWithLessOutputWhileMemoryIsScarce) {
  for (const bool is_scarce : {false, true}) {
    RespSession roomy{service, peer, Bounds{}};
    roomy.SetMemoryScarce(is_scarce);
    const std::string value(9000, 'x');
    std::string commands;
    for (int i = 0; i < 100; ++i) {
      commands += Concat("*2\r\n$4\r\nECHO\r\n$9000\r\n", value, "\r\n");
    }
    std::size_t said = 0;
    do {
      commands.erase(0, roomy.Receive(commands));
      EXPECT_LT(roomy.output.size(), is_scarce ? 14'000U : 272'000U);
      said += std::exchange(roomy.output, {}).size();
    } while (roomy.paused());
    EXPECT_EQ(said, 100 * (9000 + std::string_view("$9000\r\n\r\n").size()));
  }
}

TEST_F(RespSessionTest, EndsAfterLateRepliesDespiteAPartialCommand) {
  service.replies_later = true;
  std::string commands;
  for (int i = 0; i < 10; ++i) {
    commands += Concat("*2\r\n$4\r\nECHO\r\n$900\r\n", std::string(900, 'x'), "\r\n");
  }
  RespSession tight{service, peer, Bounds{.connection_bytes = 2000}};
  const std::string half = "*2\r\n$4\r\nEC";
  EXPECT_EQ(tight.Receive(commands + half), commands.size());
  tight.ReceiveEnd();
  for (RespExchange* exchange : service.waiting) exchange->Finish();
  EXPECT_LT(tight.output.size(), 3000U);
  std::size_t calls = 0;
  for (std::string rest = half; !tight.ended() && ++calls < 20;) {
    tight.output.clear();
    rest.erase(0, tight.Receive(rest));
  }
  EXPECT_TRUE(tight.ended());
}

TEST_F(RespSessionTest, PausesAtTheMaximumOfCommandsInFlight) {
  service.replies_later = true;
  std::string commands;
  for (int i = 0; i < 15; ++i) commands += kEchoA;
  Say(commands);
  EXPECT_TRUE(session.paused());
  EXPECT_EQ(service.batches, std::vector<std::size_t>{10});
  service.waiting[0]->Finish();
  Say("");
  EXPECT_TRUE(session.paused());
  EXPECT_EQ(service.batches, (std::vector<std::size_t>{10, 1}));
}

TEST_F(RespSessionTest, AcceptsBytesOneByOne) {
  std::string said;
  for (const char byte : Concat(kEchoA, kEchoB)) {
    said += Say(std::string_view(&byte, 1));
  }
  EXPECT_EQ(said, "$1\r\na\r\n$1\r\nb\r\n");
}

TEST_F(RespSessionTest, SendsRepliesInTheOrderOfTheCommands) {
  service.replies_later = true;
  EXPECT_EQ(Say(Concat(kEchoA, kEchoB)), "");
  service.waiting[1]->Finish();
  EXPECT_EQ(session.output, "");
  service.waiting[0]->Finish();
  EXPECT_EQ(session.output, "$1\r\na\r\n$1\r\nb\r\n");
  EXPECT_EQ(session.unfinished(), 0U);
}

TEST_F(RespSessionTest, EndsAfterRepliesBeforeAMalformedCommand) {
  const std::string said = Say(Concat(kEchoA, "*1\r\n:1\r\n", kEchoB));
  EXPECT_TRUE(said.starts_with("$1\r\na\r\n-ERR Protocol error")) << said;
  EXPECT_EQ(said.find("\r\nb\r\n"), std::string::npos) << said;
  EXPECT_TRUE(session.ended());
}

TEST_F(RespSessionTest, DropsBytesAfterAMalformedCommand) {
  service.replies_later = true;
  Say(Concat(kEchoA, "*1\r\n:1\r\n", kEchoB));
  EXPECT_FALSE(session.ended());
  EXPECT_EQ(unread, "");
  service.waiting[0]->Finish();
  EXPECT_TRUE(session.ended());
}

TEST_F(RespSessionTest, ClosesAfterReplyIfTheServiceAsks) {
  EXPECT_EQ(Say(Concat("*1\r\n$4\r\nQUIT\r\n", kEchoA)), "$4\r\nQUIT\r\n");
  EXPECT_TRUE(session.ended());
}

TEST_F(RespSessionTest, AnswersAPartialCommandAfterADrain) {
  Say(kEchoA.substr(0, 10));
  EXPECT_EQ(session.phase(), Session::Phase::kBody);
  session.Drain();
  EXPECT_FALSE(session.ended());
  EXPECT_EQ(Say(kEchoA.substr(10)), "$1\r\na\r\n");
  EXPECT_TRUE(session.ended());
}

// A client sees the close together with its replies, before it sends the next command.
TEST_F(RespSessionTest, EndsWithTheNextRepliesWhenDrainedWhileIdle) {
  Say(kEchoA);
  session.Drain();
  EXPECT_FALSE(session.ended());
  EXPECT_EQ(Say(Concat(kEchoA, kEchoA)), "$1\r\na\r\n$1\r\na\r\n");
  EXPECT_TRUE(session.ended());
}

TEST_F(RespSessionTest, EndsOnASecondDrainWhileIdle) {
  Say(kEchoA);
  session.Drain();
  session.Drain();
  EXPECT_TRUE(session.ended());
}

TEST_F(RespSessionTest, RetiresOnlyWhileIdle) {
  service.replies_later = true;
  Say(kEchoA);
  session.Retire();
  EXPECT_FALSE(session.ended()) << "a command is being served";
  service.waiting.front()->Finish();
  session.output.clear();
  Say(kEchoB.substr(0, 5));
  session.Retire();
  EXPECT_FALSE(session.ended()) << "a command has begun";
  service.replies_later = false;
  EXPECT_EQ(Say(kEchoB.substr(5)), "$1\r\nb\r\n");
  session.Retire();
  EXPECT_TRUE(session.ended());
}

}  // namespace
}  // namespace sluice
