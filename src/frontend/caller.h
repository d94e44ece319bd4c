// Caller: who sent a request, and whether it may lift limits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "frontend/callers.h"
#include "frontend/http/held_replies.h"
#include "gate/request.h"
#include "net/http1/exchange.h"
#include "sluice/attribute.h"

namespace sluice {

enum class Lift : std::uint8_t { kRefund, kReset, kOverride };

// REQUIRES: LiftsLimits(purpose).
constexpr Lift LiftOf(Purpose purpose) {
  return purpose == Purpose::kForget ? Lift::kReset : Lift::kRefund;
}

// The operation that lifts limits, and the keys that it applies to. Views the request.
struct LiftedKeys {
  Lift lift = Lift::kReset;
  std::string_view domain;
  std::span<const Attribute> attributes;
};

// Looks up permission only when MayLift is called, so that the many requests that lift no limits do
// not pay for it.
//
// Thread safety: none; one for each request. Ownership: views the request.
class Caller {
 public:
  // A request whose verdict is pending is answered twice but reported once.
  enum class Pass : std::uint8_t { kFirst, kSecond };

  // `held` decides whether a credential is compared; null: every credential is compared.
  Caller(const Callers& callers, const HttpRequest& request, Protocol protocol,
         Pass pass = Pass::kFirst, const HeldReplies* held = nullptr)
      : callers_(callers), request_(request), held_(held), protocol_(protocol), pass_(pass) {}
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() = default;

  [[nodiscard]] bool MayLift();
  // Whether MayLift was called and found a wrong Authorization header.
  [[nodiscard]] bool showed_wrong_credential() const { return showed_wrong_credential_; }
  // Whether MayLift was called and found an Authorization header that it did not compare, because
  // there were too many wrong ones recently.
  [[nodiscard]] bool was_throttled() const { return was_throttled_; }
  // Whether a token would have helped: the server has one.
  [[nodiscard]] bool can_show_token() const { return !callers_.token.empty(); }

  // REQUIRES: MayLift().
  void Audit(const LiftedKeys& keys);
  // REQUIRES: !MayLift().
  void ReportRefused(Lift lift);
  void ReportIgnored(const LiftedKeys& keys);
  // Report an RLS call that was refused because it could not be decided, or that was answered with
  // an error.
  void ReportRlsRefused(std::string_view reason);
  void ReportRlsError(std::string_view reason);

 private:
  template <typename Describe>
  void Warn(WarningCause cause, const Describe& describe);
  [[nodiscard]] std::string DescribeCredential() const;

  const Callers& callers_;
  const HttpRequest& request_;
  const HeldReplies* held_;
  Protocol protocol_;
  Pass pass_;
  std::optional<Credential> credential_;
  bool showed_wrong_credential_ = false;
  bool was_throttled_ = false;
};

}  // namespace sluice
