// LoadSession: the client side of a protocol, without the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "load/measurements.h"
#include "sluice/time.h"

namespace sluice {

// Encodes requests and decodes answers.
//
// Thread safety: none. Ownership: the listener must outlive it.
//
// Invariants
//   (1) Every request is reported exactly once, by Receive, ReceiveEnd or, if it cannot be sent,
//       Send itself.
//   (2) Buffers are reused: a request allocates nothing of ours unless more requests are in flight
//       than ever before, or an error is reported.
class LoadSession {
 public:
  // Notified of answers while one of the functions in invariant (1) runs. It must not send from
  // OnAnswer.
  class Listener {
   public:
    Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    virtual ~Listener() = default;
    // `cause` describes an error; it is empty for other answers.
    virtual void OnAnswer(Answer answer, Time intended, std::string_view cause) = 0;
  };

  explicit LoadSession(Listener& listener) : listener_(listener) {}
  LoadSession(const LoadSession&) = delete;
  LoadSession& operator=(const LoadSession&) = delete;
  virtual ~LoadSession() = default;

  // Sends a request for this key, which was due at `intended`. Pump writes it to the output.
  // REQUIRES: takes_requests().
  virtual void Send(std::uint64_t key, Time intended) = 0;
  virtual void Pump() {}

  // Processes received bytes. Returns false if the session cannot continue; fault() then describes
  // the error.
  virtual bool Receive(std::string_view bytes) = 0;
  // Called when the connection has ended. Reports requests in flight as errors with this cause.
  virtual void ReceiveEnd(std::string_view cause) = 0;

  [[nodiscard]] virtual std::size_t in_flight() const = 0;
  // Whether more requests may be sent; false after the server has announced that it closes.
  [[nodiscard]] virtual bool takes_requests() const = 0;
  // The error as the rest of a sentence about the server: "does not speak the protocol: a reply is
  // not HTTP/1".
  [[nodiscard]] const std::string& fault() const { return fault_; }

  // The bytes to send. The owner of the connection removes them from here.
  std::string output;

 protected:
  void Tell(Answer answer, Time intended, std::string_view cause = "") {
    listener_.OnAnswer(answer, intended, cause);
  }
  // Sets the fault and returns false, because the server does not speak the protocol.
  bool Refuse(std::string_view why) { return Fail(Concat("does not speak the protocol: ", why)); }
  // Sets the fault and returns false.
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
