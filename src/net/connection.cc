#include "net/connection.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <utility>

#include "net/choose_session.h"
#include "net/worker.h"

namespace sluice {
namespace {

namespace asio = boost::asio;

// An output that grew beyond this is not kept for the next reply.
constexpr std::size_t kOutputKept = std::size_t{16} << 10U;

// How much is read of a connection that is over.
constexpr std::size_t kLingerBytes = std::size_t{1} << 20U;

}  // namespace

Connection::Connection(Worker& worker, Arrival arrival, Services& services)
    : worker_(worker),
      socket_(std::move(arrival.socket)),
      peer_(std::move(arrival.peer)),
      seat_(std::move(arrival.seat)),
      services_(services),
      patience_(worker.deadlines()) {}

void Connection::Start() {
  asio::co_spawn(
      worker_.context(), [self = shared_from_this()] { return self->Run(); }, asio::detached);
}

asio::awaitable<void> Connection::Run() {
  while (const std::optional<Wait> what = Advance()) {
    if (!co_await Await(*what)) break;
  }
  if (socket_.is_open() && session_ != nullptr && session_->ended()) co_await Linger();
  Close();
  is_over_ = true;
  LeaveIfDone();
}

void Connection::LeaveIfDone() {
  const bool is_done = is_over_ && (session_ == nullptr || session_->unfinished() == 0);
  if (is_done && !std::exchange(has_left_, true)) worker_.Remove(*this);
}

std::optional<Connection::Wait> Connection::Advance() {
  if (!socket_.is_open()) return std::nullopt;
  if (session_ == nullptr) return peer_ended_ ? std::nullopt : std::optional(Wait::wait_read);
  do {
    const Sent sent = SendSome();
    if (sent == Sent::kBlocked) return Wait::wait_write;
    if (sent == Sent::kFailed || session_->ended()) return std::nullopt;
    if (session_->paused()) Feed({});
  } while (session_->ended() || !session_->output.empty());
  // What is still due comes as a late reply; until then only the loss of the peer is of interest.
  return peer_ended_ || session_->paused() ? Wait::wait_error : Wait::wait_read;
}

asio::awaitable<bool> Connection::Await(Wait what) {
  boost::system::error_code error;
  waits_for_ = what;
  co_await socket_.async_wait(what, asio::redirect_error(asio::use_awaitable, error));
  waits_for_.reset();
  if (error == asio::error::operation_aborted) co_return socket_.is_open();
  if (error || what == Wait::wait_error) co_return false;
  if (what == Wait::wait_read && !lingers_) Read();
  co_return true;
}

void Connection::Wake() {
  if (!waits_for_ || lingers_) return;
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

asio::awaitable<void> Connection::Linger() {
  lingers_ = true;
  shutdown(socket_.native_handle(), SHUT_WR);
  const std::span<char> scratch = worker_.scratch();
  for (std::size_t read = 0; read < kLingerBytes;) {
    const ssize_t size =
        recv(socket_.native_handle(), scratch.data(), scratch.size(), MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) co_return;
    if (size > 0) {
      read += static_cast<std::size_t>(size);
    } else if (!co_await Await(Wait::wait_read)) {
      co_return;
    }
  }
}

void Connection::Read() {
  const std::span<char> scratch = worker_.scratch();
  const ssize_t size = recv(socket_.native_handle(), scratch.data(), scratch.size(), MSG_DONTWAIT);
  if (size > 0) {
    Feed({scratch.data(), static_cast<std::size_t>(size)});
  } else if (size == 0) {
    peer_ended_ = true;
    if (session_ != nullptr) session_->ReceiveEnd();
  } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
    Close();
  }
}

void Connection::Feed(std::string_view bytes) {
  if (!carried_.empty()) {
    carried_.append(bytes);
    bytes = carried_;
  }
  if (session_ == nullptr) ChooseSession(bytes);
  const std::size_t taken = session_ == nullptr ? 0 : session_->Receive(bytes);
  if (carried_.empty()) {
    carried_.assign(bytes.substr(taken));
  } else {
    carried_.erase(0, taken);
  }
  if (carried_.empty()) std::string().swap(carried_);
}

void Connection::ChooseSession(std::string_view bytes) {
  session_ = sluice::ChooseSession(bytes, services_, peer_, worker_.bounds());
  if (session_ == nullptr) return;
  session_->on_late_reply = [this] { OnLateReply(); };
  if (draining_) session_->Drain();
}

Connection::Sent Connection::SendSome() {
  std::string& output = session_->output;
  while (sent_ < output.size()) {
    const ssize_t size = send(socket_.native_handle(), output.data() + sent_, output.size() - sent_,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Sent::kBlocked : Sent::kFailed;
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

void Connection::OnLateReply() {
  Wake();
  LeaveIfDone();
}

void Connection::WarnOfDrain() {
  if (session_ != nullptr) session_->WarnOfDrain();
}

void Connection::Drain() {
  if (seat_.audience() == Audience::kOperators) return;
  draining_ = true;
  if (!socket_.is_open() || lingers_) return;
  // What the system has taken from the peer already has come, though nobody has read it yet.
  const bool reads = !peer_ended_ && !IsSending() && (session_ == nullptr || !session_->paused());
  if (reads) Read();
  if (session_ == nullptr) {
    Close();
    return;
  }
  session_->Drain();
  Wake();
}

void Connection::Close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

Patience::Seen Connection::Look() {
  Patience::Seen seen;
  if (lingers_ || leaves_) {
    seen.awaits = Patience::Awaits::kEnd;
  } else if (IsSending()) {
    seen.awaits = Patience::Awaits::kReader;
    int queued = 0;
    ioctl(socket_.native_handle(), SIOCOUTQ, &queued);
    seen.taken = sent_ever_ - queued;
  } else if (session_ != nullptr) {
    seen.awaits = Patience::For(session_->phase());
  }
  if (session_ != nullptr) seen.completed = session_->completed();
  return seen;
}

void Connection::CheckDeadline(Nanos now) {
  if (!socket_.is_open()) return;
  if (session_ != nullptr) {
    session_->Tick(now, worker_.deadlines());
    if (!session_->output.empty()) Wake();
  }
  const Patience::Seen seen = Look();
  if (!patience_.IsOver(seen, now)) return;
  if (seen.awaits != Patience::Awaits::kRequest) {
    Close();
    return;
  }
  leaves_ = true;
  // At once, where the first call only announces.
  session_->Drain();
  session_->Drain();
  Wake();
}

}  // namespace sluice
