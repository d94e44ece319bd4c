#include "frontend/http/http_front.h"

#include <memory>
#include <utility>

#include "base/text.h"
#include "frontend/grpc/grpc_services.h"
#include "frontend/http/http_problem.h"
#include "frontend/http/openapi.h"
#include "wire/grpc/grpc_timeout.h"
#include "wire/target.h"

namespace sluice {
namespace {

// Larger requests are unusual, so their memory is freed rather than pooled.
constexpr std::size_t kBytesKept = std::size_t{16} << 10U;

constexpr std::string_view kOpenApiPath = "/openapi.yaml";

void ReplyOpenApi(const HttpRequest& request, HttpReply& reply) {
  if (request.method != "GET" && request.method != "HEAD") {
    ReplyProblem({405, Concat("Expected the method GET, found ", Quoted(request.method), ".")},
                 reply);
    reply.headers.Add("Allow", "GET, HEAD");
    return;
  }
  reply.headers.Add("Content-Type", "application/yaml");
  reply.fixed_body = OpenApiDocument();
}

}  // namespace

// A request that waits for its verdicts.
class HttpFront::Parked final : public FrontSession::Waiter {
 public:
  explicit Parked(HttpFront& front) : front_(front) {}

  void OnReady() override { front_.AnswerAgain(*this); }

  KeptRequest kept;
  Exchange* exchange = nullptr;
  Time begin{};
  std::size_t place = 0;  // used by ObjectPool

