#include "load/load_connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace sluice {

Result<Done> LoadConnection::Open(const ServerAddress& server, Nanos timeout, int epoll,
                                  std::unique_ptr<LoadSession> session) {
  Result<Socket> socket = Connect(server, timeout);
  if (!socket) return socket.error();
  Begin(std::move(socket).value(), std::move(session), epoll);
  return Done{};
}

void LoadConnection::Begin(Socket socket, std::unique_ptr<LoadSession> session, int epoll) {
  socket_.emplace(std::move(socket));
  session_ = std::move(session);
  sent_ = 0;
  waits_to_write_ = false;
  Watch(epoll, socket_->descriptor(), EPOLLIN);
}

Result<LoadConnection::Opening> LoadConnection::BeginOpening(const ServerAddress& server,
                                                             Nanos timeout, int epoll,
                                                             std::unique_ptr<LoadSession> session) {
  connecting_.emplace(server, timeout);
  next_session_ = std::move(session);
  return Settle(epoll);
}

Result<LoadConnection::Opening> LoadConnection::ContinueOpening(int epoll) {
  connecting_->Continue();
  return Settle(epoll);
}

Result<LoadConnection::Opening> LoadConnection::TimeOutOpening(int epoll) {
  connecting_->TimeOut();
  return Settle(epoll);
}

Result<LoadConnection::Opening> LoadConnection::Settle(int epoll) {
  if (connecting_->state() == Connecting::State::kUnderWay) {
    Watch(epoll, connecting_->descriptor(), EPOLLOUT);
    return Opening::kUnderWay;
  }
  Connecting over = *std::exchange(connecting_, std::nullopt);
  std::unique_ptr<LoadSession> session = std::move(next_session_);
  if (over.state() == Connecting::State::kFailed) return over.error();
  Begin(over.Take(), std::move(session), epoll);
  return Opening::kOpen;
}

void LoadConnection::Close(std::string_view cause) {
  if (!is_open()) return;
  session_->ReceiveEnd(cause);
  session_.reset();
  socket_.reset();
}

LoadConnection::Heard LoadConnection::Read(std::span<char> scratch, std::string_view& bytes) const {
  const ssize_t size = recv(socket_->descriptor(), scratch.data(), scratch.size(), MSG_DONTWAIT);
  if (size > 0) {
    bytes = {scratch.data(), static_cast<std::size_t>(size)};
    return Heard::kSome;
  }
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return Heard::kNothing;
  return Heard::kEnd;
}

void LoadConnection::Flush(int epoll) {
  session_->Pump();
  std::string& output = session_->output;
  while (sent_ < output.size()) {
    const ssize_t size = send(socket_->descriptor(), output.data() + sent_, output.size() - sent_,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) break;
    sent_ += static_cast<std::size_t>(size);
  }
  if (sent_ == output.size()) {
    output.clear();
    sent_ = 0;
  }
  const bool is_blocked = !output.empty();
  if (is_blocked == waits_to_write_) return;
  waits_to_write_ = is_blocked;
  Watch(epoll, socket_->descriptor(), is_blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

// Changes the events of a socket in epoll, or adds the socket if it is not registered yet.
void LoadConnection::Watch(int epoll, int descriptor, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = this;
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0) return;
  epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

}  // namespace sluice
