// OrderedSession: a load session of a protocol that answers in the order of requests.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "load/load_session.h"
#include "load/request_template.h"

namespace sluice {

// Keeps the requests that are under way, and the bytes of an answer half there.
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
  // Reads one answer from the front and tells of it by Answered or Failed. Returns how many bytes
  // were its own, 0 where more must come, and kFault after Refuse.
  static constexpr std::size_t kFault = static_cast<std::size_t>(-1);
  virtual std::size_t ReadOne(std::string_view unread) = 0;
  // The same at the end of a connection, for protocols in which that ends an answer.
  virtual std::size_t ReadLast(std::string_view unread) { return ReadOne(unread); }

  // What became of the oldest request. False, with a fault, where none is under way.
  bool Answered(Answer answer, std::string_view cause = "");
  // The server takes no more: what is under way is to be sent again, elsewhere.
  void StopTaking();

 private:
  std::shared_ptr<const RequestTemplate> request_;
  std::vector<Time> sent_;  // when those under way were to be sent, from answered_ on
  std::size_t answered_ = 0;
  std::string carried_;  // of an answer that is not whole
  bool takes_requests_ = true;
};

}  // namespace sluice
