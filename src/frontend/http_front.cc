#include "frontend/http_front.h"

#include <utility>

#include "core/text.h"
#include "frontend/grpc_services.h"
#include "frontend/http_problem.h"
#include "wire/target.h"

namespace sluice {

HttpFront::HttpFront(Gate& gate, Clock& clock, HttpFrontOptions options)
    : options_(std::move(options)),
      session_(gate),
      rls_(session_, clock, options_.headers, options_.rls),
      rls_json_(rls_, options_.rls),
      limiter_(session_, options_.limiter),
      grpc_(options_.message_bytes_most),
      streams_(options_.message_bytes_most),
      json_(session_, clock, options_.headers, options_.limiter),
      forward_auth_(session_, clock, options_.headers, options_.trust) {
  grpc_.Add("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
            [this](std::string_view message, Permission permission, std::string& out) {
              return rls_.ShouldRateLimit(message, permission, out);
            });
  limiter_.AddTo(grpc_);
  if (options_.services == nullptr) return;
  AddHealth(*options_.services, options_.is_ready, grpc_, streams_);
  AddReflection(*options_.services, streams_);
}

bool HttpFront::Streams(const HttpRequest& head) const {
  return GrpcFront::IsCall(head) && streams_.Has(head);
}

void HttpFront::ServeStream(Exchange& exchange, StreamEvent event) {
  streams_.Serve(exchange, event);
}

void HttpFront::Serve(std::span<Exchange* const> batch) {
  for (Exchange* const exchange : batch) {
    Answer(exchange->request, exchange->reply);
    exchange->Finish();
  }
}

void HttpFront::Answer(const HttpRequest& request, HttpReply& reply) {
  const auto permission = [&] {
    // Browsers say where a request comes from; programs do not.
    const bool by_page = !request.Find("origin").empty() || !request.Find("sec-fetch-site").empty();
    return options_.callers.Of(*request.peer, request.Find("authorization"),
                               by_page ? Sender::kWebPage : Sender::kProgram);
  };
  if (GrpcFront::IsCall(request)) return grpc_.Answer(request, permission(), reply);
  const std::string_view path = SplitTarget(request.target).path;
  if (path.starts_with("/v1/")) return json_.Answer(request, path, permission(), reply);
  if (path == RlsJsonFront::kPath) return rls_json_.Answer(request, permission(), reply);
  if (ForwardAuth::IsPath(path)) return forward_auth_.Answer(request, reply);
  ReplyProblem({404, Concat("There is nothing at ", Quoted(path), ".")}, reply);
}

}  // namespace sluice
