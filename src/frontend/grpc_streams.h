// GrpcStreams: the calls of gRPC whose messages come one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "net/exchange.h"
#include "wire/grpc_status.h"

namespace sluice {

// Answers each message of a stream as it comes.
//
// Thread safety: none; one for each worker. Ownership: what the methods refer to outlives it.
class GrpcStreams {
 public:
  enum class Ends : std::uint8_t {
    kWithCaller,  // when the caller has no more to ask
    kWhenDrained,
  };
  struct Method {
    // Appends the reply to a message, or says why the stream ends.
    std::function<std::optional<GrpcFault>(std::string_view message, std::string& out)> answer;
    Ends ends = Ends::kWithCaller;
    // Appends a message for when the server wants no new requests; may be empty.
    std::function<void(std::string& out)> take_leave = nullptr;
  };

  explicit GrpcStreams(std::size_t message_bytes_most) : message_bytes_most_(message_bytes_most) {}

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
  static void TakeLeave(const Method& method, Exchange& exchange);
  // Answers the messages that are there. False where the stream has ended.
  bool AnswerAll(const Method& method, Exchange& exchange);
  static void End(const GrpcFault& fault, Exchange& exchange);

  std::size_t message_bytes_most_;
  std::map<std::string, Method, std::less<>> methods_;
};

}  // namespace sluice
