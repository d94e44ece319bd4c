// Checks over HTTP: POST /v1/check, /v1/peek, /v1/refund or /v1/reset.
#include <string>
#include <utility>
#include <variant>

#include "base/decimal.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/value.h"
#include "cli/check/check_client.h"
#include "config/syntax/json.h"
#include "console/json_text.h"
#include "wire/http1/http1_reply.h"

namespace sluice::cli {
namespace {

constexpr int kOk = 200;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kMethodNotAllowed = 405;
constexpr int kTooManyRequests = 429;
constexpr int kUnavailable = 503;

std::string BodyOf(const CheckQuestion& question) {
  std::string attributes;
  for (const Attribute& attribute : question.attributes) {
    attributes += Concat(attributes.empty() ? "" : ",", JsonString(attribute.name), ":",
                         JsonString(attribute.value));
  }
  return Concat(R"({"domain":)", JsonString(question.domain), R"(,"attributes":{)", attributes,
                R"(},"cost":)", question.cost.units, "}");
}

// Readers of a reply's members. A member that is missing or of another type counts as not reported.

std::string TextIn(const Value& reply, std::string_view key) {
  const Value* const value = reply.Find(key);
  const std::string* const text = value == nullptr ? nullptr : value->AsString();
  return text == nullptr ? std::string() : *text;
}

std::optional<bool> BooleanIn(const Value& reply, std::string_view key) {
  const Value* const value = reply.Find(key);
  const bool* const boolean = value == nullptr ? nullptr : value->AsBoolean();
  return boolean == nullptr ? std::nullopt : std::optional(*boolean);
}

std::optional<std::int64_t> NumberIn(const Value& reply, std::string_view key) {
  const Value* const value = reply.Find(key);
  const std::string* const text = value == nullptr ? nullptr : value->AsNumber();
  if (text == nullptr) return std::nullopt;
  const auto number = ReadWhole(*text);
  const auto* const whole = std::get_if<std::int64_t>(&number);
  return whole == nullptr ? std::nullopt : std::optional(*whole);
}

// Reads milliseconds, or "never".
std::optional<Nanos> LengthIn(const Value& reply, std::string_view key) {
  if (TextIn(reply, key) == "never") return kNever;
  const std::optional<std::int64_t> millis = NumberIn(reply, key);
  if (!millis || *millis > kLongestSpan / std::chrono::milliseconds{1}) return std::nullopt;
  return std::chrono::milliseconds{*millis};
}

AnsweredLimit LimitIn(const Value& decision) {
  return {.rule = TextIn(decision, "rule"),
          .limit = TextIn(decision, "name"),
          .mode = TextIn(decision, "mode"),
          .allowed = BooleanIn(decision, "allowed").value_or(true),
          .units = NumberIn(decision, "limit"),
          .remaining = NumberIn(decision, "remaining"),
          .retry_after = LengthIn(decision, "retry_after_ms"),
          .reset_after = LengthIn(decision, "reset_after_ms")};
}

// Returns the first line of a text that a person can read; empty for a page of HTML.
std::string FirstLine(std::string_view body) {
  constexpr std::size_t kMaxBytes = 200;
  const std::string_view line = body.substr(0, body.find_first_of("\r\n"));
  const bool is_text = line.size() <= kMaxBytes && IsUtf8(line) && !line.starts_with('<');
  return is_text ? std::string(line) : std::string();
}

CheckAnswer AnswerIn(const Value& reply) {
  CheckAnswer answer{.retry_after = LengthIn(reply, "retry_after_ms"),
                     .wait = LengthIn(reply, "wait_ms").value_or(Nanos{0}),
                     .words = TextIn(reply, "detail")};
  const Value* const decisions = reply.Find("decisions");
  const Value::List* const list = decisions == nullptr ? nullptr : decisions->AsList();
  if (list == nullptr) return answer;
  for (const Value& decision : *list) answer.limits.push_back(LimitIn(decision));
  return answer;
}

class HttpConversation final : public CheckClient {
 public:
  HttpConversation(const CheckQuestion& question, const Credentials& shown)
      : call_(question.call), shows_token_(!shown.token.empty()) {
    const std::string body = BodyOf(question);
    const bool is_local = question.server.starts_with("unix:");
    output = Concat("POST /v1/", NameOf(question.call),
                    " HTTP/1.1\r\nHost: ", is_local ? "localhost" : question.server,
                    "\r\nContent-Type: application/json\r\nContent-Length: ", body.size(),
                    "\r\nConnection: close\r\n", HeaderLines(shown.headers), "\r\n", body);
  }

  void Receive(std::string_view bytes) override {
    unread_ += bytes;
    Take(reader_.Read(unread_));
  }

  void ReceiveEnd() override {
    Take(reader_.ReadEnd(unread_));
    if (!answer()) Fail(std::string(kClosed));
  }

 private:
  void Take(const Http1ReplyRead& read) {
    if (read.state == ReadState::kFault) {
      Fail(Concat("does not speak HTTP/1: its reply ", read.fault));
    }
    if (read.state == ReadState::kWhole) ReadReply(reader_.reply());
  }

  // A reply is a refusal by its status 429, which any server may send, or by our member "allowed"
  // if the rule has a status of its own. A request passes only by "allowed", because any web server
  // replies 200.
  void ReadReply(const Http1Reply& reply) {
    const auto read = ReadJson(reply.body);
    const Value* const value = std::get_if<Value>(&read);
    const Value nothing;
    const Value& body = value != nullptr ? *value : nothing;
    const std::optional<bool> allowed = BooleanIn(body, "allowed");
    const bool may_refuse = reply.status == kForbidden || reply.status == kUnavailable;
    const bool refuses =
        reply.status == kTooManyRequests || (may_refuse && allowed.has_value() && !*allowed);
    if (reply.status != kOk && !refuses) {
      const std::string_view advice = Advice(reply);
      std::string words = value != nullptr ? TextIn(body, "detail") : FirstLine(reply.body);
      if (advice == kAdminAdvice) words.clear();
      if (!advice.empty() && words.ends_with('.')) words.pop_back();
      return Fail(
          Concat("answered ", reply.status, words.empty() ? "" : ": ", Printable(words), advice));
    }
    if (!refuses && !allowed) {
      return Fail(Concat("answered /v1/", NameOf(call_), " with something else; is it sluice?"));
    }
    CheckAnswer answer = AnswerIn(body);
    answer.allowed = !refuses && *allowed;
    Answer(std::move(answer));
  }

  // Returns what to do about a reply that is no verdict.
  [[nodiscard]] std::string_view Advice(const Http1Reply& reply) const {
    const bool lacks_permission = reply.status == kUnauthorized || reply.status == kForbidden;
    if (lacks_permission && LiftsLimits(call_)) {
      return shows_token_
                 ? "; the token of --token-file is not that of 'callers'"
                 : "; show the token of 'callers' by --token-file, or ask over a Unix socket";
    }
    if (reply.status == kMethodNotAllowed && reply.body == kAdminWords) return kAdminAdvice;
    return reply.body.starts_with(kTlsWords) ? kTlsAdvice : "";
  }

  static constexpr std::string_view kAdminWords = "expected GET\n";
  static constexpr std::string_view kTlsWords = "this port speaks TLS";

  CheckCall call_;
  bool shows_token_;
  std::string unread_;
  Http1ReplyReader reader_{{}};
};

}  // namespace

std::unique_ptr<CheckClient> AskByHttp(const CheckQuestion& question, const Credentials& shown) {
  return std::make_unique<HttpConversation>(question, shown);
}

}  // namespace sluice::cli
