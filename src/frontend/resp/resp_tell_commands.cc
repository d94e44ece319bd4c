// COMMAND: redis-cli and cluster clients send it when they connect.
#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "frontend/resp/resp_connection.h"

namespace sluice {
namespace {

// Writes ten elements as redis 7 does; the last four are empty here.
void TellInfo(const RespCommandSpec& command, RespWriter& writer) {
  writer.ArrayHeader(10);
  writer.Bulk(command.name);
  writer.Integer(command.arity);
  writer.SetHeader(1);
  writer.Simple("fast");
  writer.Integer(command.key);
  writer.Integer(command.key);
  writer.Integer(command.key == 0 ? 0 : 1);
  for (int i = 0; i < 3; ++i) writer.SetHeader(0);
  writer.ArrayHeader(0);
}

void TellDocs(const RespCommandSpec& command, RespWriter& writer) {
  writer.Bulk(command.name);
  writer.MapHeader(2);
  writer.Bulk("summary");
  writer.Bulk(command.summary);
  writer.Bulk("group");
  writer.Bulk(command.group);
}

// Describes the named commands, or all. A command that does not exist is null.
void TellInfos(std::span<const std::string_view> names, RespWriter& writer) {
  writer.ArrayHeader(names.empty() ? RespCommands().size() : names.size());
  if (names.empty()) {
    for (const RespCommandSpec& command : RespCommands()) TellInfo(command, writer);
  }
  for (const std::string_view name : names) {
    const RespCommandSpec* const command = FindRespCommand(name);
    command == nullptr ? writer.Null() : TellInfo(*command, writer);
  }
}

// Documents the named commands, or all. A command that does not exist is left out.
void TellAllDocs(std::span<const std::string_view> names, RespWriter& writer) {
  if (names.empty()) {
    writer.MapHeader(RespCommands().size());
    for (const RespCommandSpec& command : RespCommands()) TellDocs(command, writer);
    return;
  }
  const auto known = [](std::string_view name) { return FindRespCommand(name) != nullptr; };
  writer.MapHeader(static_cast<std::size_t>(std::ranges::count_if(names, known)));
  for (const std::string_view name : names) {
    const RespCommandSpec* const command = FindRespCommand(name);
    if (command != nullptr) TellDocs(*command, writer);
  }
}

}  // namespace

void TellCommands(RespExchange& exchange) {
  const std::span<const std::string_view> arguments = exchange.arguments;
  RespWriter writer = WriterOf(exchange);
  if (arguments.size() == 1) return TellInfos({}, writer);
  const std::span<const std::string_view> names = arguments.subspan(2);
  const std::string_view word = arguments[1];
  if (EqualsLower(word, "info")) return TellInfos(names, writer);
  if (EqualsLower(word, "docs")) return TellAllDocs(names, writer);
  if (EqualsLower(word, "count") && names.empty()) {
    return writer.Integer(static_cast<std::int64_t>(RespCommands().size()));
  }
  if (EqualsLower(word, "list") && names.empty()) {
    writer.ArrayHeader(RespCommands().size());
    for (const RespCommandSpec& command : RespCommands()) writer.Bulk(command.name);
    return;
  }
  SayError(exchange, Concat("unknown subcommand ", Quoted(word), ". Try COMMAND HELP."));
}

}  // namespace sluice
