// RemoteAsker: sends a call to a remote store and runs its loop until the answer arrives.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "net/loop/event_loop.h"
#include "store/remote_store.h"

namespace sluice {

class RemoteAsker final : public RemoteListener {
 public:
  // `loop` and `remote` must outlive it.
  RemoteAsker(EventLoop& loop, RemoteStore& remote) : loop_(loop), remote_(remote) {}

  // Returns none if the call was not accepted.
  std::optional<RemoteOutcome> Ask(RemoteCall& call) {
    if (!Begin(call)) return std::nullopt;
    return Wait();
  }

  bool Begin(RemoteCall& call) {
    outcome_.reset();
    overdue_ = 0;
    const bool is_taken = remote_.Decide(call, *this);
    EXPECT_FALSE(outcome_) << "answered before Decide returned";
    EXPECT_EQ(overdue_, 0) << "overdue before Decide returned";
    return is_taken;
  }
  std::optional<RemoteOutcome> Wait() {
    LoopTimer timeout(loop_, [this] { loop_.End(); });
    timeout.SetAfter(std::chrono::seconds{20});
    loop_.Run();
    EXPECT_TRUE(outcome_) << "no answer";
    return outcome_;
  }

  void OnOverdue(RemoteCall& /*call*/) override {
    ++overdue_;
    EXPECT_FALSE(outcome_) << "overdue after the answer";
  }
  void OnAnswer(RemoteCall& /*call*/, RemoteOutcome outcome) override {
    EXPECT_FALSE(outcome_) << "answered twice";
    outcome_ = outcome;
    loop_.End();
  }

  [[nodiscard]] int overdue() const { return overdue_; }
  [[nodiscard]] std::optional<RemoteOutcome> outcome() const { return outcome_; }

 private:
  EventLoop& loop_;
  RemoteStore& remote_;
  std::optional<RemoteOutcome> outcome_;
  int overdue_ = 0;
};

}  // namespace sluice
