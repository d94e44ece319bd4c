// OrderedSession: a load session for protocols that answer in the order of requests.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "load/load_session.h"
#include "load/request_template.h"

namespace sluice {

// Keeps the requests in flight and the bytes of an incomplete answer.
class OrderedSession : public LoadSession {
 public:
  OrderedSession(Listener& listener, std::shared_ptr<const RequestTemplate> request)
      : LoadSession(listener), request_(std::move(request)) {}

  void Send(std::uint64_t key, Time intended) final;
  bool Receive(std::string_view bytes) final;
  void ReceiveEnd(std::string_view cause) final;

  [[nodiscard]] std::size_t in_flight() const final { return sent_.size() - answered_; }
  [[nodiscard]] bool takes_requests() const final { return takes_requests_; }

 protected:
  // Reads one answer from the front and reports it with Answered. Returns the size of the answer, 0
  // if more bytes are needed, and kFault after Refuse.
  static constexpr std::size_t kFault = static_cast<std::size_t>(-1);
  virtual std::size_t ReadOne(std::string_view unread) = 0;
  // Reads the last bytes of a connection, for protocols in which the end of the connection ends an
  // answer.
  virtual std::size_t ReadLast(std::string_view unread) { return ReadOne(unread); }

  // Reports the result of the oldest request. Returns false and sets the fault if none is in
  // flight.
  bool Answered(Answer answer, std::string_view cause = "");
  // Called when the server takes no more requests. Reports those in flight as not taken, so that
  // they are sent again elsewhere.
  void StopTaking();

 private:
  std::shared_ptr<const RequestTemplate> request_;
  // When each request was due. Requests from index answered_ on are in flight.
  std::vector<Time> sent_;
  std::size_t answered_ = 0;
  std::string carried_;  // bytes of an incomplete answer
  bool takes_requests_ = true;
};

}  // namespace sluice
