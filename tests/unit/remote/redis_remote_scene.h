// RedisRemoteScene: calls of up to three slots, and a client whose answers the test gives.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/text.h"
#include "remote/redis_key_name.h"
#include "remote/redis_remote.h"
#include "remote/redis_slot.h"
#include "support/fake_clock.h"
#include "unit/remote/fake_redis_client.h"
#include "unit/remote/remote_items.h"

namespace sluice::testing {

inline constexpr RedisAnswer kUnsent{.fate = RedisAnswer::Fate::kNotSent,
                                     .cause = RedisAnswer::Cause::kBroken};
inline constexpr RedisAnswer kDropped{.fate = RedisAnswer::Fate::kNotSent,
                                      .cause = RedisAnswer::Cause::kOverdue};
inline constexpr RedisAnswer kLost{.fate = RedisAnswer::Fate::kUnknown,
                                   .cause = RedisAnswer::Cause::kBroken};

class RedisRemoteScene : public ::testing::Test, public RemoteListener {
 protected:
  void SetUp() override {
    // Three keys whose slots come in this order.
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
  void OnAnswer(RemoteCall& call, RemoteFate fate) override {
    EXPECT_EQ(&call, &call_);
    fates_.push_back(fate);
  }

  // A call of the first keys; each is of a slot of its own.
  bool Begin(std::size_t keys, Operation operation = Operation::kCheck) {
    call_.operation = operation;
    call_.items.assign(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(keys));
    call_.deadline = kNow + std::chrono::milliseconds{5};
    const bool is_taken = remote_.Decide(call_, *this);
    EXPECT_TRUE(fates_.empty());
    return is_taken;
  }

  // Replies about one key, of which so many of 2 are used.
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
  // Whether a command is a refund: the item after the numbers of the shape.
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
  std::vector<RemoteFate> fates_;
  int overdue_ = 0;
};

}  // namespace sluice::testing
