#include "frontend/grpc/grpc_front.h"

#include <utility>
#include <variant>

#include "base/text.h"
#include "frontend/grpc/grpc_paths.h"
#include "wire/grpc/grpc_frame.h"
#include "wire/grpc/grpc_message.h"
#include "wire/grpc/grpc_timeout.h"

namespace sluice {
namespace {

constexpr std::string_view kMediaType = "application/grpc";

}  // namespace

std::optional<FrontEnd> FrontEndOf(std::string_view path) {
  if (path.starts_with("/envoy.service.ratelimit.v3.RateLimitService/")) return FrontEnd::kRls;
  if (path.starts_with("/sluice.v1.Limiter/")) return FrontEnd::kLimiter;
  return std::nullopt;
}

bool GrpcFront::IsCall(const HttpRequest& request) {
  const std::string_view type = request.Find("content-type");
  if (!type.starts_with(kMediaType)) return false;
  const std::string_view rest = type.substr(kMediaType.size());
  return rest.empty() || rest.starts_with('+') || rest.starts_with(';');
}

bool GrpcFront::HasService(std::string_view target) const { return HasServiceOf(methods_, target); }

void GrpcFront::Add(std::string path, Method method, TooLarge too_large) {
  const std::optional<FrontEnd> front = FrontEndOf(path);
  methods_.emplace(std::move(path), Entry{std::move(method), std::move(too_large), front});
}

void GrpcFront::Answer(const Entry* method, const HttpRequest& request, Caller& caller,
                       HttpReply& reply) const {
  reply.headers.Add("content-type", kMediaType);
  const std::optional<GrpcFault> fault = Call(method, request, caller, reply);
  if (!fault) {
    reply.trailers.Add("grpc-status", "0");
    return;
  }
  reply.body.clear();
  reply.headers.Start("grpc-status").append(std::to_string(static_cast<int>(fault->status)));
  AppendGrpcMessage(fault->message, reply.headers.Start("grpc-message"));
  if (fault->status == GrpcStatus::kUnimplemented) {
    reply.headers.Add("grpc-accept-encoding", "identity");
  }
}

std::optional<GrpcFault> GrpcFront::Call(const Entry* method, const HttpRequest& request,
                                         Caller& caller, HttpReply& reply) const {
  const bool is_too_large = request.fault != HttpRequest::Fault::kNone;
  if (is_too_large && (method == nullptr || method->too_large == nullptr)) {
    return GrpcFault{GrpcStatus::kResourceExhausted, "the request is too large"};
  }
  if (request.method != "POST") {
    return GrpcFault{GrpcStatus::kUnimplemented, "expected the method POST"};
  }
  if (method == nullptr) {
    return GrpcFault{GrpcStatus::kUnimplemented, Concat("unknown method ", Quoted(request.target))};
  }
  if (const std::string_view timeout = request.Find("grpc-timeout"); !timeout.empty()) {
    const Result<Nanos> length = ParseGrpcTimeout(timeout);
    if (!length.ok()) return GrpcFault{GrpcStatus::kInternal, length.error().message};
    if (length.value() == Nanos(0)) {
      return GrpcFault{GrpcStatus::kDeadlineExceeded, "the deadline had passed already"};
    }
  }
  return CallWith(*method, request, caller, reply);
}

std::optional<GrpcFault> GrpcFront::CallWith(const Entry& entry, const HttpRequest& request,
                                             Caller& caller, HttpReply& reply) const {
  bool is_too_large = request.fault != HttpRequest::Fault::kNone;
  std::string_view message;
  if (!is_too_large) {
    auto read = ReadUnaryMessage(request.body, max_message_bytes_);
    auto* const fault = std::get_if<GrpcFault>(&read);
    is_too_large = fault != nullptr && fault->status == GrpcStatus::kResourceExhausted &&
                   entry.too_large != nullptr;
    if (fault != nullptr && !is_too_large) return std::move(*fault);
    if (fault == nullptr) message = *std::get_if<std::string_view>(&read);
  }
  const std::size_t begin = BeginGrpcMessage(reply.body);
  if (is_too_large) {
    entry.too_large(caller, reply.body);
  } else if (std::optional<GrpcFault> fault = entry.method(message, caller, reply.body)) {
    return fault;
  }
  EndGrpcMessage(begin, reply.body);
  return std::nullopt;
}

}  // namespace sluice
