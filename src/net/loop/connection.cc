#include "net/loop/connection.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "net/loop/choose_session.h"
#include "net/loop/kept_text.h"
#include "net/loop/worker.h"

namespace sluice {
namespace {

// Maximum capacity, in bytes, of an output buffer that is kept for the next reply.
constexpr std::size_t kOutputKept = std::size_t{16} << 10U;

// Maximum bytes to read while lingering.
constexpr std::size_t kLingerBytes = std::size_t{1} << 20U;

}  // namespace

Connection::Connection(Worker& worker, Arrival arrival, Services& services)
    : worker_(worker),
      socket_(std::move(arrival.socket)),
      peer_(std::move(arrival.peer)),
      slot_(std::move(arrival.slot)),
      kept_(worker.budget()),
      services_(services),
      timeouts_(worker.DeadlinesOf(slot_.audience())) {}

void Connection::Start() {
  if (!worker_.loop().Watch(socket_.descriptor(), *this)) return Close();
  Wake();
}

void Connection::OnReady(const EventLoop::Readiness& ready) {
  has_input_ = has_input_ || ready.input || ready.ended || ready.broken;
  input_ends_ = input_ends_ || ready.ended || ready.broken;
  is_broken_ = is_broken_ || ready.broken;
  Proceed();
}

void Connection::OnAgain() {
  is_woken_ = false;
  Proceed();
  LeaveIfDone();
}

void Connection::Proceed() {
  if (is_over_) return;
  if (!is_open()) return Finish();
  if (lingers_) return Linger();
  for (bool has_read = false;; has_read = true) {
    waits_for_.reset();
    const std::optional<Wait> what = Advance();
    if (!what || !CountKept() || (is_broken_ && *what == Wait::kLoss)) return End();
    waits_for_ = what;
    if (*what == Wait::kRoom && !std::exchange(watches_room_, true)) {
      worker_.loop().WatchRoom(socket_.descriptor(), *this);
    }
    if (*what != Wait::kInput || !has_input_) return;
    // A peer that sends without pause must not starve the other connections.
    if (has_read) return Wake();
    Read();
  }
}

void Connection::End() {
  if (!is_open() || session_ == nullptr || !session_->ended()) return Finish();
  lingers_ = true;
  shutdown(socket_.descriptor(), SHUT_WR);
  Linger();
}

void Connection::Finish() {
  is_over_ = true;
  Close();
  FreeMemory();
  LeaveIfDone();
}

void Connection::FreeMemory() {
  std::string().swap(carried_);
  sent_ = 0;
  if (session_ != nullptr && session_->unfinished() == 0) session_.reset();
  if (session_ != nullptr) {
    std::string().swap(session_->output);
    session_->ReleaseMemory();
  }
  kept_.Set(KeptBytes());
}

void Connection::LeaveIfDone() {
  const bool is_done =
      is_over_ && !is_woken_ && (session_ == nullptr || session_->unfinished() == 0);
  if (is_done && !std::exchange(has_left_, true)) worker_.Remove(*this);
}

std::optional<Connection::Wait> Connection::Advance() {
  if (!is_open()) return std::nullopt;
  if (session_ == nullptr) return peer_ended_ ? std::nullopt : std::optional(Wait::kInput);
  do {
    const Sent sent = SendSome();
    if (sent == Sent::kBlocked) return Wait::kRoom;
    if (sent == Sent::kFailed || session_->ended()) return std::nullopt;
    if (session_->paused()) Feed({});
  } while (session_->ended() || !session_->output.empty());
  // The remaining replies come late; until then only the loss of the peer matters.
  return peer_ended_ || session_->paused() ? Wait::kLoss : Wait::kInput;
}

bool Connection::CountKept() {
  // Memory used by clients must never close operator connections.
  if (slot_.audience() == Audience::kOperators) return true;
  const std::size_t before = kept_.bytes();
  if (kept_.Set(KeptBytes())) return true;
  if (ReleaseMemory() <= std::max(before, ByteBudget::kLittle)) return true;
  worker_.ReclaimMemory();
  if (!worker_.budget().is_exceeded()) return true;
  services_.entrance.report({ConnectionRejection::Cause::kNoRoom, peer_,
                             "what all connections keep is more than bounds.bytes"});
  return false;
}

bool Connection::IsMemoryScarce() const {
  return slot_.audience() == Audience::kClients && worker_.budget().is_exceeded();
}

std::size_t Connection::KeptBytes() const {
  std::size_t bytes = carried_.size();
  if (session_ != nullptr) bytes += session_->output.size() - sent_ + session_->kept_bytes();
  return bytes;
}

std::size_t Connection::ReleaseMemory() {
  if (slot_.audience() == Audience::kOperators) return 0;
  if (session_ != nullptr) session_->ReleaseMemory();
  const std::size_t bytes = KeptBytes();
  kept_.Set(bytes);
  return bytes;
}

void Connection::Wake() {
  if (is_over_ || std::exchange(is_woken_, true)) return;
  worker_.loop().Again(*this);
}

void Connection::Linger() {
  const std::span<char> scratch = worker_.scratch();
  while (lingered_ < kLingerBytes) {
    const ssize_t size = recv(socket_.descriptor(), scratch.data(), scratch.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (size <= 0) break;
    lingered_ += static_cast<std::size_t>(size);
  }
  Finish();
}

void Connection::Read() {
  const std::span<char> scratch = worker_.scratch();
  const ssize_t size = recv(socket_.descriptor(), scratch.data(), scratch.size(), MSG_DONTWAIT);
  // If the read did not fill the buffer, new input causes a new notification (edge-triggered). The
  // end of input does not if it was reported already, so it must be read now.
  has_input_ = size == static_cast<ssize_t>(scratch.size()) || (size > 0 && input_ends_);
  if (size > 0) {
    Feed({scratch.data(), static_cast<std::size_t>(size)});
  } else if (size == 0) {
    peer_ended_ = true;
    if (session_ != nullptr) session_->ReceiveEnd();
  } else if (errno == EINTR) {
    has_input_ = true;
  } else if (errno != EAGAIN && errno != EWOULDBLOCK) {
    Close();
  }
}

void Connection::Feed(std::string_view bytes) {
  if (!carried_.empty()) {
    carried_.append(bytes);
    bytes = carried_;
  }
  if (session_ == nullptr) ChooseSession(bytes);
  if (session_ != nullptr) session_->SetMemoryScarce(IsMemoryScarce());
  const std::size_t taken = session_ == nullptr ? 0 : session_->Receive(bytes);
  if (carried_.empty()) {
    carried_.assign(bytes.substr(taken));
  } else {
    EraseFront(carried_, taken);
  }
  if (carried_.empty()) std::string().swap(carried_);
}

void Connection::ChooseSession(std::string_view bytes) {
  session_ =
      sluice::ChooseSession(bytes, services_, peer_, worker_.bounds(),
                            [this](std::string_view address) { return MoveToClient(address); });
  if (session_ == nullptr) return;
  session_->on_late_reply = [this] { OnLateReply(); };
  if (draining_) session_->Drain();
}

bool Connection::MoveToClient(std::string_view address) {
  if (slot_.MoveTo(address)) return true;
  // Closed immediately, like a direct connection from a client with too many connections.
  Close();
  return false;
}

Connection::Sent Connection::SendSome() {
  std::string& output = session_->output;
  while (sent_ < output.size()) {
    const ssize_t size = send(socket_.descriptor(), output.data() + sent_, output.size() - sent_,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return Sent::kFailed;
    if (size < 0) {
      FreeSent();
      return Sent::kBlocked;
    }
    sent_ += static_cast<std::size_t>(size);
    sent_ever_ += size;
  }
  sent_ = 0;
  if (output.capacity() > kOutputKept) {
    std::string().swap(output);
  } else {
    output.clear();
  }
  return Sent::kAll;
}

void Connection::FreeSent() {
  std::string& output = session_->output;
  // Holds at most twice the counted memory, and moves each byte at most once.
  if (output.capacity() / 2 < output.size() - sent_) return;
  output = std::string(output, sent_);
  sent_ = 0;
}

void Connection::OnLateReply() {
  // The connection is closed, so the reply cannot be sent.
  if (is_over_) std::string().swap(session_->output);
  Wake();
  LeaveIfDone();
}

void Connection::WarnOfDrain() {
  if (session_ != nullptr) session_->WarnOfDrain();
}

void Connection::Drain() {
  if (slot_.audience() == Audience::kOperators) return;
  if (!is_open() || lingers_) return;
  // Requests in the socket's receive buffer count as received before the drain.
  const bool reads = !peer_ended_ && !IsSending() && (session_ == nullptr || !session_->paused());
  if (reads) Read();
  const bool is_first = !std::exchange(draining_, true);
  if (session_ != nullptr) {
    session_->Drain();
    Wake();
  } else if (!is_first) {
    Close();
  }
}

void Connection::Close() {
  socket_ = Socket(-1);
  Wake();
}

ConnectionTimeouts::Seen Connection::Look() {
  ConnectionTimeouts::Seen seen;
  if (lingers_ || leaves_) {
    seen.awaits = ConnectionTimeouts::Awaits::kEnd;
  } else if (IsSending()) {
    seen.awaits = ConnectionTimeouts::Awaits::kReader;
    int queued = 0;
    ioctl(socket_.descriptor(), SIOCOUTQ, &queued);
    seen.taken = sent_ever_ - queued;
  } else if (session_ != nullptr) {
    seen.awaits = ConnectionTimeouts::For(session_->phase());
  }
  if (session_ != nullptr) seen.completed = session_->completed();
  return seen;
}

void Connection::CountAtRest() {
  if (slot_.audience() == Audience::kOperators) return;
  kept_.Set(KeptBytes());
  // Frees spare memory even if this connection has not grown, because others may need it.
  if (worker_.budget().is_exceeded() && kept_.bytes() > ByteBudget::kLittle) ReleaseMemory();
}

ConnectionWait Connection::WaitOf(const ConnectionTimeouts::Seen& seen) const {
  if (session_ != nullptr && session_->unfinished() > 0) return ConnectionWait::kNone;
  if (seen.awaits == ConnectionTimeouts::Awaits::kRequest) return ConnectionWait::kRequest;
  if (seen.awaits == ConnectionTimeouts::Awaits::kHead) return ConnectionWait::kHead;
  // Includes kService without unfinished exchanges: HTTP/2 streams that wait for their peer.
  return ConnectionWait::kTransfer;
}

bool Connection::StaysWaiting() {
  const std::uint64_t completed = session_ == nullptr ? 0 : session_->completed();
  if (!IsSending() && (session_ == nullptr || !session_->paused())) Read();
  if (!is_open() || peer_ended_) return false;
  return session_ == nullptr || session_->completed() == completed;
}

bool Connection::LookForSeat(Nanos now) {
  const ConnectionTimeouts::Seen seen = Look();
  const bool is_over = timeouts_.IsOver(seen, now);
  slot_.SetWaiting(WaitOf(seen), timeouts_.since());
  return is_over;
}

void Connection::UpdateSeat(Nanos now) {
  if (is_open()) LookForSeat(now);
}

bool Connection::MayLeave() {
  const ConnectionTimeouts::Seen seen = Look();
  const ConnectionWait wait = WaitOf(seen);
  // Eviction loses the request, so it must have made no progress for two samples.
  if (wait == ConnectionWait::kTransfer && !timeouts_.IsStalled(seen)) return false;
  if (wait == ConnectionWait::kNone || !StaysWaiting()) return false;
  return WaitOf(Look()) != ConnectionWait::kNone;
}

void Connection::LeaveIfWaiting() {
  if (!is_open()) return;
  if (lingers_) return Finish();
  if (!MayLeave()) return Wake();
  leaves_ = true;
  if (session_ != nullptr) {
    session_->Drain();
    session_->Drain();
    SendSome();
  }
  // Closed immediately: a waiting client needs the slot, and no input is unread.
  Close();
}

void Connection::RetireIfOld(Nanos now) {
  if (now < retires_at || session_ == nullptr || lingers_ || leaves_ || session_->ended()) return;
  // Pending input is read first, because it may contain a request.
  if (Look().awaits == ConnectionTimeouts::Awaits::kRequest && !StaysWaiting()) return Wake();
  session_->Retire();
  Wake();
}

void Connection::CheckDeadline(Nanos now) {
  if (!is_open()) return;
  if (session_ != nullptr) {
    session_->Tick(now, worker_.DeadlinesOf(slot_.audience()));
    if (!session_->output.empty()) Wake();
    CountAtRest();
  }
  RetireIfOld(now);
  if (!LookForSeat(now)) return;
  if (Look().awaits != ConnectionTimeouts::Awaits::kRequest) {
    Close();
    return;
  }
  // A request may have arrived already: then the connection is not idle.
  if (!StaysWaiting() || Look().awaits != ConnectionTimeouts::Awaits::kRequest) return Wake();
  leaves_ = true;
  // Called twice, because the first call only announces the end over HTTP/2 and may wait for a
  // request over HTTP/1.
  session_->Drain();
  session_->Drain();
  Wake();
}

}  // namespace sluice
