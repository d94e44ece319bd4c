#include "frontend/grpc/grpc_streams.h"

#include <variant>

#include "frontend/grpc/grpc_paths.h"
#include "wire/grpc/grpc_frame.h"
#include "wire/grpc/grpc_message.h"

namespace sluice {
namespace {

// The maximum size of replies that wait for a caller that does not read them.
constexpr std::size_t kMaxWaiting = std::size_t{256} << 10U;
// The size of replies from which they are sent before more messages are answered.
constexpr std::size_t kSentFrom = kMaxWaiting / 4;

}  // namespace

bool GrpcStreams::Has(const HttpRequest& head) const {
  return head.method == "POST" && methods_.contains(head.target);
}

bool GrpcStreams::HasService(std::string_view target) const {
  return HasServiceOf(methods_, target);
}

void GrpcStreams::Serve(Exchange& exchange, StreamEvent event) {
  if (event == StreamEvent::kGone) return;
  const Method& method = methods_.find(exchange.request.target)->second;
  if (exchange.reply.headers.size() == 0) {
    exchange.reply.headers.Add("content-type", "application/grpc");
  }
  if (event == StreamEvent::kDrainAhead) return SendFarewell(method, exchange);
  if (!AnswerAll(method, exchange)) return;
  const bool drains = event == StreamEvent::kDraining;
  const bool is_over = exchange.request.is_whole && method.ends == Ends::kWithCaller;
  if (!drains && !is_over) return exchange.Send();
  exchange.reply.trailers.Add("grpc-status", "0");
  exchange.Finish();
}

void GrpcStreams::SendFarewell(const Method& method, Exchange& exchange) {
  if (!method.take_leave) return;
  const std::size_t begin = BeginGrpcMessage(exchange.reply.body);
  method.take_leave(exchange.reply.body);
  EndGrpcMessage(begin, exchange.reply.body);
  exchange.Send();
}

bool GrpcStreams::AnswerAll(const Method& method, Exchange& exchange) {
  const HttpRequest& request = exchange.request;
  if (request.fault != HttpRequest::Fault::kNone) {
    End({GrpcStatus::kResourceExhausted, "the request is too large"}, exchange);
    return false;
  }
  for (;;) {
    auto next = NextGrpcMessage(request.body.substr(exchange.taken), max_message_bytes_);
    std::optional<GrpcFault> fault;
    if (auto* found = std::get_if<GrpcFault>(&next)) {
      fault = std::move(*found);
    } else if (const auto* message = std::get_if<GrpcMessage>(&next)) {
      exchange.taken += message->frame_size;
      if (exchange.reply.body.size() > kSentFrom) exchange.Send();
      if (exchange.reply.body.size() > kMaxWaiting) {
        End({GrpcStatus::kResourceExhausted, "the replies are not read"}, exchange);
        return false;
      }
      const std::size_t begin = BeginGrpcMessage(exchange.reply.body);
      fault = method.answer(message->message, exchange.reply.body);
      if (fault) {
        exchange.reply.body.resize(begin);
      } else {
        EndGrpcMessage(begin, exchange.reply.body);
      }
    } else if (request.is_whole && exchange.taken < request.body.size()) {
      fault = GrpcFault{GrpcStatus::kInternal, "the last message is cut off"};
    } else {
      return true;
    }
    if (!fault) continue;
    End(*fault, exchange);
    return false;
  }
}

void GrpcStreams::End(const GrpcFault& fault, Exchange& exchange) {
  HeaderList& trailers = exchange.reply.trailers;
  trailers.Start("grpc-status").append(std::to_string(static_cast<int>(fault.status)));
  AppendGrpcMessage(fault.message, trailers.Start("grpc-message"));
  exchange.Finish();
}

}  // namespace sluice
