#include "net/connection.h"

#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <utility>

#include "net/choose_session.h"
#include "net/worker.h"

namespace sluice {
namespace {

namespace asio = boost::asio;
using asio::posix::stream_descriptor;
using Wait = stream_descriptor::wait_type;

// An output that grew beyond this is not kept for the next reply.
constexpr std::size_t kOutputKept = std::size_t{16} << 10U;

// How long a connection that is over may linger, and how much is read meanwhile.
constexpr Nanos kLinger = std::chrono::seconds(1);
constexpr std::size_t kLingerBytes = std::size_t{1} << 20U;

asio::awaitable<bool> Await(stream_descriptor& socket, Wait what) {
  boost::system::error_code error;
  co_await socket.async_wait(what, asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

}  // namespace

Connection::Connection(Worker& worker, stream_descriptor socket, Peer peer, Services& services)
    : worker_(worker), socket_(std::move(socket)), peer_(std::move(peer)), services_(services) {}

Connection::~Connection() { worker_.Remove(*this); }

void Connection::Start() {
  asio::co_spawn(
      worker_.context(), [self = shared_from_this()] { return self->Run(); }, asio::detached);
}

asio::awaitable<void> Connection::Run() {
  while (!IsOver()) {
    if (!co_await Await(socket_, Wait::wait_read)) break;
    const bool is_there = Read();
    if (session_ != nullptr && SendSome() != Sent::kAll && !co_await Flush()) break;
    if (!is_there) break;
  }
  if (socket_.is_open() && IsOver()) co_await Linger();
  Close();
  if (session_ != nullptr && session_->unfinished() > 0) kept_ = shared_from_this();
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
    } else if (!co_await Await(socket_, Wait::wait_read)) {
      co_return;
    }
  }
}

bool Connection::IsOver() const {
  if (!socket_.is_open()) return true;
  return session_ != nullptr && session_->ended() && sent_ == session_->output.size();
}

bool Connection::Read() {
  const std::span<char> scratch = worker_.scratch();
  const ssize_t size = recv(socket_.native_handle(), scratch.data(), scratch.size(), MSG_DONTWAIT);
  if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (size == 0) {
    if (session_ != nullptr) session_->ReceiveEnd();
    return false;
  }
  Feed({scratch.data(), static_cast<std::size_t>(size)});
  return true;
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
    took_some_ = true;
  }
  sent_ = 0;
  if (output.capacity() > kOutputKept) {
    std::string().swap(output);
  } else {
    output.clear();
  }
  return Sent::kAll;
}

asio::awaitable<bool> Connection::Flush() {
  flushing_ = true;
  Sent sent = SendSome();
  while (sent == Sent::kBlocked) {
    if (!co_await Await(socket_, Wait::wait_write)) sent = Sent::kFailed;
    if (sent != Sent::kFailed) sent = SendSome();
  }
  flushing_ = false;
  co_return sent == Sent::kAll;
}

void Connection::OnLateReply() {
  if (!socket_.is_open()) {
    if (session_->unfinished() == 0) kept_.reset();
    return;
  }
  if (flushing_) return;
  asio::co_spawn(
      worker_.context(), [self = shared_from_this()] { return self->FlushLate(); }, asio::detached);
}

asio::awaitable<void> Connection::FlushLate() {
  if (flushing_ || !socket_.is_open()) co_return;
  const bool is_there = co_await Flush();
  if (!is_there || IsOver()) Close();
}

void Connection::Drain() {
  draining_ = true;
  // What the system has taken from the peer already has come, though nobody has read it yet.
  const bool is_there = socket_.is_open() && Read();
  if (!is_there || session_ == nullptr) {
    Close();
    return;
  }
  session_->Drain();
  OnLateReply();
}

void Connection::Close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
  kept_.reset();
}

Nanos Connection::Allowed() const {
  const Deadlines& deadlines = worker_.deadlines();
  if (lingers_) return kLinger;
  if (flushing_) return deadlines.write;
  switch (phase_) {
    case Session::Phase::kIdle:
      return deadlines.idle;
    case Session::Phase::kHead:
      return deadlines.header;
    case Session::Phase::kBody:
      return deadlines.body;
    case Session::Phase::kAnswering:
      return Nanos::max();
  }
  return Nanos::max();
}

void Connection::CheckDeadline(Nanos now) {
  const Session::Phase phase = session_ == nullptr ? Session::Phase::kHead : session_->phase();
  const std::uint64_t completed = session_ == nullptr ? 0 : session_->completed();
  // A request that comes byte by byte is late from its first one on.
  const bool moves = completed != completed_ || (flushing_ && took_some_);
  if (phase != phase_ || moves || lingers_ != lingered_) since_ = now;
  lingered_ = lingers_;
  phase_ = phase;
  completed_ = completed;
  took_some_ = false;
  if (now - since_ > Allowed()) Close();
}

}  // namespace sluice
