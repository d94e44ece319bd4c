#include "frontend/http/forward_auth.h"

#include <optional>
#include <string>

#include "base/text.h"
#include "frontend/callers.h"
#include "frontend/http/http_problem.h"
#include "wire/query.h"

namespace sluice {
namespace {

constexpr std::string_view kDeny = "deny";
constexpr std::string_view kForbidden = "403";

// The parameter `deny` of a query.
struct DenyOption {
  bool as_403 = false;
  bool is_known = true;
};

DenyOption ReadDeny(std::string_view query) {
  DenyOption option;
  QueryReader parameters(query);
  while (const std::optional<QueryParameter> parameter = parameters.Next()) {
    if (parameter->name != kDeny) continue;
    option.as_403 = parameter->value == kForbidden;
    option.is_known = option.as_403;
  }
  return option;
}

void TurnInto403(HttpReply& reply) {
  AppendPart(reply.status, reply.headers.Start("X-RateLimit-Status"));
  reply.status = 403;
}

}  // namespace

void ForwardAuth::Answer(const HttpRequest& request, HttpReply& reply) {
  std::string_view rest = request.target.substr(kPrefix.size());
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view domain = rest.substr(0, end);
  rest.remove_prefix(end);
  if (domain.empty()) {
    return ReplyProblem({404, "Expected a domain after /auth/."}, reply);
  }
  if (!rest.starts_with('?')) return Decide(domain, rest, request, reply);
  const DenyOption deny = ReadDeny(rest.substr(1));
  if (!deny.is_known) return ReplyProblem({400, "Expected deny=403."}, reply);
  Decide(domain, "", request, reply);
  if (deny.as_403 && reply.status != 200) TurnInto403(reply);
}

void ForwardAuth::Warn(std::string_view unknown_domain, std::string_view fault,
                       const HttpRequest& request) {
  if (warnings_ == nullptr) return;
  if (!unknown_domain.empty()) ReportUnknownDomain(unknown_domain, *warnings_);
  const std::string_view peer = WarningSubject(*request.peer);
  if (original_.HasIgnoredHeaders()) {
    warnings_->Report(WarningCause::kUntrustedProxy, peer, [&] {
      return Concat(Quoted(peer),
                    " sends headers of a proxy and is not in `trusted_proxies`, so they are "
                    "ignored and ",
                    fault.empty() ? "all of its clients share the address of the proxy"
                                  : "the call is refused with 400: ",
                    fault);
    });
  } else if (original_.is_without_path()) {
    warnings_->Report(WarningCause::kNoOriginal, peer, [peer] {
      return Concat(Quoted(peer),
                    " calls forward auth without the path of the original request, and is "
                    "refused; expected X-Forwarded-Uri, X-Original-URI or a path after the domain");
    });
  }
}

void ForwardAuth::Decide(std::string_view domain, std::string_view suffix,
                         const HttpRequest& request, HttpReply& reply) {
  if (!RequireWhole(request, reply)) return;
  if (const std::optional<std::string> fault = original_.Read(request, suffix)) {
    Warn("", *fault, request);
    return ReplyProblem({400, Concat("The original request: ", *fault, ".")}, reply);
  }
  const AttributeSet set{.attributes = original_.attributes(),
                         .strict_path = original_.strict_path(),
                         .repeats = Repeats::kRefused,
                         .lenient_attributes = original_.lenient_attributes()};
  session_.Decide({domain, {&set, 1}}, verdict_);
  // A pending request is answered again later and reports its warnings then.
  if (session_.is_waiting()) return;
  const bool is_unknown = verdict_.kind() == VerdictKind::kUnknownDomain;
  Warn(is_unknown ? domain : "", "", request);
  if (is_unknown && unknown_domain_ == UnknownDomain::kRefuse) {
    return ReplyProblem({403, Concat("There are no rules for the domain ", Quoted(domain), ".")},
                        reply);
  }
  if (is_unknown) return;
  if (!verdict_.allowed()) ReplyRefusal(verdict_, reply);
  WriteHeaders(headers_, verdict_, reply.headers);
}

}  // namespace sluice
