#include "store/shard_lock.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace sluice {
namespace {

void RunThreads(int count, const auto& body) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) threads.emplace_back(body);
  for (std::thread& thread : threads) thread.join();
}

TEST(ShardLockTest, AdmitsOneHolderAtATime) {
  ShardLock lock;
  // Not atomic: a second holder would lose a count, and tsan would detect it.
  std::array<int, 64> counts{};
  RunThreads(8, [&] {
    for (int i = 0; i < 5'000; ++i) {
      lock.Lock();
      for (int& count : counts) ++count;
      lock.Unlock();
    }
  });
  for (const int count : counts) EXPECT_EQ(count, 40'000);
}

TEST(ShardLockTest, NextHolderSeesWritesOfThePrevious) {
  ShardLock lock;
  int turn = 0;
  // Two threads pass a number back and forth, so each waits for the other many times.
  const auto play = [&](int parity) {
    for (int next = parity; next < 300;) {
      lock.Lock();
      if (turn == next) {
        ++turn;
        next += 2;
      }
      lock.Unlock();
    }
  };
  std::thread other([&] { play(1); });
  play(0);
  other.join();
  EXPECT_EQ(turn, 300);
}

TEST(ShardLockTest, WakesEveryWaitingThread) {
  for (int round = 0; round < 50; ++round) {
    ShardLock lock;
    std::atomic<int> waiting{0};
    int passed = 0;
    lock.Lock();
    std::thread opener([&] {
      while (waiting.load() < 6) std::this_thread::yield();
      lock.Unlock();
    });
    RunThreads(6, [&] {
      ++waiting;
      lock.Lock();
      ++passed;
      lock.Unlock();
    });
    opener.join();
    ASSERT_EQ(passed, 6);
  }
}

}  // namespace
}  // namespace sluice
