#include "net/http1/reply_queue.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sluice {
namespace {

struct Asked {
  int number = 0;
};

// Counts the messages that exist and that were ever constructed.
struct Census {
  int alive = 0;
  int made = 0;
};

struct Message final : Asked {
  explicit Message(Census& of) : census(of) {
    ++census.alive;
    ++census.made;
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  ~Message() { --census.alive; }

  void ReleaseMemory() { ++let_go; }
  [[nodiscard]] std::size_t memory_bytes() const { return 100; }
  [[nodiscard]] std::size_t pending_bytes() const { return 7; }

  Census& census;
  std::size_t counted_bytes = 0;
  bool finished = false;
  int let_go = 0;
};

struct Service {
  void Serve(std::span<Asked* const> batch) {
    for (const Asked* asked : batch) served.push_back(asked->number);
  }
  std::vector<int> served;
};

class ReplyQueueTest : public testing::Test {
 protected:
  Message& Join(int number) {
    Message& message = queue.Join(census);
    message.number = number;
    message.finished = false;
    return message;
  }
  // Removes all exchanges that can leave, and returns their numbers.
  std::vector<int> LeaveAll() {
    std::vector<int> left;
    for (; queue.ready() != nullptr; queue.Leave()) left.push_back(queue.ready()->number);
    return left;
  }

  Census census;
  Service service;
  ReplyQueue<Message, Asked> queue;
};

// Invariant (1).
TEST_F(ReplyQueueTest, RemovesExchangesInTheOrderOfJoining) {
  Message& first = Join(1);
  Message& second = Join(2);
  Message& third = Join(3);
  EXPECT_EQ(queue.ready(), nullptr);
  second.finished = true;
  EXPECT_TRUE(LeaveAll().empty());
  first.finished = true;
  EXPECT_EQ(LeaveAll(), (std::vector<int>{1, 2}));
  EXPECT_EQ(queue.size(), 1U);
  third.finished = true;
  EXPECT_EQ(LeaveAll(), std::vector<int>{3});
  EXPECT_TRUE(queue.empty());
}

TEST_F(ReplyQueueTest, BatchesExchangesJoinedSinceTheLastServe) {
  Join(1);
  Join(2);
  EXPECT_EQ(queue.batch().size(), 2U);
  queue.Serve(service);
  EXPECT_TRUE(queue.batch().empty());
  Join(3);
  queue.Serve(service);
  EXPECT_EQ(service.served, (std::vector<int>{1, 2, 3}));
}

TEST_F(ReplyQueueTest, KeepsUnservedExchangesInOrder) {
  Message& first = Join(1);
  Message& refused = queue.JoinUnserved(census);
  refused.number = 2;
  refused.finished = true;
  queue.Serve(service);
  EXPECT_EQ(service.served, std::vector<int>{1});
  EXPECT_TRUE(LeaveAll().empty());
  first.finished = true;
  EXPECT_EQ(LeaveAll(), (std::vector<int>{1, 2}));
}

// Invariant (2).
TEST_F(ReplyQueueTest, KeepsAddressesOfExchanges) {
  std::vector<Message*> all;
  for (int i = 0; i < 1000; ++i) all.push_back(&Join(i));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)]->number, i);
}

TEST_F(ReplyQueueTest, ReusesExchanges) {
  for (int i = 0; i < 10; ++i) {
    Message& message = Join(i);
    EXPECT_EQ(message.let_go, i);
    message.finished = true;
    LeaveAll();
  }
  EXPECT_EQ(census.made, 1);
}

// Invariant (3).
TEST_F(ReplyQueueTest, KeepsFewSparesAndNoneAfterRest) {
  for (int i = 0; i < 1000; ++i) Join(i).finished = true;
  queue.Serve(service);
  LeaveAll();
  EXPECT_EQ(census.alive, static_cast<int>(ReplyQueue<Message, Asked>::kMaxSpare));
  queue.Rest();
  EXPECT_EQ(census.alive, 0);
  Join(1).finished = true;
  EXPECT_EQ(LeaveAll(), std::vector<int>{1});
}

TEST_F(ReplyQueueTest, CountsQueuedAndSpareExchanges) {
  EXPECT_EQ(queue.kept_bytes(), 0U);
  for (int i = 0; i < 3; ++i) Join(i).finished = true;
  EXPECT_EQ(queue.kept_bytes(), 3 * 107U);
  LeaveAll();
  EXPECT_EQ(queue.kept_bytes(), 3 * 100U);
  Join(3);
  EXPECT_EQ(queue.kept_bytes(), 2 * 100U + 107U);
  queue.FreeSpare();
  EXPECT_EQ(queue.kept_bytes(), 107U);
  EXPECT_EQ(census.alive, 1);
  queue.Rest();
  EXPECT_EQ(queue.kept_bytes(), 0U);
}

TEST_F(ReplyQueueTest, CountsNoFreedExchanges) {
  constexpr int kMore = 10;
  const auto count = static_cast<int>(decltype(queue)::kMaxSpare) + kMore;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < count; ++i) Join(i).finished = true;
    LeaveAll();
    EXPECT_EQ(queue.kept_bytes(), decltype(queue)::kMaxSpare * 100U);
  }
}

}  // namespace
}  // namespace sluice
