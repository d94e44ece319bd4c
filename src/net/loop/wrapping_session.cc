#include "net/loop/wrapping_session.h"

#include <utility>

namespace sluice {

std::size_t WrappingSession::Offer(std::string_view unread) {
  if (inner_ == nullptr) {
    inner_ = MakeInner(unread);
    if (inner_ == nullptr) return 0;
    if (draining_) inner_->Drain();
    inner_->on_late_reply = [this] {
      Follow();
      if (on_late_reply) on_late_reply();
    };
  }
  inner_->SetMemoryScarce(is_memory_scarce());
  const std::size_t taken = inner_->Receive(unread);
  Follow();
  return taken;
}

void WrappingSession::Follow() {
  completed_ = inner_->completed();
  unfinished_ = inner_->unfinished();
  paused_ = inner_->paused();
  if (ended()) return;
  if (!inner_->output.empty()) Wrap(inner_->output);
  if (inner_->ended()) Leave();
}

void WrappingSession::Leave() {
  if (ended()) return;
  SayGoodbye();
  End();
}

void WrappingSession::TurnAway(ConnectionRejection::Cause cause, std::string_view why) {
  services_.entrance.report({cause, peer_, why});
  End();
}

void WrappingSession::ReceiveEnd() {
  if (inner_ == nullptr) return Leave();
  inner_->ReceiveEnd();
  Follow();
}

void WrappingSession::WarnOfDrain() {
  if (inner_ == nullptr) return;
  inner_->WarnOfDrain();
  Follow();
}

void WrappingSession::Drain() {
  const bool is_first = !std::exchange(draining_, true);
  if (inner_ != nullptr) {
    inner_->Drain();
    Follow();
  } else if (!is_first) {
    Leave();
  }
}

void WrappingSession::Retire() {
  // Without an inner session the header deadline limits the handshake.
  if (inner_ == nullptr) return;
  inner_->Retire();
  Follow();
}

void WrappingSession::Tick(Nanos now, const Deadlines& deadlines) {
  if (inner_ == nullptr) return;
  inner_->Tick(now, deadlines);
  Follow();
  Rests();
}

Session::Phase WrappingSession::phase() const {
  return inner_ == nullptr ? Phase::kHead : inner_->phase();
}

}  // namespace sluice
