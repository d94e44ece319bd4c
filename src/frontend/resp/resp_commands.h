// The commands that clients of RESP may send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "net/resp/resp_service.h"

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

// A command as COMMAND describes it.
struct RespCommandSpec {
  RespVerb verb;
  std::string_view name;  // in lower case
  int arity;              // number of arguments with the name; negative: the minimum
  std::string_view group;
  std::string_view summary;
  int key;  // index of the argument that is a key; 0: none

  [[nodiscard]] bool Takes(std::size_t arguments) const {
    const auto count = static_cast<int>(arguments);
    return arity >= 0 ? count == arity : count >= -arity;
  }
};

std::span<const RespCommandSpec> RespCommands();

// Returns the command of this name in any case; null if there is none.
const RespCommandSpec* FindRespCommand(std::string_view name);

// Write the errors that redis has for any command.
void SayUnknownCommand(RespExchange& exchange);
void SayWrongArity(RespExchange& exchange, std::string_view name);
void SayNoInteger(RespExchange& exchange);
void SaySyntaxError(RespExchange& exchange);
void SayError(RespExchange& exchange, std::string_view text);

// Returns a writer for the reply of the exchange.
inline RespWriter WriterOf(RespExchange& exchange) {
  return {exchange.client->version, exchange.reply};
}

// Reads a whole number. Returns false if the text is anything else or needs more than 64 bits.
bool ReadInteger(std::string_view text, std::int64_t& number);

}  // namespace sluice
