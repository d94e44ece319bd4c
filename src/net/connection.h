// Connection: a socket and the session it carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/byte_budget.h"
#include "net/connect.h"
#include "net/event_loop.h"
#include "net/patience.h"
#include "net/peer.h"
#include "net/seats.h"
#include "net/services.h"
#include "net/session.h"

namespace sluice {

class Worker;

// Moves bytes between a socket and a session, and closes when the session has ended, the peer has
// gone or a deadline has passed.
//
// Thread safety: none; its worker's thread. Ownership: its worker's, until it is over and its
// session has no exchange that is unfinished. The worker and services outlive it.
//
// Invariants
//   (1) While nothing is expected but a next request no buffer is held.
//   (2) Nothing more is read while the peer does not take what was replied.
//   (3) A peer that sends no more is still answered what it has asked.
//   (4) One that makes all connections together keep more than they may is closed, unless freeing
//       memory that connections hold only to be used again makes up for it. Those of operators
//       neither count nor are closed so.
//   (5) One that has asked nothing for too long is told that the connection ends, where its
//       protocol has words for that.
//   (6) Once it is over nothing is kept of it but exchanges that are unfinished.
class Connection final : private EventLoop::Watcher {
 public:
  // What it is made of: a socket that was accepted, and who is at its other end.
  struct Arrival {
    Socket socket;
    Peer peer;
    Seats::Seat seat;
  };

  Connection(Worker& worker, Arrival arrival, Services& services);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() = default;

  // Begins to read.
  void Start();
  // See Session. Those of operators go on until they are closed.
  void WarnOfDrain();
  void Drain();
  // Drops it, whatever it is doing.
  void Close();
  // To be called now and then, with a clock that counts from anywhere.
  void CheckDeadline(Nanos now);
  // Makes room for another connection: closes this one if it still waits for its peer.
  void LeaveIfWaiting();
  // Tells the seat what is waited for, by the clock of CheckDeadline. That does so, too.
  void UpdateSeat(Nanos now);
  // Has the session free what it holds only to be used again. Returns what is kept from then on.
  // Not to be called while the session runs.
  std::size_t ReleaseMemory();

  // Where it stands in its worker's list; for the worker.
  std::size_t place = 0;
  std::size_t listener = 0;  // which accepted it; likewise
  // When it is too old, by the clock of CheckDeadline; likewise.
  Nanos retires_at = Nanos::max();

  [[nodiscard]] const Seats::Seat& seat() const { return seat_; }

 private:
  // What is waited for; each ends early if the peer is lost.
  enum class Wait : std::uint8_t { kInput, kRoom, kLoss };
  enum class Sent : std::uint8_t { kAll, kBlocked, kFailed };

  void OnReady(const EventLoop::Readiness& ready) override;
  void OnAgain() override;
  // Does all there is to do until something has to be waited for.
  void Proceed();
  // Does what can be done by now, and says what the socket must be waited for before there is more
  // to do. Nothing: it is over.
  std::optional<Wait> Advance();
  // There is nothing more to do but to let the peer read what it was replied.
  void End();
  void Finish();
  // Frees what a connection that is over keeps. Its session stays if an exchange is unfinished, and
  // the connection itself until the event loop has called all whom it found ready: a flood of
  // connections that are closed in one round must not hold their memory until then.
  void FreeMemory();
  // Has Proceed called soon.
  void Wake();
  void Read();
  void Feed(std::string_view bytes);
  void ChooseSession(std::string_view bytes);
  // Counts the connection to the client that a PROXY header has named, or closes it.
  bool MoveToClient(std::string_view address);
  Sent SendSome();
  // Frees the memory of output that was sent, where that is most of it.
  void FreeSent();
  // Reads on for a while after the last reply: closing with bytes unread would make the system take
  // back what the peer has not read yet.
  void Linger();
  // Tells the budget what is kept. False if that is too much.
  bool CountKept();
  // The same after a tick, which may have freed memory. Never too much: nothing has come.
  void CountAtRest();
  [[nodiscard]] std::size_t KeptBytes() const;
  // Whether all connections together keep too much, as far as this one is concerned.
  [[nodiscard]] bool IsMemoryScarce() const;
  void OnLateReply();
  // Leaves its worker once it is over, will not be called again and no exchange is unfinished.
  void LeaveIfDone();
  [[nodiscard]] bool is_open() const { return socket_.descriptor() >= 0; }
  [[nodiscard]] bool IsSending() const { return waits_for_ == Wait::kRoom; }
  [[nodiscard]] Patience::Seen Look();
  [[nodiscard]] ConnectionWait WaitOf(const Patience::Seen& seen) const;
  // Tells the seat what is waited for. Returns whether that has taken too long.
  bool LookForSeat(Nanos now);
  // Reads what has come. Returns whether the connection, which waits, completed no request by that.
  bool StaysWaiting();
  // Reads what has come. Returns whether the connection still may be evicted.
  bool MayLeave();
  // Asks the peer of an old connection to go.
  void RetireIfOld(Nanos now);

  Worker& worker_;
  Socket socket_;
  Peer peer_;
  Seats::Seat seat_;
  ByteBudget::Share kept_;
  Services& services_;
  std::unique_ptr<Session> session_;  // null until the first bytes tell which
  std::string carried_;               // came and is not taken yet
  std::size_t sent_ = 0;              // of the session's output
  std::size_t lingered_ = 0;          // read since it was over
  std::optional<Wait> waits_for_;
  bool has_input_ = false;   // something may be read
  bool input_ends_ = false;  // it ends with what has come
  bool is_broken_ = false;   // the peer is lost
  bool watches_room_ = false;
  bool is_woken_ = false;    // Proceed will be called
  bool peer_ended_ = false;  // it sends no more, and all is read
  bool leaves_ = false;      // the peer has been told
  bool lingers_ = false;
  bool draining_ = false;  // the first call of Drain has been
  bool is_over_ = false;
  bool has_left_ = false;  // its worker
  std::int64_t sent_ever_ = 0;
  Patience patience_;
};

}  // namespace sluice
