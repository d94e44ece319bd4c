// A verdict as headers.
#pragma once

#include <cstdint>
#include <functional>

#include "core/header_list.h"
#include "core/header_profile.h"
#include "gate/verdict.h"
#include "sluice/time.h"

namespace sluice {

struct HeaderOptions {
  HeaderProfile profile = HeaderProfile::kIetf;
  // Up to so much is added to Retry-After, each time anew, so that those who were refused together
  // do not come back together.
  Nanos jitter{0};
  // Any 64 bits, each as likely. REQUIRED where there is jitter; called by whoever writes headers,
  // so from one thread if the options are.
  std::function<std::uint64_t()> draw = nullptr;
};

// Adds the headers of a verdict, made at `now`, to `out`.
//
//   ietf         RateLimit-Policy: "posts/m";q=2;w=60, "plan/s";q=50;w=1
//                RateLimit: "posts/m";r=1;t=30
//   x-ratelimit  X-RateLimit-Limit: 2, -Remaining: 1, -Reset: 30; refused: -Retry-After: 30
//   envoy        X-RateLimit-Limit: 2, 2;w=60;name="posts/m", 50;w=1;name="plan/s"; and the same
//   github       X-RateLimit-Limit: 2, -Remaining: 1, -Reset: 1700000030, -Used: 1,
//                -Resource: posts
//   openai       x-ratelimit-limit-requests: 2, -remaining-requests: 1, -reset-requests: 30s;
//                of limits with "tokens" in their name the same with -tokens
//
// All but `none` have Retry-After where the request is refused and waiting helps.
//
// Units: seconds, but milliseconds in openai; they round up. A policy is COUNT (`q`) in PERIOD
// (`w`, at least 1 s; of a calendar window the usual length). What has no number is left out.
//
// Invariants
//   (1) What is in shadow does not show.
//   (2) Limit, remaining and reset are those of the decision that speaks for the request.
//   (3) A reset of a decision that refuses is its retry_after, when more units are there; so
//       Retry-After is never earlier, and jitter only adds to it. One that passes has its
//       reset_after, when all units are there.
//   (4) `t` of RateLimit is the effective window of draft-ietf-httpapi-ratelimit-headers-11: within
//       it no more than `r` units pass. Of a request that is allowed it is the time until `r`
//       grows, and is left out where that never does, because all units are there, and where it
//       is not known. Of one that is refused it is Retry-After, jitter included.
//   (5) However many limits apply and whatever they are called, no value is longer than 3 kB, and
//       the policy that RateLimit names is among those of RateLimit-Policy.
void WriteHeaders(const HeaderOptions& options, const Verdict& verdict, HeaderList& out);

// Whether the headers of a profile say when more units are there, so that the gate has to report it
// (Gate::ReportGrowth).
[[nodiscard]] constexpr bool SaysGrowth(HeaderProfile profile) {
  return profile == HeaderProfile::kIetf;
}

// Whether the decision itself says when it has more left (UntilMore). A share of a limit and a
// state that keys share have other terms than the limit; leased units are of another time.
[[nodiscard]] bool SaysGrowth(const RuleDecision& each);

}  // namespace sluice
