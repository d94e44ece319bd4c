// RemoteAsker: asks a remote, and runs its loop until that has answered.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "net/event_loop.h"
#include "store/remote.h"

namespace sluice {

class RemoteAsker final : public RemoteListener {
 public:
  // Both outlive it.
  RemoteAsker(EventLoop& loop, Remote& remote) : loop_(loop), remote_(remote) {}

  // Nothing where the call was not taken.
  std::optional<RemoteFate> Ask(RemoteCall& call) {
    if (!Begin(call)) return std::nullopt;
    return Wait();
  }

  bool Begin(RemoteCall& call) {
    fate_.reset();
    overdue_ = 0;
    const bool is_taken = remote_.Decide(call, *this);
    EXPECT_FALSE(fate_) << "answered before Decide returned";
    EXPECT_EQ(overdue_, 0) << "overdue before Decide returned";
    return is_taken;
  }
  std::optional<RemoteFate> Wait() {
    LoopTimer patience(loop_, [this] { loop_.End(); });
    patience.SetAfter(std::chrono::seconds{20});
    loop_.Run();
    EXPECT_TRUE(fate_) << "no answer";
    return fate_;
  }

  void OnOverdue(RemoteCall& /*call*/) override {
    ++overdue_;
    EXPECT_FALSE(fate_) << "overdue after the answer";
  }
  void OnAnswer(RemoteCall& /*call*/, RemoteFate fate) override {
    EXPECT_FALSE(fate_) << "answered twice";
    fate_ = fate;
    loop_.End();
  }

  [[nodiscard]] int overdue() const { return overdue_; }
  [[nodiscard]] std::optional<RemoteFate> fate() const { return fate_; }

 private:
  EventLoop& loop_;
  Remote& remote_;
  std::optional<RemoteFate> fate_;
  int overdue_ = 0;
};

}  // namespace sluice
