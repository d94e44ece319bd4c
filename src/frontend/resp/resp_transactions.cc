#include "frontend/resp/resp_transactions.h"

#include <cstdint>
#include <span>
#include <utility>

#include "base/text.h"

namespace sluice {
namespace {

bool MayBeQueued(RespVerb verb) {
  return verb == RespVerb::kThrottle || verb == RespVerb::kCheck || verb == RespVerb::kPing ||
         verb == RespVerb::kEcho;
}

void SayWatchIsRefused(RespExchange& exchange) {
  SayError(exchange,
           "WATCH is not supported: there are no keys to watch; leave it out, MULTI and EXEC work");
}

}  // namespace

// The commands of one EXEC while they run. Frees itself once all of them have been answered.
//
// Invariant: the parked_bytes of the EXEC are the memory of the queue, of the pending commands and
// of the replies to the others.
class RespTransactions::Batch {
 public:
  explicit Batch(RespTransactions& owner) : owner_(owner) {}

  void Begin(RespExchange& exec, std::unique_ptr<RespTransaction> queue) {
    exec_ = &exec;
    queue_ = std::move(queue);
    std::string_view rest = queue_->bytes;
    for (const std::uint32_t size : queue_->sizes) {
      arguments_.push_back(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    std::size_t first = 0;
    for (const std::uint32_t count : queue_->counts) {
      Command& command = *commands_.emplace_back(std::make_unique<Command>(*this));
      command.client = exec.client;
      command.arguments = std::span(arguments_).subspan(first, count);
      first += count;
    }
    open_ = commands_.size() + 1;
    exec.parked_bytes = sizeof(*this) + queue_->memory_bytes() +
                        arguments_.capacity() * sizeof(std::string_view) +
                        commands_.size() * (sizeof(commands_[0]) + sizeof(Command));
  }

  // Runs all commands. REQUIRES: the object is not used afterwards.
  void RunAll() {
    for (const auto& command : commands_) {
      if (owner_.run_(*command)) {
        command->Finish();
      } else {
        exec_->parked_bytes += command->parked_bytes;
      }
    }
    FinishOne();
  }

  std::size_t place = 0;  // used by ObjectPool

 private:
  class Command final : public RespExchange {
   public:
    explicit Command(Batch& batch) : batch_(batch) {}
    ~Command() = default;
    void Finish() override {
      batch_.exec_->parked_bytes += reply.capacity() - parked_bytes;
      batch_.FinishOne();
    }

   private:
    Batch& batch_;
  };

  void FinishOne() {
    if (--open_ > 0) return;
    RespExchange& exec = *exec_;
    WriterOf(exec).ArrayHeader(commands_.size());
    for (const auto& command : commands_) exec.reply += command->reply;
    exec.parked_bytes = 0;
    owner_.batches_.GiveBack(*this, ObjectPool<Batch>::Then::kFree);
    // Must be the last call, because it may serve the connection's next commands.
    exec.Finish();
  }

  RespTransactions& owner_;
  RespExchange* exec_ = nullptr;
  std::unique_ptr<RespTransaction> queue_;
  std::vector<std::string_view> arguments_;
  std::vector<std::unique_ptr<Command>> commands_;
  std::size_t open_ = 0;  // pending commands, plus one for RunAll
};

RespTransactions::RespTransactions(Run run) : run_(std::move(run)) {}

RespTransactions::~RespTransactions() = default;

void RespTransactions::AnswerOutside(RespVerb verb, RespExchange& exchange) {
  switch (verb) {
    case RespVerb::kMulti:
      exchange.client->transaction = std::make_unique<RespTransaction>();
      return WriterOf(exchange).Simple("OK");
    case RespVerb::kExec:
      return SayError(exchange, "EXEC without MULTI");
    case RespVerb::kDiscard:
      return SayError(exchange, "DISCARD without MULTI");
    case RespVerb::kWatch:
      return SayWatchIsRefused(exchange);
    default:
      return WriterOf(exchange).Simple("OK");  // UNWATCH
  }
}

RespTransactions::Answered RespTransactions::AnswerInside(const RespCommandSpec* command,
                                                          RespExchange& exchange) {
  RespClient& client = *exchange.client;
  if (command == nullptr) {
    SayUnknownCommand(exchange);
    client.transaction->is_faulty = true;
  } else if (!command->Takes(exchange.arguments.size())) {
    SayWrongArity(exchange, command->name);
    client.transaction->is_faulty = true;
  } else if (command->verb == RespVerb::kExec) {
    return Exec(exchange);
  } else if (command->verb == RespVerb::kDiscard) {
    client.transaction.reset();
    WriterOf(exchange).Simple("OK");
  } else if (command->verb == RespVerb::kMulti) {
    SayError(exchange, "MULTI calls can not be nested");
  } else if (command->verb == RespVerb::kWatch) {
    SayError(exchange, "WATCH inside MULTI is not allowed");
  } else {
    Queue(*command, exchange);
  }
  return Answered::kNow;
}

void RespTransactions::Queue(const RespCommandSpec& command, RespExchange& exchange) {
  RespTransaction& queue = *exchange.client->transaction;
  std::size_t bytes = queue.bytes.size();
  for (const std::string_view argument : exchange.arguments) bytes += argument.size();
  if (!MayBeQueued(command.verb)) {
    queue.is_faulty = true;
    return SayError(exchange, Concat("'", command.name, "' is not allowed in a transaction"));
  }
  // A faulty queue never runs, so its commands are not stored.
  if (queue.is_faulty) return WriterOf(exchange).Simple("QUEUED");
  if (queue.counts.size() == RespTransaction::kMaxCommands || bytes > RespTransaction::kMaxBytes) {
    queue = RespTransaction();
    queue.is_faulty = true;
    return SayError(exchange, Concat("a transaction has at most ", RespTransaction::kMaxCommands,
                                     " commands and ", RespTransaction::kMaxBytes, " bytes"));
  }
  for (const std::string_view argument : exchange.arguments) {
    queue.bytes += argument;
    queue.sizes.push_back(static_cast<std::uint32_t>(argument.size()));
  }
  queue.counts.push_back(static_cast<std::uint32_t>(exchange.arguments.size()));
  WriterOf(exchange).Simple("QUEUED");
}

RespTransactions::Answered RespTransactions::Exec(RespExchange& exchange) {
  std::unique_ptr<RespTransaction> queue = std::move(exchange.client->transaction);
  if (queue->is_faulty) {
    WriterOf(exchange).Error("EXECABORT", "Transaction discarded because of previous errors.");
    return Answered::kNow;
  }
  Batch& batch = batches_.Take([this] { return std::make_unique<Batch>(*this); });
  batch.Begin(exchange, std::move(queue));
  batch.RunAll();
  return Answered::kLater;
}

}  // namespace sluice
