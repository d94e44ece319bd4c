// RlsFront: Envoy's rate limit service over a gate.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/caller_policy.h"
#include "core/header_list.h"
#include "frontend/caller.h"
#include "frontend/front_session.h"
#include "frontend/front_warnings.h"
#include "frontend/rls_metadata.h"
#include "gate/headers.h"
#include "gate/request.h"
#include "gate/verdict.h"
#include "wire/grpc_status.h"
#include "wire/rls_messages.h"

namespace sluice {

// How it answers.
struct RlsOptions {
  RlsBounds bounds;
  DynamicMetadata metadata = DynamicMetadata::kOfRules;
  UnknownDomain unknown_domain = UnknownDomain::kPass;
  FrontWarnings* warnings = nullptr;  // null: nobody is told
};

// Answers ShouldRateLimit, one call at a time.
//
// Thread safety: none; one for each worker. Ownership: what it is made of outlives it.
//
// Invariants
//   (1) Statuses are one to one with descriptors, and never UNKNOWN, but for a call that is too
//       large to be read.
//   (2) An addend of 0 on a descriptor takes nothing and tells whether one unit would pass.
//   (3) What lifts limits (is_negative_hits, limit) is ignored and reported where the caller has no
//       permission: an error would make Envoy let everything through.
//   (4) A domain without rules is OK, without limits, or OVER_LIMIT where UnknownDomain says so; it
//       is reported as a warning.
//   (5) Nothing that a client of the proxy sends makes the call fail, because an error would make
//       Envoy let it through. A descriptor with a bad cost is OVER_LIMIT, and so is the whole call
//       if it is too large or more limits apply than can be charged together. Both are reported,
//       and so are the calls that do fail, by the configuration of the proxy.
class RlsFront {
 public:
  RlsFront(FrontSession& session, const HeaderOptions& headers, const RlsOptions& options)
      : session_(session),
        headers_(headers),
        bounds_(options.bounds),
        metadata_(options.metadata),
        unknown_domain_(options.unknown_domain),
        warnings_(options.warnings) {}

  // Appends the reply to a message, or says why there is none.
  std::optional<GrpcFault> ShouldRateLimit(std::string_view message, Caller& caller,
                                           std::string& out);

  // Appends the reply to a call that is too large to be read: OVER_LIMIT without statuses.
  static void RefuseTooLarge(Caller& caller, std::string& out);

  // Decides a request that was read from elsewhere. The reply views it and this front, until the
  // next call.
  std::optional<GrpcFault> Decide(const RlsRequest& request, Caller& caller, RlsReply& reply);

 private:
  // Makes sets_ of the descriptors.
  std::optional<GrpcFault> ReadSets(const RlsRequest& request, Caller& caller);
  // Handles what lifts limits in a descriptor. False if the limit that it brings is no good.
  static bool ReadLift(const RlsRequest& request, const RlsDescriptor& descriptor, Caller& caller,
                       AttributeSet& set);
  void TellStatuses();
  void ReportBadCosts() const;
  [[nodiscard]] RlsStatus TellSet(const SetVerdict& set) const;
  // Headers to add and, where the call is refused, what its caller is told.
  void TellRefusal(RlsReply& reply);

  FrontSession& session_;
  const HeaderOptions& headers_;
  RlsBounds bounds_;
  RlsMetadata metadata_;
  UnknownDomain unknown_domain_;
  FrontWarnings* warnings_;
  RlsRequest request_;
  std::vector<AttributeSet> sets_;
  Verdict verdict_;
  std::vector<RlsStatus> statuses_;
  HeaderList header_list_;
  std::vector<Attribute> response_headers_;
  std::string body_;
};

}  // namespace sluice
