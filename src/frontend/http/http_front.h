// HttpFront: answers HTTP on the service port.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "base/object_pool.h"
#include "frontend/callers.h"
#include "frontend/front_meter.h"
#include "frontend/front_session.h"
#include "frontend/front_warnings.h"
#include "frontend/grpc/grpc_front.h"
#include "frontend/grpc/grpc_streams.h"
#include "frontend/grpc/limiter_front.h"
#include "frontend/grpc/rls_front.h"
#include "frontend/http/forward_auth.h"
#include "frontend/http/held_replies.h"
#include "frontend/http/json_front.h"
#include "frontend/http/kept_request.h"
#include "frontend/http/original_request.h"
#include "frontend/http/rls_json_front.h"
#include "gate/headers.h"
#include "net/http1/exchange.h"
#include "sluice/clock.h"
#include "wire/grpc/limiter_messages.h"
#include "wire/grpc/reflection_index.h"
#include "wire/grpc/rls_messages.h"

namespace sluice {

// The options of a worker's front ends.
struct HttpFrontOptions {
  HeaderOptions headers;
  Callers callers;
  TrustFunction trust;
  ClientHeader client_header = ClientHeader::kEither;
  UnknownDomain unknown_domain = UnknownDomain::kPass;
  FrontWarnings* warnings = nullptr;  // null: no warnings
  LimiterBounds limiter;
  RlsOptions rls;
  std::size_t max_message_bytes = std::size_t{1} << 20U;  // for gRPC
  const ReflectionIndex* services = nullptr;              // null: no health or reflection
  std::function<bool()> is_ready = nullptr;               // for health
  EventLoop* loop = nullptr;                              // the worker's; null: no reply is held
};

// Routes each request to its front end by its path: /v1/..., /json, /auth/... and the services of
// gRPC, which also require HTTP/2 and the content type of gRPC (415 otherwise). Any other path is
// 404, or 415 with that content type: no header that a client chooses makes a reply 2xx.
//
// Thread safety: none; one for each worker. Ownership: the gate, the clock and the meter outlive
// it.
//
// Invariants
//   (1) Every exchange that does not stream is finished once: before Serve returns, in the order of
//       the batch; or when its pending verdicts have arrived; or late, after a wrong credential.
//   (2) Every request for a front end is metered once, with the time of its whole batch, or with
//       its own time if it waits. Health, reflection and unknown paths are not metered.
class HttpFront final : public HttpService {
 public:
  HttpFront(Gate& gate, const RemoteAccess& way, Clock& clock, FrontMeter& meter,
            HttpFrontOptions options);
  ~HttpFront() override;

  void Serve(std::span<Exchange* const> batch) override;
  [[nodiscard]] BodyDelivery DeliveryFor(const HttpRequest& head) const override;
  void ServeStream(Exchange& exchange, StreamEvent event) override;

 private:
  class Parked;

  void Park(Exchange& exchange, Time begin);
  void AnswerAgain(Parked& parked);
  // `method` is null for an unknown method of a known service.
  void AnswerGrpc(const GrpcFront::Entry* method, const HttpRequest& request, Caller::Pass pass,
                  std::optional<FrontEnd> front, HttpReply& reply);
  [[nodiscard]] Nanos TimeFor(const HttpRequest& request) const;
  // Returns the front end that the request was for, if any.
  std::optional<FrontEnd> Answer(const HttpRequest& request, HttpReply& reply);

  // Counts a wrong credential of a caller whose reply must not wait.
  void NoteCredential(const Caller& caller);

  Clock& clock_;
  FrontMeter& meter_;
  HttpFrontOptions options_;
  FrontSession session_;
  RlsFront rls_;
  RlsJsonFront rls_json_;
  LimiterFront limiter_;
  GrpcFront grpc_;
  GrpcStreams streams_;
  JsonFront json_;
  ForwardAuth forward_auth_;
  HeldReplies held_;
  bool holds_reply_ = false;  // the reply to the current request must be held
  ObjectPool<Parked> parked_;
};

}  // namespace sluice
