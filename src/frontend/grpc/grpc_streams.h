// GrpcStreams: answers the streaming calls of gRPC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "net/http1/exchange.h"
#include "wire/grpc/grpc_status.h"

namespace sluice {

// Answers each message of a stream when it arrives.
//
// Thread safety: none; one for each worker. Ownership: what the methods refer to outlives it.
class GrpcStreams {
 public:
  enum class Ends : std::uint8_t {
    kWithCaller,  // when the caller has sent its last message
    kWhenDrained,
  };
  struct Method {
    // Appends the reply to a message, or returns why the stream ends.
    std::function<std::optional<GrpcFault>(std::string_view message, std::string& out)> answer;
    Ends ends = Ends::kWithCaller;
    // Appends a message that announces a drain of the server; may be empty.
    std::function<void(std::string& out)> take_leave = nullptr;
  };

  explicit GrpcStreams(std::size_t max_message_bytes) : max_message_bytes_(max_message_bytes) {}

  // `path` is "/package.Service/Method".
  void Add(std::string path, Method method) {
    methods_.emplace(std::move(path), std::move(method));
  }

  [[nodiscard]] bool Has(const HttpRequest& head) const;
  // Whether a target is "/package.Service/..." of a service with a method here.
  [[nodiscard]] bool HasService(std::string_view target) const;

  // REQUIRES: Has(exchange.request).
  void Serve(Exchange& exchange, StreamEvent event);

 private:
  static void SendFarewell(const Method& method, Exchange& exchange);
  // Answers the messages that have arrived. Returns false if the stream has ended.
  bool AnswerAll(const Method& method, Exchange& exchange);
  static void End(const GrpcFault& fault, Exchange& exchange);

  std::size_t max_message_bytes_;
  std::map<std::string, Method, std::less<>> methods_;
};

}  // namespace sluice
