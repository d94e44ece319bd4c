// CheckClient: the exchange of one question and its answer, without the connection.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/check/check_answer.h"
#include "cli/check/credentials.h"
#include "net/loop/connect.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice::cli {

// A client of one protocol. Its constructor writes the question to `output`.
//
// Thread safety: none.
class CheckClient {
 public:
  CheckClient() = default;
  CheckClient(const CheckClient&) = delete;
  CheckClient& operator=(const CheckClient&) = delete;
  virtual ~CheckClient() = default;

  // Handles bytes that were received.
  virtual void Receive(std::string_view bytes) = 0;
  // Handles the end of the connection: no more bytes will arrive.
  virtual void ReceiveEnd() = 0;

  // Returns the answer, or the reason why there will be none, as the rest of a sentence about the
  // server: "answered 404: ...". Empty while more bytes are needed.
  [[nodiscard]] const std::optional<Result<CheckAnswer>>& answer() const { return answer_; }

  // Bytes to send.
  std::string output;

 protected:
  static constexpr std::string_view kClosed = "closed the connection without an answer";

  void Answer(CheckAnswer answer) { answer_.emplace(std::move(answer)); }
  void Fail(std::string why) { answer_.emplace(Error{std::move(why)}); }

 private:
  std::optional<Result<CheckAnswer>> answer_;
};

// The reply of a Sluice server that has no rules for a domain.
inline constexpr std::string_view kNoRulesWords = "There are no rules for this domain";

// Advice about an address that answers but does not serve checks in plain text.
inline constexpr std::string_view kAdminAdvice =
    "; it is the admin address of a server, which is asked where it listens (--listen, port 8080 "
    "unless said)";
inline constexpr std::string_view kTlsAdvice =
    "; the clients of sluice speak plain text only, so ask a Unix socket of that server";

// Makes a client of POST /v1/check, /v1/peek, /v1/refund or /v1/reset.
std::unique_ptr<CheckClient> AskByHttp(const CheckQuestion& question, const Credentials& shown);
// Makes a client of Envoy's rate limit service. It calls ShouldRateLimit with the attributes as the
// entries of one descriptor.
// REQUIRES: a check.
std::unique_ptr<CheckClient> AskByRls(const CheckQuestion& question, const Credentials& shown);
// Makes a client of SLUICE.CHECK. It sends AUTH first if there is a token. REQUIRES: a check or a
// peek.
std::unique_ptr<CheckClient> AskByResp(const CheckQuestion& question, const Credentials& shown);

// Opens a connection and runs the client over it until it has its answer. The error is a whole
// sentence about the server: it cannot be reached, does not answer in time, or sends no verdict.
Result<CheckAnswer> Converse(const ServerAddress& server, CheckClient& conversation, Clock& clock,
                             Nanos timeout);

}  // namespace sluice::cli
