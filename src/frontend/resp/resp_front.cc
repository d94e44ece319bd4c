#include "frontend/resp/resp_front.h"

#include "frontend/resp/resp_commands.h"

namespace sluice {
namespace {

CheckOutcome OutcomeOf(const Decision& decision) {
  if (decision.source == Source::kOverflow) return CheckOutcome::kFailed;
  return decision.allowed ? CheckOutcome::kAllowed : CheckOutcome::kRefused;
}

// Larger commands are unusual, so their memory is freed rather than pooled.
constexpr std::size_t kBytesKept = std::size_t{16} << 10U;

bool IsCheck(RespVerb verb) { return verb == RespVerb::kThrottle || verb == RespVerb::kCheck; }

bool IsOfTransactions(RespVerb verb) {
  return verb == RespVerb::kMulti || verb == RespVerb::kExec || verb == RespVerb::kDiscard ||
         verb == RespVerb::kWatch || verb == RespVerb::kUnwatch;
}

}  // namespace

// A check that waits for its verdict, with its own copy of the arguments.
class RespFront::Parked final : public FrontSession::Waiter {
 public:
  explicit Parked(RespFront& front) : front_(front) {}

  void OnReady() override { front_.AnswerAgain(*this); }

  void Keep(std::span<const std::string_view> arguments) {
    bytes_.clear();
    views_.clear();
    for (const std::string_view argument : arguments) bytes_ += argument;
    std::string_view rest = bytes_;
    for (const std::string_view argument : arguments) {
      views_.push_back(rest.substr(0, argument.size()));
      rest.remove_prefix(argument.size());
    }
  }
  [[nodiscard]] std::span<const std::string_view> arguments() const { return views_; }
  [[nodiscard]] std::size_t bytes_kept() const { return bytes_.capacity(); }

  RespExchange* exchange = nullptr;
  Time begin{};
  std::size_t place = 0;  // used by ObjectPool

 private:
  RespFront& front_;
  std::string bytes_;
  std::vector<std::string_view> views_;
};

RespFront::RespFront(const Parts& parts)
    : clock_(parts.clock),
      meter_(parts.meter),
      session_(parts.gate, parts.way),
      throttle_(parts.gate),
      check_(session_),
      held_(parts.loop),
      connection_(parts.callers, parts.ids, parts.version, held_),
      transactions_([this](RespExchange& exchange) { return Answer(exchange) == Answered::kNow; }) {
}

RespFront::~RespFront() = default;

void RespFront::Serve(std::span<RespExchange* const> batch) {
  const Time begin = clock_.Now();
  bool closes = false;
  for (RespExchange* const exchange : batch) {
    // Replies after a closing command are never read.
    const Answered answered = closes ? Answered::kNow : Answer(*exchange);
    if (answered == Answered::kLater) continue;  // it may be finished already, and never closes
    closes = closes || exchange->closes;
    if (answered == Answered::kNow) exchange->Finish();
    if (answered == Answered::kHeld) held_.Hold([exchange] { exchange->Finish(); });
  }
  for (const Decision& decision : throttle_.Decide()) {
    meter_.AddRequest(FrontEnd::kResp, OutcomeOf(decision));
  }
  meter_.EndBatch(clock_.Now() - begin);
}

// Other commands may be answered before the queued CL.THROTTLE are decided, because neither sees
// the other: the keys of callers' limits are not those of rules.
RespFront::Answered RespFront::Answer(RespExchange& exchange) {
  const RespCommandSpec* const command = FindRespCommand(exchange.arguments[0]);
  if (exchange.client->transaction != nullptr) [[unlikely]] {
    return AnswerTransaction(command, exchange);
  }
  if (command == nullptr) {
    SayUnknownCommand(exchange);
  } else if (!command->Takes(exchange.arguments.size())) {
    SayWrongArity(exchange, command->name);
    if (IsCheck(command->verb)) meter_.AddRequest(FrontEnd::kResp, CheckOutcome::kBadRequest);
  } else if (command->verb == RespVerb::kThrottle) {
    if (throttle_.Add(exchange)) return Answered::kLater;
    meter_.AddRequest(FrontEnd::kResp, CheckOutcome::kBadRequest);
  } else if (command->verb == RespVerb::kCheck) {
    return Check(exchange);
  } else if (IsOfTransactions(command->verb)) {
    RespTransactions::AnswerOutside(command->verb, exchange);
  } else if (connection_.Answer(command->verb, exchange) ==
             RespConnection::Outcome::kWrongPassword) {
    return Answered::kHeld;
  }
  return Answered::kNow;
}

RespFront::Answered RespFront::AnswerTransaction(const RespCommandSpec* command,
                                                 RespExchange& exchange) {
  const bool ends = command != nullptr && command->Takes(exchange.arguments.size()) &&
                    (command->verb == RespVerb::kReset || command->verb == RespVerb::kQuit);
  if (ends) {
    connection_.Answer(command->verb, exchange);
    return Answered::kNow;
  }
  const bool is_later =
      transactions_.AnswerInside(command, exchange) == RespTransactions::Answered::kLater;
  return is_later ? Answered::kLater : Answered::kNow;
}

RespFront::Answered RespFront::Check(RespExchange& exchange) {
  session_.Begin(kNever);
  check_.Answer(exchange);
  if (session_.is_waiting()) {
    Park(exchange);
    return Answered::kLater;
  }
  meter_.AddRequest(FrontEnd::kResp, session_.TakeVerdictCounts());
  return Answered::kNow;
}

void RespFront::Park(RespExchange& exchange) {
  Parked& parked = parked_.Take([this] { return std::make_unique<Parked>(*this); });
  parked.Keep(exchange.arguments);
  exchange.parked_bytes = parked.bytes_kept();
  parked.exchange = &exchange;
  parked.begin = clock_.Now();
  exchange.reply.clear();
  session_.Wait(parked);
}

void RespFront::AnswerAgain(Parked& parked) {
  RespExchange& exchange = *parked.exchange;
  session_.Recall(parked);
  exchange.arguments = parked.arguments();
  check_.Answer(exchange);
  exchange.arguments = {};
  meter_.AddRequest(FrontEnd::kResp, session_.End(parked));
  meter_.EndBatch(clock_.Now() - parked.begin);
  const bool is_usual = parked.bytes_kept() <= kBytesKept;
  parked_.GiveBack(parked,
                   is_usual ? ObjectPool<Parked>::Then::kKeep : ObjectPool<Parked>::Then::kFree);
  // Must be the last call, because it may serve the connection's next commands.
  exchange.Finish();
}

}  // namespace sluice
