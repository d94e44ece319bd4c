#include "frontend/grpc/rls_front.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/text.h"
#include "core/limit/rate.h"
#include "frontend/grpc/rls_limit.h"
#include "gate/problem.h"

namespace sluice {
namespace {

// No limit has more than kMaxUnits, so a higher cost is refused all the same.
Cost CostOf(std::uint64_t addend) {
  return Cost{static_cast<std::int64_t>(std::min<std::uint64_t>(addend, kMaxUnits))};
}

std::string FieldName(std::size_t descriptor, std::string_view field) {
  return Concat("descriptors[", descriptor, "].", field);
}

// Returns the time until more units are available; for a refusal, until the same request would
// pass.
std::optional<Nanos> UntilReset(const Decision& decision) {
  const Nanos length = decision.allowed ? decision.reset_after : decision.retry_after;
  if (length == kNever) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(length);  // Envoy takes whole seconds
}

}  // namespace

std::optional<GrpcFault> RlsFront::ShouldRateLimit(std::string_view message, Caller& caller,
                                                   std::string& out) {
  RlsReply reply;
  auto fault = ReadRlsRequest(message, bounds_, request_);
  if (!fault) fault = Decide(request_, caller, reply);
  if (fault) {
    caller.ReportRlsError(fault->message);
    return fault;
  }
  AppendRlsReply(reply, out);
  return std::nullopt;
}

void RlsFront::RefuseTooLarge(Caller& caller, std::string& out) {
  caller.ReportRlsRefused("it is larger than `bounds.request_bytes` or `bounds.header_bytes`");
  RlsReply reply;
  reply.overall = RlsCode::kOverLimit;
  AppendRlsReply(reply, out);
}

std::optional<GrpcFault> RlsFront::Decide(const RlsRequest& request, Caller& caller,
                                          RlsReply& reply) {
  if (auto fault = ReadSets(request, caller)) return fault;
  session_.Decide({.domain = request.domain, .sets = sets_, .bad_cost = BadCost::kDenied},
                  verdict_);
  const bool is_undecided = verdict_.kind() == VerdictKind::kBadRequest;
  if (is_undecided) caller.ReportRlsRefused(verdict_.fault());
  const bool is_unknown = verdict_.kind() == VerdictKind::kUnknownDomain;
  if (is_unknown && warnings_ != nullptr) {
    ReportUnknownDomain(request.domain, *warnings_);
  }
  TellStatuses();
  if (warnings_ != nullptr) ReportBadCosts();
  const bool is_over = verdict_.kind() == VerdictKind::kRefused ||
                       verdict_.kind() == VerdictKind::kDenied || is_undecided ||
                       (is_unknown && unknown_domain_ == UnknownDomain::kRefuse);
  reply.overall = is_over ? RlsCode::kOverLimit : RlsCode::kOk;
  reply.statuses = statuses_;
  TellRefusal(reply);
  reply.dynamic_metadata = metadata_.Write(request, verdict_);
  return std::nullopt;
}

std::optional<GrpcFault> RlsFront::ReadSets(const RlsRequest& request, Caller& caller) {
  sets_.clear();
  const std::uint64_t usual = std::max<std::uint64_t>(request.addend, 1);
  for (std::size_t i = 0; i < request.descriptors.size(); ++i) {
    const RlsDescriptor& descriptor = request.descriptors[i];
    AttributeSet& set = sets_.emplace_back();
    set.attributes = request.EntriesOf(descriptor);
    const std::uint64_t addend = descriptor.addend.value_or(usual);
    set.cost = CostOf(addend);
    if (addend == 0) {
      set.purpose = Purpose::kLook;
      set.cost = Cost{1};
    } else if (descriptor.negative) {
      set.purpose = Purpose::kGiveBack;
    }
    if (!descriptor.limit && !LiftsLimits(set.purpose)) continue;
    if (!ReadLift(request, descriptor, caller, set)) {
      return GrpcFault{GrpcStatus::kInvalidArgument,
                       Concat(FieldName(i, "limit"),
                              " has a period of several units; expected one of a single unit")};
    }
  }
  return std::nullopt;
}

bool RlsFront::ReadLift(const RlsRequest& request, const RlsDescriptor& descriptor, Caller& caller,
                        AttributeSet& set) {
  const Lift lift = descriptor.limit ? Lift::kOverride : Lift::kRefund;
  const LiftedKeys keys{lift, request.domain, set.attributes};
  if (!caller.MayLift()) {
    caller.ReportIgnored(keys);
    // A peek with cost 0 passes and changes nothing.
    if (LiftsLimits(set.purpose)) {
      set.purpose = Purpose::kLook;
      set.cost = Cost{0};
    }
    return true;
  }
  if (descriptor.limit) set.limit = ReadOverride(*descriptor.limit);
  if (descriptor.limit && !set.limit) return false;
  caller.Audit(keys);
  return true;
}

void RlsFront::TellStatuses() {
  statuses_.clear();
  const bool is_undecided = verdict_.kind() == VerdictKind::kBadRequest;
  if (is_undecided || verdict_.kind() == VerdictKind::kUnknownDomain) {
    const bool is_over = is_undecided || unknown_domain_ == UnknownDomain::kRefuse;
    RlsStatus status;
    if (is_over) status.code = RlsCode::kOverLimit;
    statuses_.assign(sets_.size(), status);
    return;
  }
  for (const SetVerdict& set : verdict_.sets()) statuses_.push_back(TellSet(set));
}

void RlsFront::ReportBadCosts() const {
  for (const SetVerdict& set : verdict_.sets()) {
    if (set.bad_cost == nullptr) continue;
    ReportBadCost(set.bad_cost->name, std::get<std::string>(*set.bad_cost->cost), *warnings_);
  }
}

RlsStatus RlsFront::TellSet(const SetVerdict& set) const {
  RlsStatus status;
  status.code = set.kind == VerdictKind::kAllowed ? RlsCode::kOk : RlsCode::kOverLimit;
  const RuleDecision* nearest = verdict_.NearestOf(set);
  if (nearest == nullptr) {
    const bool is_unlimited = set.node != nullptr && set.node->spec->unlimited;
    if (is_unlimited) status.remaining = std::numeric_limits<std::uint32_t>::max();
    return status;
  }
  const Decision& decision = nearest->decision;
  status.limit = TellLimit(*nearest->limit->limit, nearest->limit->rule);
  status.remaining = CutToUint32(std::max<std::int64_t>(decision.remaining, 0));
  status.until_reset = UntilReset(decision);
  return status;
}

void RlsFront::TellRefusal(RlsReply& reply) {
  header_list_.Clear();
  WriteHeaders(headers_, verdict_, header_list_);
  body_.clear();
  if (reply.overall == RlsCode::kOverLimit) {
    WriteProblem(verdict_, body_);
    header_list_.Add("Content-Type", kProblemMediaType);
    reply.raw_body = body_;
  }
  response_headers_.clear();
  for (std::size_t i = 0; i < header_list_.size(); ++i) {
    response_headers_.push_back({header_list_[i].name, header_list_[i].value});
  }
  reply.response_headers = response_headers_;
}

}  // namespace sluice
