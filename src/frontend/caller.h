// Caller: who sent a request, and whether it may lift limits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "frontend/callers.h"
#include "frontend/held_replies.h"
#include "gate/request.h"
#include "net/exchange.h"
#include "sluice/attribute.h"

namespace sluice {

enum class Lift : std::uint8_t { kRefund, kReset, kOverride };

// REQUIRES: LiftsLimits(purpose).
constexpr Lift LiftOf(Purpose purpose) {
  return purpose == Purpose::kForget ? Lift::kReset : Lift::kRefund;
}

// What a call lifts, and on which keys. Views the request.
struct LiftedKeys {
  Lift lift = Lift::kReset;
  std::string_view domain;
  std::span<const Attribute> attributes;
};

// Permission is looked up only when it is asked for, because few requests lift limits. So this
// costs other requests nothing.
//
// Thread safety: none; one for each request. Ownership: views the request.
class Caller {
 public:
  // A request whose verdict has to be waited for is answered twice and reported once.
  enum class Pass : std::uint8_t { kFirst, kSecond };

  // `held` says how many wrong credentials there were lately; null: every one is compared.
  Caller(const Callers& callers, const HttpRequest& request, Protocol protocol,
         Pass pass = Pass::kFirst, const HeldReplies* held = nullptr)
      : callers_(callers), request_(request), held_(held), protocol_(protocol), pass_(pass) {}
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() = default;

  [[nodiscard]] bool MayLift();
  // Whether MayLift was asked and found an Authorization header that is wrong.
  [[nodiscard]] bool showed_wrong_credential() const { return showed_wrong_credential_; }
  // Whether MayLift was asked and found an Authorization header that it did not compare, because
  // there were too many wrong ones lately.
  [[nodiscard]] bool was_throttled() const { return was_throttled_; }
  // Whether a token would have helped.
  [[nodiscard]] bool can_show_token() const { return !callers_.token.empty(); }

  // REQUIRES: MayLift().
  void Audit(const LiftedKeys& keys);
  // REQUIRES: !MayLift().
  void ReportRefused(Lift lift);
  void ReportIgnored(const LiftedKeys& keys);
  // An RLS call that was refused because it could not be decided, or answered with an error.
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
