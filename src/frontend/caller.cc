#include "frontend/caller.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace sluice {
namespace {

// Further attributes of a key are not logged.
constexpr std::size_t kMaxLoggedAttributes = 8;

std::string_view WordOf(Lift lift) {
  constexpr std::array<std::string_view, 3> kWords = {"refund", "reset", "limit override"};
  return kWords[static_cast<std::size_t>(lift)];
}

// "domain 'api', 'user'='42', 'path'='/v1/posts'"
std::string Describe(const LiftedKeys& keys) {
  std::string text = Concat("domain ", Quoted(keys.domain));
  const std::size_t shown = std::min(keys.attributes.size(), kMaxLoggedAttributes);
  for (const Attribute& each : keys.attributes.first(shown)) {
    text += Concat(", ", Quoted(each.name), "=", Quoted(each.value));
  }
  if (shown < keys.attributes.size()) {
    text += Concat(" and ", keys.attributes.size() - shown, " more");
  }
  return text;
}

// Browsers send a header about the page that a request comes from; programs do not.
Sender SenderOf(const HttpRequest& request) {
  const bool by_page = !request.Find("origin").empty() || !request.Find("sec-fetch-site").empty();
  return by_page ? Sender::kWebPage : Sender::kProgram;
}

}  // namespace

template <typename Describe>
void Caller::Warn(WarningCause cause, const Describe& describe) {
  if (callers_.warnings == nullptr || pass_ != Pass::kFirst) return;
  callers_.warnings->Report(cause, WarningSubject(*request_.peer), describe);
}

bool Caller::MayLift() {
  if (credential_) return *credential_ != Credential::kNone;
  std::string_view authorization = request_.Find("authorization");
  const bool shows_token = !authorization.empty() && can_show_token();
  const bool is_compared = held_ == nullptr || pass_ != Pass::kFirst ||
                           held_->Compares(request_.peer->wrong_credentials);
  if (!is_compared) authorization = {};
  credential_ = callers_.Find(*request_.peer, authorization, SenderOf(request_), protocol_);
  if (*credential_ != Credential::kNone) return true;
  was_throttled_ = shows_token && !is_compared;
  showed_wrong_credential_ = shows_token && is_compared;
  if (showed_wrong_credential_) {
    ++request_.peer->wrong_credentials;
    Warn(WarningCause::kWrongCredential, [this] {
      return Concat("the token that ", DescribePeer(*request_.peer), " showed is wrong");
    });
  }
  return false;
}

std::string Caller::DescribeCredential() const {
  switch (credential_.value_or(Credential::kNone)) {
    case Credential::kToken:
      return "callers.token";
    case Credential::kCertificate: {
      const auto& shown = request_.peer->names;
      const auto name = std::ranges::find_if(shown, [this](const TlsName& each) {
        return IsAnyOf({&each, 1}, callers_.names);
      });
      return Concat("certificate ", Quoted(name->text));
    }
    case Credential::kUser:
      return "its user";
    case Credential::kLoopback:
      return "loopback";
    case Credential::kNone:
      break;
  }
  return "nothing";
}

void Caller::Audit(const LiftedKeys& keys) {
  if (callers_.audit == nullptr || pass_ != Pass::kFirst) return;
  callers_.audit->Add([&] {
    return Concat(WordOf(keys.lift), " by ", DescribePeer(*request_.peer), ", allowed by ",
                  DescribeCredential(), "; ", Describe(keys));
  });
}

void Caller::ReportRefused(Lift lift) {
  Warn(WarningCause::kLiftRefused, [&] {
    return Concat("a ", WordOf(lift), " by ", DescribePeer(*request_.peer),
                  " was refused: it has no permission (callers.* in the settings)");
  });
}

void Caller::ReportIgnored(const LiftedKeys& keys) {
  Warn(WarningCause::kLiftIgnored, [&] {
    return Concat("a ", WordOf(keys.lift), " by ", DescribePeer(*request_.peer),
                  " was ignored: it has no permission (callers.* in the settings); ",
                  Describe(keys));
  });
}

void Caller::ReportRlsRefused(std::string_view reason) {
  Warn(WarningCause::kRlsRefused, [&] {
    return Concat("an RLS call by ", DescribePeer(*request_.peer),
                  " could not be decided and was refused: ", Printable(reason));
  });
}

void Caller::ReportRlsError(std::string_view reason) {
  Warn(WarningCause::kRlsError, [&] {
    return Concat("an RLS call by ", DescribePeer(*request_.peer),
                  " was answered with an error, after which Envoy lets the request pass unless "
                  "failure_mode_deny is set: ",
                  Printable(reason));
  });
}

}  // namespace sluice
