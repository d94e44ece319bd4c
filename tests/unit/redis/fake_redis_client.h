// FakeRedisClient: records commands and answers them as a test says.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "redis/redis_client.h"
#include "wire/resp/resp_value_reader.h"

namespace sluice {

class FakeRedisClient final : public RedisClient {
 public:
  struct Sent {
    RedisCommand* command = nullptr;
    RedisListener* listener = nullptr;
    std::string bytes;
  };

  [[nodiscard]] Cause Send(RedisCommand& command, RedisListener& listener) override {
    if (refuses_from >= 0 && taken >= refuses_from) return Cause::kNotConnected;
    if (command.slot == refused_slot) return Cause::kNotConnected;
    ++taken;
    sent.push_back({&command, &listener, command.bytes});
    return Cause::kNone;
  }

  // Answers the oldest command in flight.
  void Reply(std::string_view resp, bool is_late = false) {
    RespValueReader reader{RespValueBounds{}};
    RedisAnswer answer;
    answer.reply = reader.Read(resp).nodes;
    if (answer.reply.front().type == RespType::kError) {
      answer.error = ReadRedisError(answer.reply.front().text);
    }
    answer.is_late = is_late;
    Answer(answer);
  }
  void Answer(const RedisAnswer& answer) {
    ASSERT_FALSE(sent.empty());
    const Sent first = sent.front();
    sent.erase(sent.begin());
    first.listener->OnAnswer(*first.command, answer);
  }
  void Overdue() { sent.front().listener->OnOverdue(*sent.front().command); }

  std::vector<Sent> sent;
  int taken = 0;
  int refuses_from = -1;  // accepts this many commands; below 0: all
  int refused_slot = -1;  // rejects commands of this slot
};

}  // namespace sluice
