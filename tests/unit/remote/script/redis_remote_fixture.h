// RedisRemoteFixture: calls with up to three slots, and a client whose answers the test provides.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "redis/redis_slot.h"
#include "remote/script/redis_key_name.h"
#include "remote/script/redis_remote.h"
#include "support/fake_clock.h"
#include "unit/redis/fake_redis_client.h"
#include "unit/remote/script/remote_items.h"

namespace sluice::testing {

inline constexpr RedisAnswer kUnsent{.outcome = RedisAnswer::Fate::kNotSent,
                                     .cause = RedisAnswer::Cause::kBroken};
inline constexpr RedisAnswer kDropped{.outcome = RedisAnswer::Fate::kNotSent,
                                      .cause = RedisAnswer::Cause::kOverdue};
inline constexpr RedisAnswer kLost{.outcome = RedisAnswer::Fate::kUnknown,
                                   .cause = RedisAnswer::Cause::kBroken};

class RedisRemoteFixture : public ::testing::Test, public RemoteListener {
 protected:
  void SetUp() override {
    // Three keys, sorted by slot.
    for (int i = 0; i < 3; ++i) items_.push_back(ItemOf(terms_, Concat("k", i), Concat("r", i)));
    std::sort(items_.begin(), items_.end(), [](const RemoteItem& one, const RemoteItem& other) {
      return SlotFor(one) < SlotFor(other);
    });
    ASSERT_LT(SlotFor(items_[0]), SlotFor(items_[1]));
    ASSERT_LT(SlotFor(items_[1]), SlotFor(items_[2]));
    clock_.Set(kNow);
  }

  static std::uint16_t SlotFor(const RemoteItem& item) {
    std::string name;
    AppendRedisKeyName("sluice:", item.key, item.route, name);
    return SlotOf(name);
  }

  void OnOverdue(RemoteCall& call) override {
    EXPECT_EQ(&call, &call_);
    ++overdue_;
  }
  void OnAnswer(RemoteCall& call, RemoteOutcome outcome) override {
    EXPECT_EQ(&call, &call_);
    outcomes_.push_back(outcome);
  }

  // Sends a call for the first `keys` keys; each is in a different slot.
  bool Begin(std::size_t keys, Operation operation = Operation::kCheck) {
    call_.operation = operation;
    call_.items.assign(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(keys));
    call_.deadline = kNow + std::chrono::milliseconds{5};
    const bool is_taken = remote_.Decide(call_, *this);
    EXPECT_TRUE(outcomes_.empty());
    return is_taken;
  }

  // Returns a reply about one key of which `used` of 2 units are used.
  static std::string Answer(int status, int used) {
    const std::string state = used == 0 ? "" : Concat(TagOfTerms(), " 1700002800000000 ", used);
    return Concat("*4\r\n:", status, "\r\n:1700000000\r\n:0\r\n$", state.size(), "\r\n", state,
                  "\r\n");
  }
  static std::string TagOfTerms() {
    return static_cast<const RedisTerms&>(*terms_).remote_limit().tag();
  }
  static std::string Ahead() { return Answer(1, 0); }
  static std::string Refused() { return Answer(0, 2); }

  [[nodiscard]] std::vector<std::uint16_t> SlotsUnderWay() const {
    std::vector<std::uint16_t> slots;
    for (const auto& each : client_.sent) slots.push_back(each.command->slot);
    return slots;
  }
  // Returns whether a command is a refund: looks for its item after the numbers of the shape.
  [[nodiscard]] bool IsGiveBack(std::size_t place) const {
    return client_.sent.at(place).bytes.find("\r\nf\r\n$1\r\n1\r\n$16\r\n") != std::string::npos;
  }

  static constexpr Time kNow{std::chrono::seconds{1'700'000'000}};
  static inline const std::shared_ptr<const RemoteTerms> terms_ =
      MustBind(PerHour(2, Algorithm::kFixedWindow));

  FakeRedisClient client_;
  FakeClock clock_;
  RedisRemote remote_{client_, clock_, {.slots = RedisSlots::kSpread}};
  std::vector<RemoteItem> items_;
  RemoteCall call_;
  std::vector<RemoteOutcome> outcomes_;
  int overdue_ = 0;
};

}  // namespace sluice::testing
