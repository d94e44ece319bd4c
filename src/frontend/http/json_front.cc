#include "frontend/http/json_front.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/text.h"
#include "frontend/http/http_problem.h"
#include "gate/problem.h"
#include "gate/verdict_json.h"

namespace sluice {
namespace {

constexpr std::string_view kMediaType = "application/json";

struct Route {
  std::string_view path;
  Purpose purpose;
};

constexpr std::array kRoutes = {
    Route{"/v1/check", Purpose::kTake},
    Route{"/v1/peek", Purpose::kLook},
    Route{"/v1/refund", Purpose::kGiveBack},
    Route{"/v1/reset", Purpose::kForget},
};

bool IsJson(std::string_view content_type) {
  return EqualsLower(TrimBlanks(TakeUntil(';', content_type)), kMediaType);
}

void ReplyNoPermission(const Caller& caller, HttpReply& reply) {
  if (caller.was_throttled()) {
    ReplyProblem({429,
                  "There were too many wrong tokens, one of them over this connection, so this one "
                  "was not looked at; come back in 1s."},
                 reply);
    reply.headers.Add("Retry-After", "1");
    return;
  }
  const int status = caller.can_show_token() ? 401 : 403;
  ReplyProblem(
      {status,
       "This lifts limits, for which this caller has no permission: it needs a bearer token, "
       "a certificate or a Unix socket that the server's settings (callers) name."},
      reply);
  if (status == 401) reply.headers.Add("WWW-Authenticate", "Bearer");
}

}  // namespace

void JsonFront::Answer(const HttpRequest& request, std::string_view path, Caller& caller,
                       HttpReply& reply) {
  const auto* const route = std::ranges::find(kRoutes, path, &Route::path);
  if (route == kRoutes.end()) {
    return ReplyProblem({404, Concat("There is nothing at ", Quoted(path), ".")}, reply);
  }
  if (!RequirePost(request, reply) || !RequireWhole(request, reply)) return;
  if (!RequireSameSite(request, reply)) return;
  const Purpose purpose = route->purpose;
  if (LiftsLimits(purpose) && !caller.MayLift()) {
    caller.ReportRefused(LiftOf(purpose));
    return ReplyNoPermission(caller, reply);
  }
  if (const std::string_view type = request.Find("content-type"); !IsJson(type)) {
    return ReplyProblem({415, Concat("Expected the Content-Type ", kMediaType, ", found ",
                                     type.empty() ? "none" : Quoted(type), ".")},
                        reply);
  }
  if (!reader_.Read(request.body, request_)) return ReplyBadBody(reader_.fault(), reply);
  if (request_.form == CheckRequest::Form::kList) return TellList(purpose, caller, reply);
  Decide(request_.all.checks.front(), purpose, caller);
  TellOne(reply);
}

void JsonFront::Decide(const LimiterCheck& check, Purpose purpose, Caller& caller) {
  const AttributeSet set{
      .attributes = request_.all.AttributesOf(check), .cost = check.cost, .purpose = purpose};
  if (LiftsLimits(purpose)) caller.Audit({LiftOf(purpose), check.domain, set.attributes});
  session_.Decide({check.domain, {&set, 1}}, verdict_);
}

void JsonFront::TellOne(HttpReply& reply) {
  if (verdict_.allowed()) {
    reply.headers.Add("Content-Type", kMediaType);
    WriteVerdictJson(verdict_, reply.body);
  } else {
    ReplyRefusal(verdict_, reply);
  }
  WriteHeaders(headers_, verdict_, reply.headers);
}

void JsonFront::TellList(Purpose purpose, Caller& caller, HttpReply& reply) {
  reply.headers.Add("Content-Type", kMediaType);
  reply.body += '[';
  std::string_view separator;
  for (const LimiterCheck& check : request_.all.checks) {
    Decide(check, purpose, caller);
    reply.body += separator;
    if (verdict_.allowed()) {
      WriteVerdictJson(verdict_, reply.body);
    } else {
      WriteProblem(verdict_, reply.body);
    }
    separator = ",";
  }
  reply.body += ']';
}

}  // namespace sluice
