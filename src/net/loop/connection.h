// Connection: an accepted socket and its session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/loop/byte_budget.h"
#include "net/loop/connect.h"
#include "net/loop/connection_limits.h"
#include "net/loop/connection_timeouts.h"
#include "net/loop/event_loop.h"
#include "net/loop/peer.h"
#include "net/loop/services.h"
#include "net/loop/session.h"

namespace sluice {

class Worker;

// Moves bytes between a socket and a session, and closes when the session has ended, the peer has
// disconnected, or a deadline has passed.
//
// Thread safety: none; used on its worker's thread only. Ownership: owned by its worker until it is
// closed and its session has no unfinished exchange. The worker and the services must outlive it.
//
// Invariants
//   (1) An idle connection holds no buffers.
//   (2) Nothing more is read while the peer does not read its replies.
//   (3) A peer that has closed its sending side still gets replies to all its complete requests.
//   (4) A client connection that grows beyond ByteBudget::kLittle while the budget is exceeded is
//       closed, unless freeing memory held for reuse undoes the growth or brings the total back
//       below the maximum. Operator connections neither count nor are closed for this.
//   (5) A peer whose idle deadline has passed is notified of the close if its protocol has a
//       message for that.
//   (6) A closed connection keeps nothing but unfinished exchanges.
class Connection final : private EventLoop::Watcher {
 public:
  // An accepted socket, its peer, and its slot in ConnectionLimits.
  struct Arrival {
    Socket socket;
    Peer peer;
    ConnectionLimits::Slot slot;
  };

  Connection(Worker& worker, Arrival arrival, Services& services);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() = default;

  // Starts watching the socket for input.
  void Start();
  // See Session. Drain has no effect on operator connections, which stay until they are closed.
  void WarnOfDrain();
  void Drain();
  // Closes the socket immediately, dropping unsent output and unread input.
  void Close();
  // Checks all deadlines. Called by the worker on every tick, with any clock that does not step.
  void CheckDeadline(Nanos now);
  // Closes the connection to make room for another, if it still waits for its peer.
  void LeaveIfWaiting();
  // Updates in the slot what the connection waits for, by the clock of CheckDeadline, which calls
  // this as well.
  void UpdateSeat(Nanos now);
  // Frees the memory that the session holds for reuse. Returns the bytes still kept; 0 for operator
  // connections. Must not be called while the session runs.
  std::size_t ReleaseMemory();

  // For the worker: the index in its list, the listener that accepted the connection, and when the
  // connection retires, by the clock of CheckDeadline.
  std::size_t place = 0;
  std::size_t listener = 0;
  Nanos retires_at = Nanos::max();

  [[nodiscard]] const ConnectionLimits::Slot& slot() const { return slot_; }

 private:
  // The event that the connection waits for: input, room in the send buffer, or only the loss of
  // the peer. The loss of the peer ends any wait.
  enum class Wait : std::uint8_t { kInput, kRoom, kLoss };
  enum class Sent : std::uint8_t { kAll, kBlocked, kFailed };

  void OnReady(const EventLoop::Readiness& ready) override;
  void OnAgain() override;
  // Reads, serves and sends until the connection has to wait.
  void Proceed();
  // Sends output and serves paused input as far as possible. Returns the event to wait for, or none
  // if the connection is to be closed.
  std::optional<Wait> Advance();
  // Closes the connection; lingers first if the session has ended in good order.
  void End();
  // Closes the socket and frees the memory.
  void Finish();
  // Frees the memory of a closed connection at once. The object itself lives until the end of the
  // event loop's round, and the session until its exchanges are finished; without this, a flood of
  // connections closed in one round would hold all its memory until then.
  void FreeMemory();
  // Schedules a call of Proceed in this round of the event loop or the next.
  void Wake();
  void Read();
  void Feed(std::string_view bytes);
  void ChooseSession(std::string_view bytes);
  // Counts the connection to the client from its PROXY header. Closes it and returns false if that
  // client has too many connections.
  bool MoveToClient(std::string_view address);
  Sent SendSome();
  // Frees the memory of sent output once that is at least half of the buffer.
  void FreeSent();
  // Reads and discards input for a while after the last reply: closing a socket with unread bytes
  // would send a reset, and the peer could lose replies that it has not read yet.
  void Linger();
  // Updates the bytes in the ByteBudget. Returns false if the connection must be closed for them.
  bool CountKept();
  // Updates the bytes after a tick, which may have freed memory. Never closes the connection,
  // because no new input has arrived.
  void CountAtRest();
  [[nodiscard]] std::size_t KeptBytes() const;
  // Returns whether this is a client connection and the ByteBudget is exceeded.
  [[nodiscard]] bool IsMemoryScarce() const;
  void OnLateReply();
  // Removes the connection from its worker if it is closed, no call is scheduled and no exchange is
  // unfinished.
  void LeaveIfDone();
  [[nodiscard]] bool is_open() const { return socket_.descriptor() >= 0; }
  [[nodiscard]] bool IsSending() const { return waits_for_ == Wait::kRoom; }
  [[nodiscard]] ConnectionTimeouts::Seen Look();
  [[nodiscard]] ConnectionWait WaitOf(const ConnectionTimeouts::Seen& seen) const;
  // Updates in the slot what the connection waits for. Returns whether the deadline has passed.
  bool LookForSeat(Nanos now);
  // Reads pending input. Returns whether it completed no request, so that the connection still
  // waits.
  bool StaysWaiting();
  // Reads pending input. Returns whether the connection may still be evicted.
  bool MayLeave();
  // Asks the peer to close the connection if it has reached its maximum age.
  void RetireIfOld(Nanos now);

  Worker& worker_;
  Socket socket_;
  Peer peer_;
  ConnectionLimits::Slot slot_;
  ByteBudget::Share kept_;
  Services& services_;
  std::unique_ptr<Session> session_;  // null until the first bytes select one
  std::string carried_;               // received bytes that the session has not consumed
  std::size_t sent_ = 0;              // bytes of the session's output that were sent
  std::size_t lingered_ = 0;          // bytes discarded while lingering
  std::optional<Wait> waits_for_;
  bool has_input_ = false;   // the socket may be readable
  bool input_ends_ = false;  // the peer has shut down its side; pending input is the last
  bool is_broken_ = false;   // the peer is lost
  bool watches_room_ = false;
  bool is_woken_ = false;    // a call of Proceed is scheduled
  bool peer_ended_ = false;  // the peer sends no more, and everything has been read
  bool leaves_ = false;      // the peer has been notified that the connection closes
  bool lingers_ = false;
  bool draining_ = false;       // Drain has been called at least once
  bool is_over_ = false;        // closed, and its memory was freed
  bool has_left_ = false;       // removed from its worker
  std::int64_t sent_ever_ = 0;  // bytes handed to the socket since it was accepted
  ConnectionTimeouts timeouts_;
};

}  // namespace sluice
