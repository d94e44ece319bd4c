#include "frontend/resp/resp_connection.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "base/text.h"

namespace sluice {
namespace {

// Clients decide by this version which commands they may send.
constexpr std::string_view kRedisVersion = "7.2.0";

// As in redis: names consist of characters that CLIENT INFO can show on one line.
bool IsClientName(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
}

void SayBadName(RespExchange& exchange) {
  SayError(exchange, "Client names cannot contain spaces, newlines or special characters.");
}

void SayOk(RespExchange& exchange) { WriterOf(exchange).Simple("OK"); }

}  // namespace

RespConnection::Outcome RespConnection::Answer(RespVerb verb, RespExchange& exchange) {
  const std::uint32_t wrong_before = exchange.client->wrong_passwords;
  AnswerVerb(verb, exchange);
  return exchange.client->wrong_passwords == wrong_before ? Outcome::kAnswered
                                                          : Outcome::kWrongPassword;
}

void RespConnection::AnswerVerb(RespVerb verb, RespExchange& exchange) {
  switch (verb) {
    case RespVerb::kPing:
      return Ping(exchange);
    case RespVerb::kEcho:
      return WriterOf(exchange).Bulk(exchange.arguments[1]);
    case RespVerb::kHello:
      return Hello(exchange);
    case RespVerb::kAuth:
      return Auth(exchange);
    case RespVerb::kClient:
      return Client(exchange);
    case RespVerb::kCommand:
      return TellCommands(exchange);
    case RespVerb::kInfo:
      return Info(exchange);
    case RespVerb::kSelect:
      return Select(exchange);
    case RespVerb::kReset:
      return Reset(exchange);
    case RespVerb::kQuit:
      exchange.closes = true;
      return SayOk(exchange);
    case RespVerb::kThrottle:
    case RespVerb::kCheck:
    case RespVerb::kMulti:
    case RespVerb::kExec:
    case RespVerb::kDiscard:
    case RespVerb::kWatch:
    case RespVerb::kUnwatch:
      break;
  }
}

void RespConnection::Ping(RespExchange& exchange) {
  if (exchange.arguments.size() > 2) return SayWrongArity(exchange, "ping");
  if (exchange.arguments.size() == 2) return WriterOf(exchange).Bulk(exchange.arguments[1]);
  WriterOf(exchange).Simple("PONG");
}

bool RespConnection::Authenticate(const Login& login, RespExchange& exchange) const {
  RespClient& client = *exchange.client;
  if (!held_.Compares(client.wrong_passwords)) {
    SayError(exchange, "too many wrong passwords; come back in 1s");
    exchange.closes = true;
    return false;
  }
  if (login.user == "default" && callers_.IsToken(login.password)) return true;
  WriterOf(exchange).Error("WRONGPASS", "invalid username-password pair or user is disabled.");
  exchange.closes = ++client.wrong_passwords >= kMaxWrongPasswords;
  if (callers_.warnings != nullptr) {
    callers_.warnings->Report(
        WarningCause::kWrongCredential, WarningSubject(*client.peer), [&client] {
          return Concat("the password that ", DescribePeer(*client.peer), " showed is wrong");
        });
  }
  return false;
}

void RespConnection::Auth(RespExchange& exchange) {
  const std::span<const std::string_view> arguments = exchange.arguments;
  if (arguments.size() > 3) return SaySyntaxError(exchange);
  if (callers_.token.empty() && arguments.size() == 2) {
    return SayError(exchange,
                    "AUTH <password> called without any password configured for the default user. "
                    "Are you sure your configuration is correct?");
  }
  const Login login =
      arguments.size() == 2 ? Login{.password = arguments[1]} : Login{arguments[1], arguments[2]};
  if (Authenticate(login, exchange)) SayOk(exchange);
}

void RespConnection::Hello(RespExchange& exchange) {
  std::span<const std::string_view> rest = exchange.arguments.subspan(1);
  RespVersion version = exchange.client->version;
  if (!rest.empty()) {
    std::int64_t number = 0;
    if (!ReadInteger(rest[0], number)) {
      return SayError(exchange, "Protocol version is not an integer or out of range");
    }
    if (number != 2 && number != 3) {
      return WriterOf(exchange).Error("NOPROTO", "unsupported protocol version");
    }
    version = number == 3 ? RespVersion::k3 : RespVersion::k2;
    rest = rest.subspan(1);
  }
  std::optional<Login> login;
  std::optional<std::string_view> name;
  while (!rest.empty()) {
    if (EqualsLower(rest[0], "auth") && rest.size() > 2) {
      login = {rest[1], rest[2]};
      rest = rest.subspan(3);
    } else if (EqualsLower(rest[0], "setname") && rest.size() > 1) {
      name = rest[1];
      rest = rest.subspan(2);
    } else {
      return SayError(exchange, Concat("Syntax error in HELLO option ", Quoted(rest[0])));
    }
  }
  if (name && !IsClientName(*name)) return SayBadName(exchange);
  if (login && !Authenticate(*login, exchange)) return;
  if (name) exchange.client->name = *name;
  exchange.client->version = version;
  TellServer(exchange);
}

void RespConnection::TellServer(RespExchange& exchange) {
  RespWriter writer = WriterOf(exchange);
  const auto pair = [&writer](std::string_view name, std::string_view text) {
    writer.Bulk(name);
    writer.Bulk(text);
  };
  writer.MapHeader(7);
  pair("server", "sluice");
  pair("version", version_);
  writer.Bulk("proto");
  writer.Integer(exchange.client->version == RespVersion::k3 ? 3 : 2);
  writer.Bulk("id");
  writer.Integer(static_cast<std::int64_t>(IdOf(*exchange.client)));
  pair("mode", "standalone");
  pair("role", "master");
  writer.Bulk("modules");
  writer.ArrayHeader(0);
}

std::uint64_t RespConnection::IdOf(RespClient& client) {
  if (client.id == 0) client.id = ids_.last.fetch_add(1, std::memory_order_relaxed) + 1;
  return client.id;
}

void RespConnection::Client(RespExchange& exchange) {
  const std::span<const std::string_view> arguments = exchange.arguments;
  const auto asks = [&arguments](std::string_view word, std::size_t count) {
    return EqualsLower(arguments[1], word) && arguments.size() == count;
  };
  if (asks("id", 2)) {
    return WriterOf(exchange).Integer(static_cast<std::int64_t>(IdOf(*exchange.client)));
  }
  if (asks("info", 2)) return TellClient(exchange);
  if (asks("getname", 2)) {
    const std::string& name = exchange.client->name;
    return name.empty() ? WriterOf(exchange).Null() : WriterOf(exchange).Bulk(name);
  }
  if (asks("setname", 3)) {
    if (!IsClientName(arguments[2])) return SayBadName(exchange);
    exchange.client->name = arguments[2];
    return SayOk(exchange);
  }
  // These options have no meaning here.
  if (asks("setinfo", 4) || asks("no-evict", 3) || asks("no-touch", 3)) return SayOk(exchange);
  constexpr std::array kKnown = {"id",      "info",     "getname", "setname",
                                 "setinfo", "no-evict", "no-touch"};
  for (const std::string_view word : kKnown) {
    if (EqualsLower(arguments[1], word)) return SayWrongArity(exchange, Concat("client|", word));
  }
  SayError(exchange, Concat("unknown subcommand ", Quoted(arguments[1]), ". Try CLIENT HELP."));
}

void RespConnection::TellClient(RespExchange& exchange) {
  const RespClient& client = *exchange.client;
  const int version = client.version == RespVersion::k3 ? 3 : 2;
  WriterOf(exchange).Bulk(Concat("id=", IdOf(*exchange.client), " addr=", client.peer->address, ":",
                                 client.peer->port, " name=", client.name, " db=0 resp=", version,
                                 "\n"));
}

void RespConnection::Info(RespExchange& exchange) const {
  struct Section {
    std::string_view name;
    std::string text;
  };
  const std::array sections = {
      Section{"server", Concat("# Server\r\nredis_version:", kRedisVersion,
                               "\r\nsluice_version:", version_, "\r\nredis_mode:standalone\r\n")},
      Section{"persistence", "# Persistence\r\nloading:0\r\n"},
      Section{"replication", "# Replication\r\nrole:master\r\nconnected_slaves:0\r\n"},
  };
  const std::span<const std::string_view> asked = exchange.arguments.subspan(1);
  const auto wants = [&asked](std::string_view section) {
    return asked.empty() || std::ranges::any_of(asked, [section](std::string_view word) {
             return EqualsLower(word, section) || EqualsLower(word, "all") ||
                    EqualsLower(word, "default") || EqualsLower(word, "everything");
           });
  };
  std::string text;
  for (const Section& section : sections) {
    if (!wants(section.name)) continue;
    if (!text.empty()) text += "\r\n";
    text += section.text;
  }
  WriterOf(exchange).Bulk(text);
}

void RespConnection::Select(RespExchange& exchange) {
  std::int64_t number = 0;
  if (!ReadInteger(exchange.arguments[1], number)) return SayNoInteger(exchange);
  if (number != 0) return SayError(exchange, "DB index is out of range");
  SayOk(exchange);
}

void RespConnection::Reset(RespExchange& exchange) {
  RespClient& client = *exchange.client;
  client.version = RespVersion::k2;
  client.name.clear();
  client.transaction.reset();
  WriterOf(exchange).Simple("RESET");
}

}  // namespace sluice
