#include "cli/check/check_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "base/duration.h"
#include "base/text.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kReadBytes = 65536;
constexpr std::string_view kNotThere = "; is 'sluice serve' running there?";

// Sends as much as the socket takes without blocking. Returns 0 or the error.
int SendSome(int socket, std::string& output) {
  const ssize_t sent = send(socket, output.data(), output.size(), MSG_NOSIGNAL);
  if (sent >= 0) output.erase(0, static_cast<std::size_t>(sent));
  return sent < 0 && errno != EAGAIN && errno != EINTR ? errno : 0;
}

// Receives the bytes that have arrived. Returns 0 or the error.
int ReadSome(int socket, CheckClient& conversation) {
  std::array<char, kReadBytes> bytes;
  const ssize_t size = recv(socket, bytes.data(), bytes.size(), 0);
  if (size > 0) conversation.Receive({bytes.data(), static_cast<std::size_t>(size)});
  if (size == 0) conversation.ReceiveEnd();
  return size < 0 && errno != EAGAIN && errno != EINTR ? errno : 0;
}

// Waits for at most `left` until the socket is ready, and sends or receives. Returns 0 or the
// error.
int Step(int socket, CheckClient& conversation, Nanos left) {
  const bool sends = !conversation.output.empty();
  pollfd waiting{socket, static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN), 0};
  const auto millis = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  if (poll(&waiting, 1, static_cast<int>(millis)) < 0) return errno == EINTR ? 0 : errno;
  if (sends && (waiting.revents & POLLOUT) != 0) {
    if (const int error = SendSome(socket, conversation.output); error != 0) return error;
  }
  return (waiting.revents & ~POLLOUT) != 0 ? ReadSome(socket, conversation) : 0;
}

}  // namespace

Result<CheckAnswer> Converse(const ServerAddress& server, CheckClient& conversation, Clock& clock,
                             Nanos timeout) {
  const Time end = clock.Now() + timeout;
  const Result<Socket> socket = Connect(server, timeout);
  if (!socket) return Error{Concat(socket.error().message, kNotThere)};
  while (!conversation.answer()) {
    const Nanos left = end - clock.Now();
    if (left <= Nanos{0}) {
      return Error{Concat(server.text, " gave no answer in ", FormatDuration(timeout))};
    }
    const int error = Step(socket.value().descriptor(), conversation, left);
    if (error != 0) {
      return Error{Concat("lost the connection to ", server.text, ": ",
                          std::generic_category().message(error))};
    }
  }
  if (*conversation.answer()) return *conversation.answer();
  return Error{Concat(server.text, " ", conversation.answer()->error().message)};
}

}  // namespace sluice::cli
