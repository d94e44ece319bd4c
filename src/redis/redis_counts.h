// RedisCounts: counters of a Redis client, for metrics.
#pragma once

#include <array>
#include <cstddef>

#include "base/sole_writer_count.h"
#include "redis/redis_command.h"
#include "redis/redis_error.h"

namespace sluice {

// Thread safety: only the client's thread adds; any thread may read. Counters never decrease.
struct RedisCounts {
  std::array<SoleWriterCount, kRedisErrorKinds> errors;  // replies, by kind; kNone: no error
  std::array<SoleWriterCount, kRedisCauses> unsent;      // commands not sent, by cause
  std::array<SoleWriterCount, kRedisCauses> unknown;     // written but never answered, by cause
  SoleWriterCount overdue;                               // commands whose deadline passed
  SoleWriterCount late;                                  // replies that came after the deadline
  SoleWriterCount connects;                              // successful connection attempts
  SoleWriterCount connect_failures;                      // failed connection attempts
  SoleWriterCount disconnects;                           // connections that were lost
  SoleWriterCount breaker_opened;
  SoleWriterCount scripts_loaded;
  SoleWriterCount redirects;         // commands sent to another node, or resent
  SoleWriterCount refreshes;         // successful topology or Sentinel queries
  SoleWriterCount refresh_failures;  // failed topology or Sentinel queries
  SoleWriterCount primary_switches;  // times that Sentinel named a different primary

  void AddReply(RedisErrorKind kind) { errors.at(static_cast<std::size_t>(kind)).Add(1); }
  void AddUnanswered(const RedisAnswer& answer) {
    auto& causes = answer.outcome == RedisAnswer::Fate::kUnknown ? unknown : unsent;
    causes.at(static_cast<std::size_t>(answer.cause)).Add(1);
  }
};

}  // namespace sluice
