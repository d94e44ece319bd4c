// GrpcFront: the unary calls of gRPC.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "frontend/caller.h"
#include "net/exchange.h"
#include "wire/grpc_status.h"

namespace sluice {

// Finds the method of a call, takes its message out of its frame and puts the reply into one.
//
// Thread safety: none; one for each worker. Ownership: what the methods refer to outlives it.
//
// Invariants
//   (1) Every call is answered with a status; what fails has headers alone.
class GrpcFront {
 public:
  // Appends the reply to a message, or says why there is none.
  using Method = std::function<std::optional<GrpcFault>(std::string_view message, Caller& caller,
                                                        std::string& out)>;

  // Appends the reply to a call that is too large to be read.
  using TooLarge = std::function<void(Caller& caller, std::string& out)>;

  explicit GrpcFront(std::size_t message_bytes_most) : message_bytes_most_(message_bytes_most) {}

  // `path` is "/package.Service/Method". Without `too_large` such calls get RESOURCE_EXHAUSTED.
  void Add(std::string path, Method method, TooLarge too_large = nullptr) {
    methods_.emplace(std::move(path), Entry{std::move(method), std::move(too_large)});
  }

  // Whether a request says that it is gRPC. A client chooses that, so the path decides first.
  static bool IsCall(const HttpRequest& request);

  // Whether a target is "/package.Service/..." of a service with a method here.
  [[nodiscard]] bool HasService(std::string_view target) const;

  void Answer(const HttpRequest& request, Caller& caller, HttpReply& reply);

 private:
  struct Entry {
    Method method;
    TooLarge too_large;  // null: the status says so
  };

  // What it came to; the message is in the reply's body, in its frame.
  std::optional<GrpcFault> Call(const HttpRequest& request, Caller& caller, HttpReply& reply);
  std::optional<GrpcFault> CallWith(const Entry& entry, const HttpRequest& request, Caller& caller,
                                    HttpReply& reply) const;

  std::size_t message_bytes_most_;
  std::map<std::string, Entry, std::less<>> methods_;
};

}  // namespace sluice
