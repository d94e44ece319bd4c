// WriteHeaders: writes a verdict as HTTP headers.
#pragma once

#include <cstdint>
#include <functional>

#include "base/header_list.h"
#include "core/header_profile.h"
#include "gate/verdict.h"
#include "sluice/time.h"

namespace sluice {

struct HeaderOptions {
  HeaderProfile profile = HeaderProfile::kIetf;
  // The maximum random delay that is added to each Retry-After, so that clients that were refused
  // together do not all retry together.
  Nanos jitter{0};
  // Returns 64 uniformly random bits. REQUIRED if there is jitter. Called on the thread that writes
  // headers.
  std::function<std::uint64_t()> draw = nullptr;
};

// Appends the headers of a verdict to `out`.
//
//   ietf         RateLimit-Policy: "posts/m";q=2;w=60, "plan/s";q=50;w=1
//                RateLimit: "posts/m";r=1;t=30
//   x-ratelimit  X-RateLimit-Limit: 2, -Remaining: 1, -Reset: 30; refused: -Retry-After: 30
//   envoy        X-RateLimit-Limit: 2, 2;w=60;name="posts/m", 50;w=1;name="plan/s"; and the same
//   github       X-RateLimit-Limit: 2, -Remaining: 1, -Reset: 1700000030, -Used: 1,
//                -Resource: posts
//   openai       x-ratelimit-limit-requests: 2, -remaining-requests: 1, -reset-requests: 30s;
//                for limits with "tokens" in their name, -tokens instead of -requests
//
// All profiles except `none` write Retry-After if the request is refused and waiting helps.
//
// Units: seconds, except milliseconds in openai; rounded up. A policy is COUNT (`q`) per PERIOD
// (`w`, at least 1 s; for a calendar window its usual length). Unknown numbers are left out.
//
// Invariants
//   (1) Decisions in shadow are not shown.
//   (2) Limit, remaining and reset are those of the decision nearest to a refusal.
//   (3) The reset of a decision that refuses is its retry_after, when more units are available;
//       therefore Retry-After is never earlier, and jitter only adds to it. The reset of a decision
//       that passes is its reset_after, when all units are available.
//   (4) `t` of RateLimit is the effective window of draft-ietf-httpapi-ratelimit-headers-11: within
//       it no more than `r` units pass. For an allowed request it is the time until `r` grows; it
//       is left out if all units are available or the time is not known. For a refused request it
//       is Retry-After, jitter included.
//   (5) However many limits apply and whatever their names are, no value is longer than 3 kB, and
//       the policy that RateLimit names is among those of RateLimit-Policy.
void WriteHeaders(const HeaderOptions& options, const Verdict& verdict, HeaderList& out);

// Whether the headers of a profile report when more units are available, so that the gate has to
// report it (Gate::ReportGrowth).
[[nodiscard]] constexpr bool SaysGrowth(HeaderProfile profile) {
  return profile == HeaderProfile::kIetf;
}

// Whether the decision itself shows when more units will be left (UntilMore). Not for shares and
// shared states, whose terms differ from the limit's, nor for leased units, which were taken at
// another time.
[[nodiscard]] bool SaysGrowth(const RuleDecision& each);

}  // namespace sluice
