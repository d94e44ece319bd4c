#include "frontend/grpc/limiter_front.h"

#include <array>

#include "base/text.h"
#include "gate/problem.h"

namespace sluice {
namespace {

struct Route {
  std::string_view path;
  Purpose purpose;
};

constexpr std::array kRoutes = {
    Route{"/sluice.v1.Limiter/Check", Purpose::kTake},
    Route{"/sluice.v1.Limiter/Peek", Purpose::kLook},
    Route{"/sluice.v1.Limiter/Refund", Purpose::kGiveBack},
    Route{"/sluice.v1.Limiter/Reset", Purpose::kForget},
};

}  // namespace

void LimiterFront::AddTo(GrpcFront& calls) {
  for (const Route& route : kRoutes) {
    const Purpose purpose = route.purpose;
    calls.Add(std::string(route.path),
              [this, purpose](std::string_view message, Caller& caller,
                              std::string& out) -> std::optional<GrpcFault> {
                if (LiftsLimits(purpose) && !caller.MayLift()) {
                  caller.ReportRefused(LiftOf(purpose));
                  if (caller.was_throttled()) {
                    return GrpcFault{GrpcStatus::kResourceExhausted,
                                     "too many wrong tokens; come back in 1s"};
                  }
                  return GrpcFault{GrpcStatus::kPermissionDenied,
                                   "this lifts limits, which this caller may not do"};
                }
                return AnswerOne(message, purpose, caller, out);
              });
  }
  calls.Add("/sluice.v1.Limiter/CheckBatch",
            [this](std::string_view message, Caller& /*caller*/, std::string& out) {
              return AnswerBatch(message, out);
            });
}

std::optional<GrpcFault> LimiterFront::AnswerOne(std::string_view message, Purpose purpose,
                                                 Caller& caller, std::string& out) {
  if (auto fault = ReadLimiterCheck(message, bounds_, checks_)) return fault;
  const LimiterCheck& check = checks_.checks.front();
  if (LiftsLimits(purpose)) {
    caller.Audit({LiftOf(purpose), check.domain, checks_.AttributesOf(check)});
  }
  if (auto fault = Decide(check, purpose)) return fault;
  AppendLimiterVerdict(Tell(), out);
  return std::nullopt;
}

std::optional<GrpcFault> LimiterFront::AnswerBatch(std::string_view message, std::string& out) {
  if (auto fault = ReadLimiterBatch(message, bounds_, checks_)) return fault;
  for (const LimiterCheck& check : checks_.checks) {
    if (const auto fault = Decide(check, Purpose::kTake)) {
      AppendLimiterAnswer(*fault, out);
    } else {
      AppendLimiterAnswer(Tell(), out);
    }
  }
  return std::nullopt;
}

std::optional<GrpcFault> LimiterFront::Decide(const LimiterCheck& check, Purpose purpose) {
  const AttributeSet set{
      .attributes = checks_.AttributesOf(check), .cost = check.cost, .purpose = purpose};
  session_.Decide({check.domain, {&set, 1}}, verdict_);
  if (verdict_.kind() == VerdictKind::kBadRequest) {
    return GrpcFault{GrpcStatus::kInvalidArgument, std::string(verdict_.fault())};
  }
  if (verdict_.kind() == VerdictKind::kUnknownDomain) {
    return GrpcFault{GrpcStatus::kNotFound, Concat("unknown domain ", Quoted(check.domain))};
  }
  return std::nullopt;
}

LimiterVerdict LimiterFront::Tell() {
  decisions_.clear();
  for (const RuleDecision& each : verdict_.decisions()) {
    decisions_.push_back({each.limit->rule, each.limit->name, each.enforcement, each.decision});
  }
  LimiterVerdict told;
  told.allowed = verdict_.allowed();
  told.retry_after = verdict_.retry_after();
  told.wait = verdict_.wait();
  told.decisions = decisions_;
  told.status = static_cast<std::uint32_t>(StatusOf(verdict_));
  if (const RuleSpec* rule = verdict_.decided_by(); rule != nullptr) told.rule = rule->name;
  if (verdict_.allowed()) return told;
  const RuleDecision* nearest = verdict_.nearest();
  const RuleSpec* rule = nearest != nullptr ? nearest->rule : verdict_.decided_by();
  if (rule != nullptr) told.message = rule->message;
  return told;
}

}  // namespace sluice
