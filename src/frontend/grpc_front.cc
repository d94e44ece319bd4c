#include "frontend/grpc_front.h"

#include <utility>
#include <variant>

#include "core/text.h"
#include "frontend/grpc_paths.h"
#include "wire/grpc_frame.h"
#include "wire/grpc_message.h"
#include "wire/grpc_timeout.h"

namespace sluice {
namespace {

constexpr std::string_view kMediaType = "application/grpc";

}  // namespace

bool GrpcFront::IsCall(const HttpRequest& request) {
  const std::string_view type = request.Find("content-type");
  if (!type.starts_with(kMediaType)) return false;
  const std::string_view rest = type.substr(kMediaType.size());
  return rest.empty() || rest.starts_with('+') || rest.starts_with(';');
}

bool GrpcFront::HasService(std::string_view target) const { return HasServiceOf(methods_, target); }

void GrpcFront::Answer(const HttpRequest& request, Caller& caller, HttpReply& reply) {
  reply.headers.Add("content-type", kMediaType);
  const std::optional<GrpcFault> fault = Call(request, caller, reply);
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

std::optional<GrpcFault> GrpcFront::Call(const HttpRequest& request, Caller& caller,
                                         HttpReply& reply) {
  if (request.fault != HttpRequest::Fault::kNone) {
    return GrpcFault{GrpcStatus::kResourceExhausted, "the request is too large"};
  }
  if (request.method != "POST") {
    return GrpcFault{GrpcStatus::kUnimplemented, "expected the method POST"};
  }
  const auto method = methods_.find(request.target);
  if (method == methods_.end()) {
    return GrpcFault{GrpcStatus::kUnimplemented, Concat("unknown method ", Quoted(request.target))};
  }
  if (const std::string_view timeout = request.Find("grpc-timeout"); !timeout.empty()) {
    const Result<Nanos> length = ParseGrpcTimeout(timeout);
    if (!length.ok()) return GrpcFault{GrpcStatus::kInternal, length.error().message};
    if (length.value() == Nanos(0)) {
      return GrpcFault{GrpcStatus::kDeadlineExceeded, "the deadline had passed already"};
    }
  }
  auto message = ReadUnaryMessage(request.body, message_bytes_most_);
  if (auto* fault = std::get_if<GrpcFault>(&message)) return std::move(*fault);
  const std::size_t begin = BeginGrpcMessage(reply.body);
  auto fault = method->second(*std::get_if<std::string_view>(&message), caller, reply.body);
  if (!fault) EndGrpcMessage(begin, reply.body);
  return fault;
}

}  // namespace sluice
