// Conversation: one question to a server and its answer, without the connection.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/check_answer.h"
#include "cli/credentials.h"
#include "net/connect.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice::cli {

// One protocol's way to ask. The question stands in the output when it is made.
//
// Thread safety: none.
class Conversation {
 public:
  Conversation() = default;
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  virtual ~Conversation() = default;

  // Takes what came.
  virtual void Receive(std::string_view bytes) = 0;
  // No more will come.
  virtual void ReceiveEnd() = 0;

  // The answer, or why there will be none, as the rest of a sentence about the server: "answered
  // 404: ...". Nothing while more has to come.
  [[nodiscard]] const std::optional<Result<CheckAnswer>>& answer() const { return answer_; }

  // What is to be sent.
  std::string output;

 protected:
  static constexpr std::string_view kClosed = "closed the connection without an answer";

  void Answer(CheckAnswer answer) { answer_.emplace(std::move(answer)); }
  void Fail(std::string why) { answer_.emplace(Error{std::move(why)}); }

 private:
  std::optional<Result<CheckAnswer>> answer_;
};

// What a server of ours answers where it has no rules for a domain.
inline constexpr std::string_view kNoRulesWords = "There are no rules for this domain";

// What is told of an address that answers but serves no checks in plain text.
inline constexpr std::string_view kAdminAdvice =
    "; it is the admin address of a server, which is asked where it listens (--listen, port 8080 "
    "unless said)";
inline constexpr std::string_view kTlsAdvice =
    "; the clients of sluice speak plain text only, so ask a Unix socket of that server";

// POST /v1/check, /v1/peek, /v1/refund or /v1/reset.
std::unique_ptr<Conversation> AskByHttp(const CheckQuestion& question, const Credentials& shown);
// ShouldRateLimit of Envoy's rate limit service, the attributes as the entries of one descriptor.
// REQUIRES: a check.
std::unique_ptr<Conversation> AskByRls(const CheckQuestion& question, const Credentials& shown);
// SLUICE.CHECK, after AUTH where there is a token. REQUIRES: a check or a peek.
std::unique_ptr<Conversation> AskByResp(const CheckQuestion& question, const Credentials& shown);

// Has the conversation over a connection of its own. The error is a whole sentence about the
// server: it cannot be reached, does not answer in time, or says no verdict.
Result<CheckAnswer> Converse(const ServerAddress& server, Conversation& conversation, Clock& clock,
                             Nanos timeout);

}  // namespace sluice::cli
