// Connection: a socket and the session it carries.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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
//   (4) One that has asked nothing for too long is told that the connection ends, where its
//       protocol has words for that.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // What it is made of: a socket that was accepted, and who is at its other end.
  struct Arrival {
    boost::asio::posix::stream_descriptor socket;
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

  // Where it stands in its worker's list; for the worker.
  std::size_t place = 0;
  std::size_t listener = 0;  // which accepted it; likewise

 private:
  using Wait = boost::asio::posix::stream_descriptor::wait_type;
  enum class Sent : std::uint8_t { kAll, kBlocked, kFailed };

  boost::asio::awaitable<void> Run();
  // Does what can be done by now, and says what the socket must be waited for before there is more
  // to do. Nothing: it is over.
  std::optional<Wait> Advance();
  // Waits for the socket, or until something else calls for a look. False if the peer has gone.
  boost::asio::awaitable<bool> Await(Wait what);
  // Makes Run look again at what there is to do.
  void Wake();
  void Read();
  void Feed(std::string_view bytes);
  void ChooseSession(std::string_view bytes);
  Sent SendSome();
  // Reads on for a while after the last reply: closing with bytes unread would make the system take
  // back what the peer has not read yet.
  boost::asio::awaitable<void> Linger();
  void OnLateReply();
  // Leaves its worker once it is over and no exchange is unfinished.
  void LeaveIfDone();
  [[nodiscard]] bool IsSending() const { return waits_for_ == Wait::wait_write; }
  [[nodiscard]] Patience::Seen Look();

  Worker& worker_;
  boost::asio::posix::stream_descriptor socket_;
  Peer peer_;
  Seats::Seat seat_;
  Services& services_;
  std::unique_ptr<Session> session_;  // null until the first bytes tell which
  std::string carried_;               // came and is not taken yet
  std::size_t sent_ = 0;              // of the session's output
  std::optional<Wait> waits_for_;
  bool peer_ended_ = false;  // it sends no more
  bool leaves_ = false;      // the peer has been told
  bool lingers_ = false;
  bool draining_ = false;
  bool is_over_ = false;   // Run has returned
  bool has_left_ = false;  // its worker
  std::int64_t sent_ever_ = 0;
  Patience patience_;
};

}  // namespace sluice
