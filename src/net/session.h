// Session: what a connection speaks, without the connection.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "net/bounds.h"
#include "sluice/time.h"

namespace sluice {

// A protocol as bytes in and bytes out. Sockets, TLS and deadlines are the connection's, so that
// sessions are tested, and fuzzed, without any.
//
// Thread safety: none; the thread of the connection's worker. Ownership: the service outlives it.
//
// Invariants
//   (1) Everything that one Receive completes is served as one batch, or a few large ones, and the
//       replies to what is finished by then are in the output when it returns.
//   (2) What is kept of an unfinished request is bounded; a peer that goes beyond is answered with
//       an error and the session ends.
//   (3) Replies leave in the order that the protocol asks for, whenever they are finished.
//   (4) Nothing more is served while the output is at max_output, or as much as one connection may
//       ask for at once is being served.
class Session {
 public:
  // What the session waits for, by which the connection knows its deadline.
  enum class Phase : std::uint8_t {
    kIdle,      // a request
    kHead,      // the rest of a head
    kBody,      // the rest of a body
    kAnswering  // its service, or what Tick has deadlines for
  };

  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  // Takes the bytes that have come and not been taken, and says how many it needs no more. It is
  // given the others again, with what comes after them.
  virtual std::size_t Receive(std::string_view unread) = 0;

  // No more will come. What is half there is dropped; what is being served is still answered.
  virtual void ReceiveEnd() = 0;

  // Tells of a drain that will come, whoever can be told of one while it goes on.
  virtual void WarnOfDrain() {}

  // Asks the peer to go: what has come is answered, what comes after is not, as far as the
  // protocol can say that. While nothing is under way only the second call ends it: a request may
  // be on its way, and only a reply can say that no other will be answered. May be called at any
  // time.
  virtual void Drain() = 0;

  // Asks the peer to go because the connection is old: what it sends meanwhile is still answered,
  // and it is closed when nothing is lost by that. To be called now and then until it has ended.
  virtual void Retire() = 0;

  [[nodiscard]] virtual Phase phase() const = 0;

  // To be called now and then, with a clock that counts from anywhere: gives up requests that are
  // late where others may go on, and gives back memory that only a busy session needs.
  virtual void Tick(Nanos now, const Deadlines& deadlines) = 0;

  // Says before each Receive whether all connections together keep too much. Serving then pauses
  // sooner.
  void SetMemoryScarce(bool is_scarce) {
    if (is_scarce != is_memory_scarce_) BoundOutput(connection_bytes_, is_scarce);
  }
  [[nodiscard]] bool is_memory_scarce() const { return is_memory_scarce_; }

  // Whether invariant (4) made it leave something for later. Nothing is to be read then; Receive is
  // to be called again with what it left, once the output has left or a late reply has come.
  [[nodiscard]] bool paused() const { return paused_; }

  // Whether nothing more is read or said: once the output has left the connection closes.
  [[nodiscard]] bool ended() const { return ended_; }

  // How many requests have come whole, ever.
  [[nodiscard]] std::uint64_t completed() const { return completed_; }

  // Returns how many bytes it keeps of requests and replies, and of memory that is to be used
  // again, beside what it leaves unread and its output. Must be cheap: it is called per read.
  [[nodiscard]] virtual std::size_t kept_bytes() const { return 0; }

  // Frees the memory that it holds only to be used again. Called when all connections together
  // keep too much.
  virtual void ReleaseMemory() {}

  // How many exchanges its service has not finished.
  [[nodiscard]] std::size_t unfinished() const { return unfinished_; }

  // What is to be sent. The connection takes it from here.
  std::string output;

  // Called when an exchange is finished while Receive is not running: there may be output, and one
  // fewer is unfinished.
  std::function<void()> on_late_reply;

 protected:
  // The most output at which serving pauses until it has left, so that a connection whose peer does
  // not read holds this much and one batch, not all that its pipelined requests ask for. Large
  // enough that a system call sends about a hundred replies of usual size, or more.
  static constexpr std::size_t kMaxOutputBytes = std::size_t{256} << 10U;
  // The same while memory is scarce: with what else it holds, such a connection stays below
  // ByteBudget::kLittle and is not closed.
  static constexpr std::size_t kScarceOutputBytes = std::size_t{4} << 10U;

  void End() { ended_ = true; }

  // To be called once by a session that serves, with what one connection may keep.
  void BoundOutput(std::size_t connection_bytes, bool is_scarce = false) {
    connection_bytes_ = connection_bytes;
    is_memory_scarce_ = is_scarce;
    max_output_ = std::min(connection_bytes, is_scarce ? kScarceOutputBytes : kMaxOutputBytes);
  }

  // The output at which serving pauses.
  [[nodiscard]] std::size_t max_output() const { return max_output_; }

  // Whether nothing has been asked since the last call. Lets the output's memory go then.
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
