// HttpFront: what answers HTTP on the service port.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "core/in_use.h"
#include "frontend/callers.h"
#include "frontend/forward_auth.h"
#include "frontend/front_meter.h"
#include "frontend/front_session.h"
#include "frontend/front_warnings.h"
#include "frontend/grpc_front.h"
#include "frontend/grpc_streams.h"
#include "frontend/held_replies.h"
#include "frontend/json_front.h"
#include "frontend/kept_request.h"
#include "frontend/limiter_front.h"
#include "frontend/original_request.h"
#include "frontend/rls_front.h"
#include "frontend/rls_json_front.h"
#include "gate/headers.h"
#include "net/exchange.h"
#include "sluice/clock.h"
#include "wire/limiter_messages.h"
#include "wire/reflection_index.h"
#include "wire/rls_messages.h"

namespace sluice {

// How the front ends of a worker answer.
struct HttpFrontOptions {
  HeaderOptions headers;
  Callers callers;
  TrustFunction trust;
  ClientHeader client_header = ClientHeader::kEither;
  UnknownDomain unknown_domain = UnknownDomain::kPass;
  FrontWarnings* warnings = nullptr;  // null: nobody is told
  LimiterBounds limiter;
  RlsOptions rls;
  std::size_t message_bytes_most = std::size_t{1} << 20U;  // of gRPC
  const ReflectionIndex* services = nullptr;  // what health and reflection know; null: neither
  std::function<bool()> is_ready = nullptr;   // for health
  EventLoop* loop = nullptr;                  // the worker's; without it no reply is held
};

// Finds the front end for each request by its path: /v1/..., /json, /auth/... and the services of
// gRPC, which need HTTP/2 and the content type of gRPC too (415 otherwise). All else is 404, or 415
// with that content type: no header that a client chooses makes a reply 2xx.
//
// Thread safety: none; one for each worker. Ownership: the gate, the clock and the meter outlive
// it.
//
// Invariants
//   (1) Every exchange that does not stream is finished once: before Serve returns, in the order of
//       the batch, or when the remote has said what it waits for, or late after a wrong credential.
//   (2) Every request for a front end is metered once, with the time of its whole batch, or its own
//       where it waits; health, reflection and what is nowhere are not.
class HttpFront final : public HttpService {
 public:
  HttpFront(Gate& gate, const RemoteWay& way, Clock& clock, FrontMeter& meter,
            HttpFrontOptions options);
  ~HttpFront() override;

  void Serve(std::span<Exchange* const> batch) override;
  [[nodiscard]] BodyDelivery DeliveryFor(const HttpRequest& head) const override;
  void ServeStream(Exchange& exchange, StreamEvent event) override;

 private:
  class Parked;

  void Park(Exchange& exchange, Time begin);
  void AnswerAgain(Parked& parked);
  [[nodiscard]] Nanos TimeFor(const HttpRequest& request) const;
  // Which front end it was for, if any.
  std::optional<FrontEnd> Answer(const HttpRequest& request, HttpReply& reply);

  // Of a caller whose reply does not wait.
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
  bool holds_reply_ = false;  // the reply to the request at hand is to leave late
  InUse<Parked> parked_;
};

}  // namespace sluice
