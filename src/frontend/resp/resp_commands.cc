#include "frontend/resp/resp_commands.h"

#include <array>
#include <charconv>

#include "base/ascii.h"
#include "base/text.h"

namespace sluice {
namespace {

// The most frequent command comes first.
constexpr std::array kCommands = {
    RespCommandSpec{RespVerb::kThrottle, "cl.throttle", -5, "limit",
                    "Takes units of a key under the terms that are given, as redis-cell does.", 1},
    RespCommandSpec{RespVerb::kCheck, "sluice.check", -2, "limit",
                    "Decides a request by the rules of a domain.", 0},
    RespCommandSpec{RespVerb::kPing, "ping", -1, "connection", "Replies PONG, or what it is told.",
                    0},
    RespCommandSpec{RespVerb::kEcho, "echo", 2, "connection", "Replies what it is told.", 0},
    RespCommandSpec{RespVerb::kHello, "hello", -1, "connection",
                    "Chooses the protocol and tells of the server.", 0},
    RespCommandSpec{RespVerb::kAuth, "auth", -2, "connection", "Shows the token of callers.", 0},
    RespCommandSpec{RespVerb::kClient, "client", -2, "connection", "Names the connection.", 0},
    RespCommandSpec{RespVerb::kCommand, "command", -1, "server", "Tells of the commands.", 0},
    RespCommandSpec{RespVerb::kInfo, "info", -1, "server", "Tells of the server.", 0},
    RespCommandSpec{RespVerb::kSelect, "select", 2, "connection", "There is one database, 0.", 0},
    RespCommandSpec{RespVerb::kReset, "reset", 1, "connection",
                    "Makes the connection as if it were new.", 0},
    RespCommandSpec{RespVerb::kQuit, "quit", -1, "connection", "Closes the connection.", 0},
    RespCommandSpec{RespVerb::kMulti, "multi", 1, "transactions",
                    "Queues the commands that follow.", 0},
    RespCommandSpec{RespVerb::kExec, "exec", 1, "transactions", "Runs the commands of the queue.",
                    0},
    RespCommandSpec{RespVerb::kDiscard, "discard", 1, "transactions",
                    "Drops the commands of the queue.", 0},
    RespCommandSpec{RespVerb::kWatch, "watch", -2, "transactions", "Is refused: no key changes.",
                    0},
    RespCommandSpec{RespVerb::kUnwatch, "unwatch", 1, "transactions", "Does nothing.", 0},
};

// The maximum number of bytes of a command that an error repeats.
constexpr std::size_t kMaxTold = 128;

}  // namespace

std::span<const RespCommandSpec> RespCommands() { return kCommands; }

const RespCommandSpec* FindRespCommand(std::string_view name) {
  for (const RespCommandSpec& command : kCommands) {
    if (EqualsLower(name, command.name)) return &command;
  }
  return nullptr;
}

void SayError(RespExchange& exchange, std::string_view text) {
  WriterOf(exchange).Error("ERR", text);
}

void SayUnknownCommand(RespExchange& exchange) {
  const std::span<const std::string_view> arguments = exchange.arguments;
  std::string text = Concat("unknown command '", arguments[0].substr(0, kMaxTold),
                            "', with args beginning with: ");
  std::size_t told = 0;
  for (const std::string_view argument : arguments.subspan(1)) {
    if (told >= kMaxTold) break;
    const std::string_view part = argument.substr(0, kMaxTold - told);
    text.append("'").append(part).append("' ");
    told += part.size() + 3;
  }
  SayError(exchange, text);
}

void SayWrongArity(RespExchange& exchange, std::string_view name) {
  SayError(exchange, Concat("wrong number of arguments for '", name, "' command"));
}

void SayNoInteger(RespExchange& exchange) {
  SayError(exchange, "value is not an integer or out of range");
}

void SaySyntaxError(RespExchange& exchange) { SayError(exchange, "syntax error"); }

bool ReadInteger(std::string_view text, std::int64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stopped == end;
}

}  // namespace sluice
