// MULTI, EXEC and DISCARD: commands that a client queues and runs together.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/object_pool.h"
#include "frontend/resp/resp_commands.h"
#include "net/resp/resp_service.h"

namespace sluice {

// Keeps the queues of connections and runs them. Clients such as redis-py wrap every pipeline in
// MULTI and EXEC unless they are configured otherwise.
//
// The commands of a transaction run in order, as if they had been sent without it: each is decided
// by itself, and other connections may be served in between.
//
// Thread safety: none; one for each worker.
//
// Invariants
//   (1) A queued command has no effect before EXEC, and none at all after DISCARD, RESET, the end
//       of the connection, or an error of another command in the queue.
//   (2) The reply to EXEC has one element per command, in order, however late the replies come.
class RespTransactions {
 public:
  // Answers a command of a queue. Returns false if it finishes the exchange later, or has done so.
  using Run = std::function<bool(RespExchange& exchange)>;

  explicit RespTransactions(Run run);
  RespTransactions(const RespTransactions&) = delete;
  RespTransactions& operator=(const RespTransactions&) = delete;
  ~RespTransactions();

  enum class Answered { kNow, kLater };

  // Answers MULTI, EXEC, DISCARD, WATCH and UNWATCH outside of a transaction.
  static void AnswerOutside(RespVerb verb, RespExchange& exchange);
  // Answers or queues a command between MULTI and EXEC; null: an unknown one. If the result is
  // kLater, this object finishes the exchange.
  // REQUIRES: a transaction; the verb is not RESET or QUIT.
  Answered AnswerInside(const RespCommandSpec* command, RespExchange& exchange);

 private:
  class Batch;

  static void Queue(const RespCommandSpec& command, RespExchange& exchange);
  Answered Exec(RespExchange& exchange);

  Run run_;
  ObjectPool<Batch> batches_;
};

}  // namespace sluice
