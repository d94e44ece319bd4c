// RespConnection: what clients of redis say about their connection, and ask of the server.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "frontend/callers.h"
#include "frontend/held_replies.h"
#include "frontend/resp_commands.h"
#include "net/resp_service.h"

namespace sluice {

// Numbers connections over all workers. Thread safety: from any thread.
struct RespClientIds {
  std::atomic<std::uint64_t> last{0};
};

// PING, ECHO, HELLO, AUTH, CLIENT, COMMAND, INFO, SELECT, RESET and QUIT, as far as clients need
// them to connect, in the words of redis.
//
// Thread safety: none; one for each worker. Ownership: what it is made of outlives it.
//
// Invariants
//   (1) A connection that shows kWrongPasswordsMost wrong passwords is closed, and so is one that
//       shows another after a wrong one while HeldReplies does not let it be compared.
//   (2) A HELLO that fails changes nothing.
class RespConnection {
 public:
  static constexpr std::uint32_t kWrongPasswordsMost = 8;

  RespConnection(const Callers& callers, RespClientIds& ids, std::string_view version,
                 const HeldReplies& held)
      : callers_(callers), ids_(ids), version_(version), held_(held) {}

  enum class Outcome : std::uint8_t { kAnswered, kWrongPassword };

  // REQUIRES: the verb is none that limits or of transactions, and takes so many arguments.
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
  // False if it has said why not.
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

// COMMAND and what follows it.
void TellCommands(RespExchange& exchange);

}  // namespace sluice
