// The commands that clients of RESP may send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "net/resp_service.h"

namespace sluice {

enum class RespVerb : std::uint8_t {
  kThrottle,
  kCheck,
  kPing,
  kEcho,
  kHello,
  kAuth,
  kClient,
  kCommand,
  kInfo,
  kSelect,
  kReset,
  kQuit,
  kMulti,
  kExec,
  kDiscard,
  kWatch,
  kUnwatch,
};

// One command, as COMMAND tells of it.
struct RespCommandSpec {
  RespVerb verb;
  std::string_view name;  // in small letters
  int arity;              // arguments with the name; negative: at least so many
  std::string_view group;
  std::string_view summary;
  int key;  // which argument is a key; 0: none

  [[nodiscard]] bool Takes(std::size_t arguments) const {
    const auto count = static_cast<int>(arguments);
    return arity >= 0 ? count == arity : count >= -arity;
  }
};

std::span<const RespCommandSpec> RespCommands();

// Null where there is none of that name, in letters of any case.
const RespCommandSpec* FindRespCommand(std::string_view name);

// The errors that redis has for any command.
void SayUnknownCommand(RespExchange& exchange);
void SayWrongArity(RespExchange& exchange, std::string_view name);
void SayNoInteger(RespExchange& exchange);
void SaySyntaxError(RespExchange& exchange);
void SayError(RespExchange& exchange, std::string_view text);

// Where a command of the exchange's connection replies to.
inline RespWriter WriterOf(RespExchange& exchange) {
  return {exchange.client->version, exchange.reply};
}

// A whole number, and nothing but; false if it is none or needs more than 64 bits.
bool ReadInteger(std::string_view text, std::int64_t& number);

}  // namespace sluice
