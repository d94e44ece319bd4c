// OuterSession: a session that carries another one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "net/choose_session.h"
#include "net/session.h"

namespace sluice {

// What is alike in all sessions that take something off the bytes of a connection and hand the rest
// to a session of its own: that one's ends, drains and late replies are theirs.
//
// Thread safety and ownership: as Session; the inner session is its own.
//
// Invariants, beside those of Session
//   (1) The inner session is asked for again and again until the bytes tell which it is, and sees
//       the peer as it is known by then.
//   (2) What the inner session says is wrapped before it returns; nothing of it is kept.
//   (3) It ends when the inner session does, after its own last words.
class OuterSession : public Session {
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
  explicit OuterSession(const SessionParts& parts)
      : services_(parts.services), peer_(parts.peer), bounds_(parts.bounds) {}

  // For these first bytes, or null while that is open.
  virtual std::unique_ptr<Session> MakeInner(std::string_view bytes) = 0;
  // Moves what the inner session says to the output. ENSURES: `said` is empty.
  virtual void Wrap(std::string& said) = 0;
  // The last that is put to the output.
  virtual void SayGoodbye() = 0;

  // Hands bytes to the inner session, and says how many of them are needed no more.
  std::size_t Offer(std::string_view unread);
  // Ends in good order.
  void Leave();
  // Says that it was not let in, and ends.
  void TurnAway(TurnedAway::Cause cause, std::string_view why);

  [[nodiscard]] SessionParts parts() const { return {services_, peer_, bounds_}; }
  // To be changed only before there is an inner session.
  Peer& peer() { return peer_; }

 private:
  // Takes over what has become of the inner session.
  void Follow();

  Services& services_;
  Peer peer_;
  Bounds bounds_;
  std::unique_ptr<Session> inner_;  // null until the first bytes tell which
  bool draining_ = false;
};

}  // namespace sluice