 private:
  HttpFront& front_;
};

HttpFront::~HttpFront() = default;

HttpFront::HttpFront(Gate& gate, const RemoteAccess& way, Clock& clock, FrontMeter& meter,
                     HttpFrontOptions options)
    : clock_(clock),
      meter_(meter),
      options_(std::move(options)),
      session_(gate, way),
      rls_(session_, options_.headers,
           {.bounds = options_.rls.bounds,
            .metadata = options_.rls.metadata,
            .unknown_domain = options_.unknown_domain,
            .warnings = options_.warnings}),
      rls_json_(rls_, options_.rls.bounds),
      limiter_(session_, options_.limiter),
      grpc_(options_.max_message_bytes),
      streams_(options_.max_message_bytes),
      json_(session_, options_.headers, options_.limiter),
      forward_auth_(session_, options_.headers,
                    {.trust = options_.trust,
                     .client_header = options_.client_header,
                     .unknown_domain = options_.unknown_domain,
                     .warnings = options_.warnings}),
      held_(options_.loop) {
  grpc_.Add(
      "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
      [this](std::string_view message, Caller& caller, std::string& out) {
        return rls_.ShouldRateLimit(message, caller, out);
      },
      [](Caller& caller, std::string& out) { RlsFront::RefuseTooLarge(caller, out); });
  limiter_.AddTo(grpc_);
  if (options_.services == nullptr) return;
  AddHealth(*options_.services, options_.is_ready, grpc_, streams_);
  AddReflection(*options_.services, streams_);
}

BodyDelivery HttpFront::DeliveryFor(const HttpRequest& head) const {
  const bool streams = streams_.Has(head) && GrpcFront::IsCall(head);
  return streams ? BodyDelivery::kStreamed : BodyDelivery::kWhole;
}

void HttpFront::ServeStream(Exchange& exchange, StreamEvent event) {
  streams_.Serve(exchange, event);
}

void HttpFront::Serve(std::span<Exchange* const> batch) {
  const Time begin = clock_.Now();
  for (Exchange* const exchange : batch) {
    session_.Begin(TimeFor(exchange->request));
    const std::optional<FrontEnd> front = Answer(exchange->request, exchange->reply);
    if (session_.is_waiting()) {
      Park(*exchange, begin);
      continue;
    }
    if (front) meter_.AddRequest(*front, session_.TakeVerdictCounts());
    if (holds_reply_) {
      held_.Hold([exchange] { exchange->Finish(); });
    } else {
      exchange->Finish();
    }
  }
  meter_.EndBatch(clock_.Now() - begin);
}

Nanos HttpFront::TimeFor(const HttpRequest& request) const {
  if (!session_.has_remote() || !GrpcFront::IsCall(request)) return kNever;
  const std::string_view timeout = request.Find("grpc-timeout");
  if (timeout.empty()) return kNever;
  const Result<Nanos> length = ParseGrpcTimeout(timeout);
  return length.ok() ? length.value() : kNever;
}

void HttpFront::Park(Exchange& exchange, Time begin) {
  Parked& parked = parked_.Take([this] { return std::make_unique<Parked>(*this); });
  parked.kept.Keep(exchange.request);
  exchange.parked_bytes = parked.kept.bytes_kept();
  parked.exchange = &exchange;
  parked.begin = begin;
  exchange.reply.Clear();
  session_.Wait(parked);
}

void HttpFront::AnswerAgain(Parked& parked) {
  Exchange& exchange = *parked.exchange;
  session_.Recall(parked);
  const std::optional<FrontEnd> front = Answer(parked.kept.request(), exchange.reply);
  const VerdictCounts counts = session_.End(parked);
  if (front) meter_.AddRequest(*front, counts);
  meter_.EndBatch(clock_.Now() - parked.begin);
  const bool is_usual = parked.kept.bytes_kept() <= kBytesKept;
  parked_.GiveBack(parked,
                   is_usual ? ObjectPool<Parked>::Then::kKeep : ObjectPool<Parked>::Then::kFree);
  // Must be the last call, because it may serve the connection's next requests.
  exchange.Finish();
}

// The reply is not held, because a proxy that waits too long for RLS passes its request.
void HttpFront::NoteCredential(const Caller& caller) {
  if (caller.showed_wrong_credential() && !session_.is_recalled()) held_.Note();
}

void HttpFront::AnswerGrpc(const GrpcFront::Entry* method, const HttpRequest& request,
                           Caller::Pass pass, std::optional<FrontEnd> front, HttpReply& reply) {
  Caller caller(options_.callers, request, Protocol::kGrpc, pass, &held_);
  grpc_.Answer(method, request, caller, reply);
  if (front == FrontEnd::kRls) {
    NoteCredential(caller);
  } else {
    holds_reply_ = caller.showed_wrong_credential();
  }
}

std::optional<FrontEnd> HttpFront::Answer(const HttpRequest& request, HttpReply& reply) {
  holds_reply_ = false;
  const Caller::Pass pass = session_.is_recalled() ? Caller::Pass::kSecond : Caller::Pass::kFirst;
  // The path decides first: a client behind a proxy chooses its content type, not our path. A
  // target that is the whole path of a gRPC method belongs to no other front end.
  const bool is_http2 = request.version == HttpRequest::Version::kHttp2;
  const GrpcFront::Entry* const method = is_http2 ? grpc_.Find(request.target) : nullptr;
  if (method != nullptr && GrpcFront::IsCall(request)) {
    AnswerGrpc(method, request, pass, method->front, reply);
    return method->front;
  }
  const std::string_view path = SplitTarget(request.target).path;
  if (path.starts_with("/v1/")) {
    Caller caller(options_.callers, request, Protocol::kHttp, pass, &held_);
    json_.Answer(request, path, caller, reply);
    holds_reply_ = caller.showed_wrong_credential();
    return FrontEnd::kHttp;
  }
  if (path == RlsJsonFront::kPath && !GrpcFront::IsCall(request)) {
    Caller caller(options_.callers, request, Protocol::kHttp, pass, &held_);
    rls_json_.Answer(request, caller, reply);
    NoteCredential(caller);
    return FrontEnd::kHttp;
  }
  if (ForwardAuth::IsPath(path)) {
    forward_auth_.Answer(request, reply);
    return FrontEnd::kForwardAuth;
  }
  const bool is_service = grpc_.HasService(request.target) || streams_.HasService(request.target);
  if (is_service && is_http2 && GrpcFront::IsCall(request)) {
    const std::optional<FrontEnd> front = FrontEndOf(path);
    AnswerGrpc(nullptr, request, pass, front, reply);
    return front;
  }
  if (is_service) {
    ReplyProblem({415, "Expected a call of gRPC: HTTP/2 and a body of application/grpc."}, reply);
  } else if (path == kOpenApiPath && !GrpcFront::IsCall(request)) {
    ReplyOpenApi(request, reply);
  } else if (path == RlsJsonFront::kPath || path == kOpenApiPath) {
    ReplyProblem({415, Concat("There is no gRPC at ", Quoted(path), ".")}, reply);
  } else {
    // Clients of gRPC take 404 for UNIMPLEMENTED.
    ReplyProblem({404, Concat("There is nothing at ", Quoted(path), ".")}, reply);
  }
  return std::nullopt;
}

}  // namespace sluice
