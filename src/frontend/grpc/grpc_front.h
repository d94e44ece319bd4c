// GrpcFront: answers the unary calls of gRPC.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "frontend/caller.h"
#include "frontend/front_meter.h"
#include "net/http1/exchange.h"
#include "wire/grpc/grpc_status.h"

namespace sluice {

// Returns the front end that calls of a path are counted for: none for health and reflection.
std::optional<FrontEnd> FrontEndOf(std::string_view path);

// Finds the method of a call, unpacks its message from the frame, and frames the reply.
//
// Thread safety: none; one for each worker. Ownership: what the methods refer to outlives it.
//
// Invariants
//   (1) Every call is answered with a status. A call that fails has headers only.
class GrpcFront {
 public:
  // Appends the reply to a message, or returns why there is none.
  using Method = std::function<std::optional<GrpcFault>(std::string_view message, Caller& caller,
                                                        std::string& out)>;

  // Appends the reply to a call that is too large to be read.
  using TooLarge = std::function<void(Caller& caller, std::string& out)>;

  explicit GrpcFront(std::size_t max_message_bytes) : max_message_bytes_(max_message_bytes) {}

  // `path` is "/package.Service/Method". Without `too_large`, calls that are too large get
  // RESOURCE_EXHAUSTED.
  void Add(std::string path, Method method, TooLarge too_large = nullptr);

  // Whether a request has the content type of gRPC. Clients choose it, so the path is matched
  // first.
  static bool IsCall(const HttpRequest& request);

  // Whether a target is "/package.Service/..." of a service with a method here.
  [[nodiscard]] bool HasService(std::string_view target) const;

  // A method, and what HttpFront needs to know of it.
  struct Entry {
    Method method;
    TooLarge too_large;             // null: RESOURCE_EXHAUSTED
    std::optional<FrontEnd> front;  // the front end that its calls are counted for
  };

  // Returns the method that a target names, or null.
  [[nodiscard]] const Entry* Find(std::string_view target) const {
    const auto found = methods_.find(target);
    return found == methods_.end() ? nullptr : &found->second;
  }

  // Answers a call of `method`, which is null if Find(request.target) is.
  void Answer(const Entry* method, const HttpRequest& request, Caller& caller,
              HttpReply& reply) const;

 private:
  // Returns the fault of a failed call. The framed reply is in the body.
  std::optional<GrpcFault> Call(const Entry* method, const HttpRequest& request, Caller& caller,
                                HttpReply& reply) const;
  std::optional<GrpcFault> CallWith(const Entry& entry, const HttpRequest& request, Caller& caller,
                                    HttpReply& reply) const;

  std::size_t max_message_bytes_;
  std::map<std::string, Entry, std::less<>> methods_;
};

}  // namespace sluice
