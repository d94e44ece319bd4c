#include "frontend/http/rls_json_front.h"

#include "base/text.h"
#include "frontend/http/http_problem.h"

namespace sluice {

void RlsJsonFront::Answer(const HttpRequest& request, Caller& caller, HttpReply& reply) {
  if (!RequirePost(request, reply) || !RequireWhole(request, reply)) return;
  if (!RequireSameSite(request, reply)) return;
  if (!reader_.Read(request.body, request_)) return ReplyBadBody(reader_.fault(), reply);
  RlsReply told;
  if (const std::optional<GrpcFault> fault = rls_.Decide(request_, caller, told)) {
    return ReplyProblem({400, Concat(fault->message, ".")}, reply);
  }
  reply.status = told.overall == RlsCode::kOk ? 200 : 429;
  reply.headers.Add("Content-Type", "application/json");
  AppendRlsJson(told, reply.body);
}

}  // namespace sluice
