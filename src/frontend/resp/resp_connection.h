// RespConnection: the commands of RESP about the connection and the server.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "frontend/callers.h"
#include "frontend/http/held_replies.h"
#include "frontend/resp/resp_commands.h"
#include "net/resp/resp_service.h"

namespace sluice {

// Numbers the connections of all workers. Thread safety: any thread.
struct RespClientIds {
  std::atomic<std::uint64_t> last{0};
};

// Answers PING, ECHO, HELLO, AUTH, CLIENT, COMMAND, INFO, SELECT, RESET and QUIT, as far as clients
// need them to connect, with the replies of redis.
//
// Thread safety: none; one for each worker. Ownership: the callers, ids and held replies outlive
// it.
//
// Invariants
//   (1) A connection is closed when it shows kMaxWrongPasswords wrong passwords, or another one
//       after a wrong one while HeldReplies does not let it be compared.
//   (2) A HELLO that fails changes nothing.
class RespConnection {
 public:
  static constexpr std::uint32_t kMaxWrongPasswords = 8;

  RespConnection(const Callers& callers, RespClientIds& ids, std::string_view version,
                 const HeldReplies& held)
      : callers_(callers), ids_(ids), version_(version), held_(held) {}

  enum class Outcome : std::uint8_t { kAnswered, kWrongPassword };

  // REQUIRES: the verb neither checks limits nor belongs to transactions, and takes these
  // arguments.
  Outcome Answer(RespVerb verb, RespExchange& exchange);

 private:
  void AnswerVerb(RespVerb verb, RespExchange& exchange);

  struct Login {
    std::string_view user = "default";
    std::string_view password;
  };

  static void Ping(RespExchange& exchange);
  void Hello(RespExchange& exchange);
  void TellServer(RespExchange& exchange);
  void Auth(RespExchange& exchange);
  // Returns false if it has written an error.
  [[nodiscard]] bool Authenticate(const Login& login, RespExchange& exchange) const;
  void Client(RespExchange& exchange);
  void TellClient(RespExchange& exchange);
  void Info(RespExchange& exchange) const;
  static void Select(RespExchange& exchange);
  static void Reset(RespExchange& exchange);
  std::uint64_t IdOf(RespClient& client);

  const Callers& callers_;
  RespClientIds& ids_;
  std::string version_;
  const HeldReplies& held_;
};

// Answers COMMAND and its subcommands.
void TellCommands(RespExchange& exchange);

}  // namespace sluice
