#include "redis/redis_command.h"

#include <array>

#include "base/text.h"

namespace sluice {
namespace {

// Indexed by RedisAnswer::Cause.
constexpr std::array<std::string_view, kRedisCauses> kNames = {
    "none",    "full",   "overdue", "not_connected", "resting",
    "no_node", "broken", "fault",   "silent",        "closed",
};

}  // namespace

std::string_view NameOf(RedisAnswer::Cause cause) {
  return kNames.at(static_cast<std::size_t>(cause));
}

void AppendRedisCommand(std::span<const std::string_view> words, std::string& bytes) {
  AppendPart("*", bytes);
  AppendPart(words.size(), bytes);
  AppendPart("\r\n", bytes);
  for (const std::string_view word : words) {
    AppendPart("$", bytes);
    AppendPart(word.size(), bytes);
    AppendPart("\r\n", bytes);
    AppendPart(word, bytes);
    AppendPart("\r\n", bytes);
  }
}

void AppendRedisCommand(std::initializer_list<std::string_view> words, std::string& bytes) {
  AppendRedisCommand(std::span(words.begin(), words.size()), bytes);
}

}  // namespace sluice
