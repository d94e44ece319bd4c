// Caller: who sent a request, and whether it may lift limits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "frontend/callers.h"
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

  Caller(const Callers& callers, const HttpRequest& request, Protocol protocol,
         Pass pass = Pass::kFirst)
      : callers_(callers), request_(request), protocol_(protocol), pass_(pass) {}
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() = default;

  [[nodiscard]] bool MayLift();
  // Whether MayLift was asked and found an Authorization header that is wrong.
  [[nodiscard]] bool showed_wrong_credential() const { return showed_wrong_credential_; }
  // Whether a token would have helped.
  [[nodiscard]] bool can_show_token() const { return !callers_.token.empty(); }

  // REQUIRES: MayLift().
  void Audit(const LiftedKeys& keys);
  // REQUIRES: !MayLift().
  void ReportRefused(Lift lift);
  void ReportIgnored(const LiftedKeys& keys);

 private:
  template <typename Describe>
  void Warn(WarningCause cause, const Describe& describe);
  [[nodiscard]] std::string DescribeCredential() const;

  const Callers& callers_;
  const HttpRequest& request_;
  Protocol protocol_;
  Pass pass_;
  std::optional<Credential> credential_;
  bool showed_wrong_credential_ = false;
};

}  // namespace sluice
