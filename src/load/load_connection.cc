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
  socket_.emplace(std::move(socket).value());
  session_ = std::move(session);
  sent_ = 0;
  waits_to_write_ = false;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = this;
  epoll_ctl(epoll, EPOLL_CTL_ADD, socket_->descriptor(), &event);
  return Done{};
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
  if (is_blocked != waits_to_write_) Watch(epoll, is_blocked);
}

void LoadConnection::Watch(int epoll, bool for_writing) {
  waits_to_write_ = for_writing;
  epoll_event event{};
  event.events = for_writing ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.ptr = this;
  epoll_ctl(epoll, EPOLL_CTL_MOD, socket_->descriptor(), &event);
}

}  // namespace sluice
