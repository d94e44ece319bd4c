// A service that records requests and replies as the test sets it up.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "net/http1/exchange.h"

namespace sluice {

class ScriptedService final : public HttpService {
 public:
  struct Seen {
    std::string method;
    std::string target;
    std::string authority;
    std::string body;
    HttpRequest::Fault fault = HttpRequest::Fault::kNone;
    Peer peer;
    std::string authorization = {};
    std::map<std::string, std::string> headers = {};
  };

  void Serve(std::span<Exchange* const> batch) override {
    batches.push_back(batch.size());
    for (Exchange* exchange : batch) {
      const HttpRequest& request = exchange->request;
      seen.push_back({std::string(request.method), std::string(request.target),
                      std::string(request.authority), std::string(request.body), request.fault,
                      *request.peer, std::string(request.Find("authorization"))});
      for (const Header& header : request.headers) {
        seen.back().headers.emplace(header.name, header.value);
      }
      if (replies_later) {
        waiting.push_back(exchange);
      } else {
        Reply(*exchange);
      }
    }
  }

  BodyDelivery DeliveryFor(const HttpRequest& head) const override {
    if (head.target == "/unread") return BodyDelivery::kUnread;
    return head.target == "/stream" ? BodyDelivery::kStreamed : BodyDelivery::kWhole;
  }

  // Echoes the body of a streaming request, and finishes at its end or on a drain.
  void ServeStream(Exchange& exchange, StreamEvent event) override {
    events.push_back(event);
    if (event == StreamEvent::kGone) return;
    exchange.reply.body.append(exchange.request.body);
    exchange.taken = exchange.request.body.size();
    if (exchange.request.is_whole || event == StreamEvent::kDraining) {
      exchange.reply.trailers.Add("grpc-status", "0");
      exchange.Finish();
    } else {
      exchange.Send();
    }
  }

  void ReplyToAll() {
    const std::vector<Exchange*> all = std::exchange(waiting, {});
    for (Exchange* exchange : all) Reply(*exchange);
  }

  void Reply(Exchange& exchange) {
    fill(exchange.reply);
    exchange.Finish();
  }

  std::function<void(HttpReply&)> fill = [](HttpReply& reply) { reply.body = "hello"; };
  bool replies_later = false;
  std::vector<Exchange*> waiting;
  std::vector<std::size_t> batches;  // sizes of the batches
  std::vector<Seen> seen;
  std::vector<StreamEvent> events;
};

}  // namespace sluice
