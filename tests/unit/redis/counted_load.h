// CountedLoad: sends increment commands and tracks the result of each.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "redis/redis_command.h"

namespace sluice {

class CountedLoad final : public RedisListener {
 public:
  using Sender = std::function<RedisAnswer::Cause(RedisCommand&, RedisListener&)>;
  // Builds a command.
  using Maker = std::function<void(std::size_t number, RedisCommand&)>;

  explicit CountedLoad(Sender sender, Maker maker = MakeIncrement)
      : sender_(std::move(sender)), maker_(std::move(maker)) {}

  // Sends up to `count` commands; stops when one is rejected.
  void Send(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Followed& followed = *commands_.emplace_back(std::make_unique<Followed>());
      maker_(commands_.size(), followed.command);
      if (sender_(followed.command, *this) != RedisAnswer::Cause::kNone) return;
      ++taken_;
      ++under_way_;
    }
  }

  void OnOverdue(RedisCommand& /*command*/) override {}
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override {
    auto& followed = reinterpret_cast<Followed&>(command);
    if (std::exchange(followed.is_answered, true)) ++answered_twice_;
    --under_way_;
    if (answer.outcome == RedisAnswer::Fate::kUnknown) ++unknown_;
    if (answer.outcome == RedisAnswer::Fate::kNotSent) ++unsent_;
    if (answer.outcome != RedisAnswer::Fate::kReplied) return;
    ++replied_;
    if (answer.error.kind != RedisErrorKind::kNone) ++errors_;
  }

  [[nodiscard]] std::size_t taken() const { return taken_; }
  [[nodiscard]] std::size_t under_way() const { return under_way_; }
  [[nodiscard]] std::size_t replied() const { return replied_; }
  [[nodiscard]] std::size_t errors() const { return errors_; }  // among replied()
  [[nodiscard]] std::size_t unknown() const { return unknown_; }
  [[nodiscard]] std::size_t unsent() const { return unsent_; }
  [[nodiscard]] std::size_t answered_twice() const { return answered_twice_; }

  static void MakeIncrement(std::size_t /*number*/, RedisCommand& command) {
    AppendRedisCommand({"INCR", "n"}, command.bytes);
  }

 private:
  struct Followed {
    RedisCommand command;  // first member, so that the command's address is this struct's
    bool is_answered = false;
  };

  const Sender sender_;
  const Maker maker_;
  std::vector<std::unique_ptr<Followed>> commands_;
  std::size_t taken_ = 0;
  std::size_t under_way_ = 0;
  std::size_t replied_ = 0;
  std::size_t errors_ = 0;
  std::size_t unknown_ = 0;
  std::size_t unsent_ = 0;
  std::size_t answered_twice_ = 0;
};

}  // namespace sluice
