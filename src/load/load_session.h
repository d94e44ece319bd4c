// LoadSession: a protocol as a load generator speaks it, without the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "load/measurements.h"
#include "sluice/time.h"

namespace sluice {

// Requests out and answers in.
//
// Thread safety: none. Ownership: the listener outlives it.
//
// Invariants
//   (1) Every request that was sent is told of once, by Receive or ReceiveEnd.
//   (2) Once it has seen as many requests at a time as there ever are it allocates nothing of its
//       own, but for errors.
class LoadSession {
 public:
  // Who is told of answers, while Receive or ReceiveEnd runs, and sends nothing then.
  class Listener {
   public:
    Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    virtual ~Listener() = default;
    // `cause` is that of an error.
    virtual void OnAnswer(Answer answer, Time intended, std::string_view cause) = 0;
  };

  explicit LoadSession(Listener& listener) : listener_(listener) {}
  LoadSession(const LoadSession&) = delete;
  LoadSession& operator=(const LoadSession&) = delete;
  virtual ~LoadSession() = default;

  // Sends a request for that key, which was to be sent at `intended`. It is in the output after
  // Pump. REQUIRES: takes_requests().
  virtual void Send(std::uint64_t key, Time intended) = 0;
  virtual void Pump() {}

  // Takes what came. False where it makes no sense to go on: fault() says why.
  virtual bool Receive(std::string_view bytes) = 0;
  // No more will come. What is under way is told of as errors, with this cause.
  virtual void ReceiveEnd(std::string_view cause) = 0;

  [[nodiscard]] virtual std::size_t in_flight() const = 0;
  // Whether more may be sent: not after the server has said that it closes.
  [[nodiscard]] virtual bool takes_requests() const = 0;
  // The rest of a sentence about the server: "does not speak the protocol: a reply is not HTTP/1".
  [[nodiscard]] const std::string& fault() const { return fault_; }

  // What is to be sent. Its owner takes it from here.
  std::string output;

 protected:
  void Tell(Answer answer, Time intended, std::string_view cause = "") {
    listener_.OnAnswer(answer, intended, cause);
  }
  // False, with the fault set: the server does not speak the protocol.
  bool Refuse(std::string_view why) { return Fail(Concat("does not speak the protocol: ", why)); }
  // False, with the fault set.
  bool Fail(std::string fault) {
    fault_ = std::move(fault);
    return false;
  }

 private:
  Listener& listener_;
  std::string fault_;
};

using LoadSessionFactory =
    std::function<std::unique_ptr<LoadSession>(LoadSession::Listener& listener)>;

}  // namespace sluice
