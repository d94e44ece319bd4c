// HeardAnswers: a listener that records what it is notified of.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "redis/redis_command.h"

namespace sluice {

// Owns commands by name, and records lines such as "a: +OK", "a: overdue", "a: late :1" and "a:
// unknown broken".
class HeardAnswers final : public RedisListener {
 public:
  RedisCommand& Make(std::string_view name, std::initializer_list<std::string_view> words,
                     Time deadline = kLatestTime) {
    Named& named = *commands_.emplace_back(std::make_unique<Named>());
    named.name = name;
    AppendRedisCommand(words, named.command.bytes);
    named.command.deadline = deadline;
    return named.command;
  }

  void OnOverdue(RedisCommand& command) override { Note(command, "overdue"); }
  void OnAnswer(RedisCommand& command, const RedisAnswer& answer) override {
    ++answers;
    std::string words = answer.is_late ? "late " : "";
    if (answer.outcome == RedisAnswer::Fate::kReplied) {
      AppendReply(answer.reply.front(), words);
    } else {
      words += answer.outcome == RedisAnswer::Fate::kUnknown ? "unknown " : "not sent ";
      words += NameOf(answer.cause);
    }
    Note(command, words);
    if (then) then();
  }

  std::vector<std::string> heard;
  std::size_t answers = 0;
  std::function<void()> then;

 private:
  struct Named {
    RedisCommand command;
    std::string name;
  };

  static void AppendReply(const RespNode& node, std::string& words) {
    switch (node.type) {
      case RespType::kInteger:
        words += Concat(":", node.integer);
        break;
      case RespType::kArray:
        words += Concat("*", node.integer);
        break;
      case RespType::kMap:
        words += Concat("%", node.integer);
        break;
      case RespType::kError:
        words += Concat("-", node.text);
        break;
      case RespType::kNull:
        words += "_";
        break;
      default:
        words += Concat("+", node.text);
    }
  }

  void Note(const RedisCommand& command, std::string_view words) {
    for (const auto& named : commands_) {
      if (&named->command == &command) heard.push_back(Concat(named->name, ": ", words));
    }
  }

  std::vector<std::unique_ptr<Named>> commands_;
};

}  // namespace sluice
