// RedisCounts: what a client of redis has seen.
#pragma once

#include <array>
#include <cstddef>

#include "core/sole_writer_count.h"
#include "remote/redis_command.h"
#include "remote/redis_error.h"

namespace sluice {

// Thread safety: the client's thread adds, any reads. Numbers never go down.
struct RedisCounts {
  std::array<SoleWriterCount, kRedisErrorKinds> errors;  // replies, by kind; kNone: good ones
  std::array<SoleWriterCount, kRedisCauses> unsent;      // by cause
  std::array<SoleWriterCount, kRedisCauses> unknown;     // written, and never answered
  SoleWriterCount overdue;                               // deadlines that passed
  SoleWriterCount late;                                  // replies after that
  SoleWriterCount connects;                              // connections that were opened
  SoleWriterCount connect_failures;                      // that were not
  SoleWriterCount disconnects;                           // that broke
  SoleWriterCount breaker_opened;
  SoleWriterCount scripts_loaded;
  SoleWriterCount redirects;         // commands sent to another node, or again
  SoleWriterCount refreshes;         // a cluster or sentinels said which servers are to be asked
  SoleWriterCount refresh_failures;  // they did not
  SoleWriterCount primary_switches;  // sentinels named another

  void AddReply(RedisErrorKind kind) { errors.at(static_cast<std::size_t>(kind)).Add(1); }
  void AddUnanswered(const RedisAnswer& answer) {
    auto& causes = answer.fate == RedisAnswer::Fate::kUnknown ? unknown : unsent;
    causes.at(static_cast<std::size_t>(answer.cause)).Add(1);
  }
};

}  // namespace sluice
