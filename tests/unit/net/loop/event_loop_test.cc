#include "net/loop/event_loop.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace sluice {
namespace {

using Readiness = EventLoop::Readiness;

class EventLoopTest : public ::testing::Test {
 protected:
  // Records its notifications in `heard`, and runs a callback for each.
  class Listener final : public EventLoop::Watcher {
   public:
    Listener(std::vector<std::string>& heard, std::string name)
        : heard_(heard), name_(std::move(name)) {}

    void OnReady(const Readiness& ready) override {
      std::string words = name_;
      if (ready.input) words += " input";
      if (ready.ended) words += " ended";
      if (ready.broken) words += " broken";
      heard_.push_back(words);
      if (then) then();
    }
    void OnAgain() override {
      heard_.push_back(name_ + " again");
      if (then_again) then_again();
    }

    std::function<void()> then;
    std::function<void()> then_again;

   private:
    std::vector<std::string>& heard_;
    std::string name_;
  };

  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  void TearDown() override {
    for (const int end : ends_) {
      if (end >= 0) close(end);
    }
  }

  void Say(std::string_view text) const {
    ASSERT_EQ(write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void Note(const std::string& words) { heard_.push_back(words); }
  // Runs the loop until nothing is pending.
  void RunOut() {
    loop_.Post([this] { loop_.End(); });
    loop_.Run();
  }

  std::array<int, 2> ends_{-1, -1};
  EventLoop loop_;
  std::vector<std::string> heard_;
  Listener listener_{heard_, "socket"};
};

TEST_F(EventLoopTest, NotifiesWatcherOncePerNewInput) {
  loop_.Watch(ends_[0], listener_);
  Say("a");
  listener_.then = [this] {
    // Unread input is not reported again, but new input is.
    loop_.Post([this] {
      Note("later");
      listener_.then = [this] { loop_.End(); };
      Say("b");
    });
  };
  loop_.Run();
  EXPECT_EQ(heard_, (std::vector<std::string>{"socket input", "later", "socket input"}));
}

TEST_F(EventLoopTest, NotifiesWritabilityAfterWatchRoom) {
  loop_.Watch(ends_[0], listener_);
  listener_.then = [this] { loop_.End(); };
  loop_.WatchRoom(ends_[0], listener_);
  loop_.Run();
  EXPECT_EQ(heard_, (std::vector<std::string>{"socket"}));
}

TEST_F(EventLoopTest, NotifiesEndOfInput) {
  loop_.Watch(ends_[0], listener_);
  Say("a");
  shutdown(ends_[1], SHUT_WR);
  listener_.then = [this] { loop_.End(); };
  loop_.Run();
  EXPECT_EQ(heard_, (std::vector<std::string>{"socket input ended"}));
}

TEST_F(EventLoopTest, StopsNotifyingAfterUnwatch) {
  loop_.Watch(ends_[0], listener_);
  Say("a");
  loop_.Unwatch(ends_[0]);
  RunOut();
  EXPECT_EQ(heard_, std::vector<std::string>{});
}

TEST_F(EventLoopTest, IsUnusableWithoutDescriptors) {
  EXPECT_TRUE(loop_.is_usable());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const EventLoop without;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(without.is_usable());
  // A timer without a descriptor would make this call. No timer is created above, because UBSan
  // opens a pipe when it first checks an object of a class.
  constexpr int kNone = -1;
  EXPECT_FALSE(loop_.Watch(kNone, listener_));
  EXPECT_FALSE(loop_.is_usable());
}

// Invariant (1).
TEST_F(EventLoopTest, CallsReadyThenAgainThenPosted) {
  Listener other(heard_, "other");
  loop_.Post([this] { Note("posted"); });
  loop_.Again(other);
  loop_.Watch(ends_[0], listener_);
  Say("a");
  // Again is called in this round, so OnAgain runs in the same one.
  listener_.then = [this] { loop_.Again(listener_); };
  RunOut();
  EXPECT_EQ(heard_,
            (std::vector<std::string>{"socket input", "other again", "socket again", "posted"}));
}

// Invariant (2).
TEST_F(EventLoopTest, RunsPostedCallsInTheOrderOfEachThread) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 500;
  std::array<std::vector<int>, kThreads> ran;
  int left = kThreads * kCalls;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kCalls; ++i) {
        loop_.Post([&, thread, i] {
          ran.at(static_cast<std::size_t>(thread)).push_back(i);
          if (--left == 0) loop_.End();
        });
      }
    });
  }
  loop_.Run();
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<int>& calls : ran) {
    ASSERT_EQ(calls.size(), kCalls);
    for (int i = 0; i < kCalls; ++i) EXPECT_EQ(calls[static_cast<std::size_t>(i)], i);
  }
}

// Invariant (3).
TEST_F(EventLoopTest, RunsRoundsAfterEndWhileCallsArePending) {
  int rounds = 0;
  listener_.then_again = [&] {
    if (++rounds < 3) loop_.Again(listener_);
    if (rounds == 3) loop_.Post([this] { Note("last"); });
  };
  loop_.Again(listener_);
  loop_.End();
  loop_.Run();
  EXPECT_EQ(heard_,
            (std::vector<std::string>{"socket again", "socket again", "socket again", "last"}));
}

TEST_F(EventLoopTest, RunsAgainAfterEnd) {
  RunOut();
  loop_.Post([this] {
    loop_.Post([this] {
      Note("second run");
      loop_.End();
    });
  });
  loop_.Run();
  EXPECT_EQ(heard_, (std::vector<std::string>{"second run"}));
}

TEST_F(EventLoopTest, RunsTimersOnceOrRepeatedlyUnlessCancelled) {
  int ticks = 0;
  LoopTimer once(loop_, [this] { Note("once"); });
  LoopTimer cancelled(loop_, [this] { Note("cancelled"); });
  LoopTimer every(loop_, [&] {
    if (++ticks == 3) loop_.End();
  });
  cancelled.SetAfter(std::chrono::nanoseconds(1));
  cancelled.Cancel();
  once.SetAfter(std::chrono::nanoseconds(1));
  every.SetEvery(std::chrono::milliseconds(1));
  loop_.Run();
  EXPECT_EQ(ticks, 3);
  EXPECT_EQ(heard_, (std::vector<std::string>{"once"}));
}

}  // namespace
}  // namespace sluice
