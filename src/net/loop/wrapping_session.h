// WrappingSession: a session that contains another one (TLS, PROXY header).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "net/loop/choose_session.h"
#include "net/loop/session.h"

namespace sluice {

// The base of sessions that strip a layer off the received bytes and pass the rest to an inner
// session. Drains and ticks are passed to the inner session; its end and its late replies are
// passed to the connection.
//
// Thread safety and ownership: as Session; owns the inner session.
//
// Invariants, besides those of Session
//   (1) MakeInner is called with a growing prefix of the bytes until it returns a session. That
//       session sees the peer as known at that moment.
//   (2) The inner session's output is wrapped before each call returns; none of it stays there.
//   (3) The session ends when the inner session ends, after its own closing message.
class WrappingSession : public Session {
 public:
  void ReceiveEnd() override;
  void WarnOfDrain() override;
  void Drain() override;
  void Retire() override;
  void Tick(Nanos now, const Deadlines& deadlines) override;
  [[nodiscard]] Phase phase() const override;
  [[nodiscard]] std::size_t kept_bytes() const override {
    return inner_ == nullptr ? 0 : inner_->kept_bytes();
  }
  void ReleaseMemory() override {
    if (inner_ != nullptr) inner_->ReleaseMemory();
  }

 protected:
  explicit WrappingSession(const SessionParts& parts)
      : services_(parts.services), peer_(parts.peer), bounds_(parts.bounds) {}

  // Returns the inner session for these first bytes, or null while they do not select one.
  virtual std::unique_ptr<Session> MakeInner(std::string_view bytes) = 0;
  // Moves output of the inner session to this session's output. ENSURES: `said` is empty.
  virtual void Wrap(std::string& said) = 0;
  // Appends the closing message to the output, if the layer has one.
  virtual void SayGoodbye() = 0;

  // Passes bytes to the inner session and returns how many it has consumed.
  std::size_t Offer(std::string_view unread);
  // Ends the session in good order, with SayGoodbye.
  void Leave();
  // Reports the rejection to the listener's policy, and ends the session.
  void TurnAway(ConnectionRejection::Cause cause, std::string_view why);

  [[nodiscard]] SessionParts parts() const { return {services_, peer_, bounds_}; }
  // The peer may be changed only before there is an inner session.
  Peer& peer() { return peer_; }

 private:
  // Copies the inner session's state and wraps its output after every call.
  void Follow();

  Services& services_;
  Peer peer_;
  Bounds bounds_;
  std::unique_ptr<Session> inner_;  // null until the first bytes select one
  bool draining_ = false;
};

}  // namespace sluice
