// RlsFront: Envoy's rate limit service over a gate.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/header_list.h"
#include "core/caller_policy.h"
#include "frontend/caller.h"
#include "frontend/front_session.h"
#include "frontend/front_warnings.h"
#include "frontend/grpc/rls_metadata.h"
#include "gate/headers.h"
#include "gate/request.h"
#include "gate/verdict.h"
#include "wire/grpc/grpc_status.h"
#include "wire/grpc/rls_messages.h"

namespace sluice {

// The options of RlsFront.
struct RlsOptions {
  RlsBounds bounds;
  DynamicMetadata metadata = DynamicMetadata::kOfRules;
  UnknownDomain unknown_domain = UnknownDomain::kPass;
  FrontWarnings* warnings = nullptr;  // null: no warnings
};

// Answers ShouldRateLimit, one call at a time.
//
// Thread safety: none; one for each worker. Ownership: the session, headers and warnings outlive
// it.
//
// Invariants
//   (1) Statuses match descriptors one to one and are never UNKNOWN, except for a call that is too
//       large to be read.
//   (2) An addend of 0 on a descriptor takes nothing and reports whether one unit would pass.
//   (3) Fields that lift limits (is_negative_hits, limit) are ignored and reported if the caller
//       has no permission, because an error would make Envoy pass everything.
//   (4) A domain without rules is OK, without limits, or OVER_LIMIT if UnknownDomain demands it. It
//       is reported as a warning.
//   (5) Nothing that a client of the proxy sends makes the call fail, because an error would make
//       Envoy pass it. A descriptor with a bad cost is OVER_LIMIT, and so is the whole call if it
//       is too large or if more limits apply than can be charged together. Both are reported, and
//       so are the calls that do fail, because of the proxy's configuration.
class RlsFront {
 public:
  RlsFront(FrontSession& session, const HeaderOptions& headers, const RlsOptions& options)
      : session_(session),
        headers_(headers),
        bounds_(options.bounds),
        metadata_(options.metadata),
        unknown_domain_(options.unknown_domain),
        warnings_(options.warnings) {}

  // Appends the reply to a message, or returns why there is none.
  std::optional<GrpcFault> ShouldRateLimit(std::string_view message, Caller& caller,
                                           std::string& out);

  // Appends the reply to a call that is too large to be read: OVER_LIMIT without statuses.
  static void RefuseTooLarge(Caller& caller, std::string& out);

  // Decides a request that was read by another front end. The reply views the request and this
  // object until the next call.
  std::optional<GrpcFault> Decide(const RlsRequest& request, Caller& caller, RlsReply& reply);

 private:
  // Fills sets_ from the descriptors.
  std::optional<GrpcFault> ReadSets(const RlsRequest& request, Caller& caller);
  // Handles the fields of a descriptor that lift limits. Returns false if its limit is invalid.
  static bool ReadLift(const RlsRequest& request, const RlsDescriptor& descriptor, Caller& caller,
                       AttributeSet& set);
  void TellStatuses();
  void ReportBadCosts() const;
  [[nodiscard]] RlsStatus TellSet(const SetVerdict& set) const;
  // Writes the headers to add and, if the call is refused, the body for the client.
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
