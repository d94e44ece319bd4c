// Session: the server's side of a protocol on one connection, without the socket.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "net/loop/bounds.h"
#include "sluice/time.h"

namespace sluice {

// A protocol that takes received bytes and produces bytes to send. The Connection has the socket
// and the deadlines, so sessions can be tested and fuzzed without either.
//
// Thread safety: none; used on the thread of the connection's worker. Ownership: owned by its
// Connection or by a WrappingSession; the service must outlive it.
//
// Invariants
//   (1) All requests that one Receive completes are served as one batch, or as a few large ones.
//       When Receive returns, the output contains the replies finished by then.
//   (2) The memory of an incomplete request is bounded. A peer that exceeds the bound gets an error
//       reply, and the session ends unless the protocol can skip the rest of the request.
//   (3) Replies are sent in the order that the protocol requires, in whatever order they finish.
//   (4) Serving pauses while the output is at max_output() or the maximum number of requests per
//       connection is in flight.
class Session {
 public:
  // The event that the session waits for, which selects the connection's deadline.
  enum class Phase : std::uint8_t {
    kIdle,      // a request
    kHead,      // the rest of a head
    kBody,      // the rest of a body
    kAnswering  // the service, or an event whose deadline Tick checks
  };

  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  // Processes the received bytes and returns how many it has consumed. The caller passes the others
  // again, followed by the bytes received after them.
  virtual std::size_t Receive(std::string_view unread) = 0;

  // Called when the peer will send no more. Drops an incomplete request; requests being served are
  // still answered.
  virtual void ReceiveEnd() = 0;

  // Announces a later drain to streaming requests; those may go on.
  virtual void WarnOfDrain() {}

  // Asks the peer to disconnect: received requests are answered, later ones are not, as far as the
  // protocol can express that. Without requests in flight only the second call ends the session,
  // because a request may be on its way, and only a reply can announce that it is the last. May be
  // called at any time.
  virtual void Drain() = 0;

  // Asks the peer to disconnect because of the connection's age. Requests are still answered, and
  // the session ends when no request can be lost. Called on every tick until it has ended.
  virtual void Retire() = 0;

  [[nodiscard]] virtual Phase phase() const = 0;

  // Called on every tick of the worker, with any clock that does not step. Resets late requests if
  // the protocol can do that one by one, and frees memory that only a busy session needs.
  virtual void Tick(Nanos now, const Deadlines& deadlines) = 0;

  // Called before each Receive: `is_scarce` if the ByteBudget is exceeded. Serving then pauses
  // sooner.
  void SetMemoryScarce(bool is_scarce) {
    if (is_scarce != is_memory_scarce_) BoundOutput(connection_bytes_, is_scarce);
  }
  [[nodiscard]] bool is_memory_scarce() const { return is_memory_scarce_; }

  // Returns whether invariant (4) paused serving. The caller must then read no more, and call
  // Receive again with the bytes left once the output has been sent or a late reply has arrived.
  [[nodiscard]] bool paused() const { return paused_; }

  // Returns whether the session neither reads nor writes any more. The connection closes once the
  // output has been sent.
  [[nodiscard]] bool ended() const { return ended_; }

  // Returns the number of complete requests received so far.
  [[nodiscard]] std::uint64_t completed() const { return completed_; }

  // Returns the bytes kept for requests and replies and held for reuse, without unread bytes and
  // the output. Must be cheap, because it is called for every read.
  [[nodiscard]] virtual std::size_t kept_bytes() const { return 0; }

  // Frees the memory held for reuse. Called when the ByteBudget is exceeded.
  virtual void ReleaseMemory() {}

  // Returns the number of exchanges that the service has not finished.
  [[nodiscard]] std::size_t unfinished() const { return unfinished_; }

  // Bytes to send; the connection removes them once they are sent.
  std::string output;

  // Called when an exchange is finished, or a streaming one sends, outside Receive. There may be
  // output, and unfinished() may have decreased.
  std::function<void()> on_late_reply;

 protected:
  // Output size at which serving pauses. A connection whose peer does not read then holds this much
  // plus one batch of replies, not the replies to all its pipelined requests. Large enough that one
  // system call sends a hundred replies of usual size or more.
  static constexpr std::size_t kMaxOutputBytes = std::size_t{256} << 10U;
  // The bound while memory is scarce. It keeps the whole connection below ByteBudget::kLittle, so
  // that it is not closed.
  static constexpr std::size_t kScarceOutputBytes = std::size_t{4} << 10U;

  void End() { ended_ = true; }

  // Sets the output bound. Called in the constructor of sessions that serve requests, with
  // Bounds::connection_bytes.
  void BoundOutput(std::size_t connection_bytes, bool is_scarce = false) {
    connection_bytes_ = connection_bytes;
    is_memory_scarce_ = is_scarce;
    max_output_ = std::min(connection_bytes, is_scarce ? kScarceOutputBytes : kMaxOutputBytes);
  }

  // Returns the output size at which serving pauses.
  [[nodiscard]] std::size_t max_output() const { return max_output_; }

  // Returns whether the session is idle and no request was completed since the last call. Frees the
  // output's memory in that case.
  bool Rests() {
    const bool rests = phase() == Phase::kIdle && completed_ == completed_before_;
    completed_before_ = completed_;
    if (rests && output.empty()) std::string().swap(output);
    return rests;
  }

  std::uint64_t completed_ = 0;
  std::size_t unfinished_ = 0;
  bool paused_ = false;

 private:
  std::size_t connection_bytes_ = kMaxOutputBytes;
  std::size_t max_output_ = kMaxOutputBytes;
  bool is_memory_scarce_ = false;
  std::uint64_t completed_before_ = 0;
  bool ended_ = false;
};

}  // namespace sluice
