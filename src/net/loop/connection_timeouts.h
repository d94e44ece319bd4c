// ConnectionTimeouts: detects that a peer has kept its connection waiting for too long.
#pragma once

#include <cstdint>
#include <optional>

#include "net/loop/bounds.h"
#include "net/loop/session.h"
#include "sluice/time.h"

namespace sluice {

// Compares samples of a connection's state, which its Connection takes on every tick of the worker
// and when the server makes room for other connections.
//
// Thread safety: none. Ownership: the deadlines must outlive it. The caller passes in the time, by
// any clock that does not step; a passed deadline is detected by the next sample.
//
// Invariants
//   (1) A request that arrives byte by byte must be complete within one deadline per part: single
//       bytes do not restart it.
//   (2) A peer must read its replies at kMinRate or more, or all of them, in each span of
//       Deadlines::write.
//   (3) A service may take any time.
class ConnectionTimeouts {
 public:
  // The event that the connection waits for.
  enum class Awaits : std::uint8_t {
    kRequest,
    kHead,  // the rest of a head, or the first byte of the connection
    kBody,
    kService,
    kReader,  // the peer has to read its replies
    kEnd,     // the peer has to close, now that everything has been sent
  };
  // A sample of a connection's state.
  struct Seen {
    Awaits awaits = Awaits::kHead;
    std::uint64_t completed = 0;  // requests since the connection began
    std::int64_t taken = 0;       // kReader only: bytes that the peer has acknowledged so far
  };

  // Maps a session's phase.
  static Awaits For(Session::Phase phase);

  explicit ConnectionTimeouts(const Deadlines& deadlines) : deadlines_(deadlines) {}

  // Records a sample. Returns whether the deadline has passed.
  bool IsOver(const Seen& seen, Nanos now);

  // Returns whether nothing has changed since the last two calls of IsOver.
  [[nodiscard]] bool IsStalled(const Seen& seen) const { return is_settled_ && Continues(seen); }

  // Returns the time of the first sample of the current wait.
  [[nodiscard]] Nanos since() const { return since_; }

 private:
  [[nodiscard]] Nanos Allowed(Awaits awaits) const;
  [[nodiscard]] bool TookEnough(const Seen& seen) const;
  // Returns whether the sample belongs to the same wait as the last call of IsOver.
  [[nodiscard]] bool Continues(const Seen& seen) const;

  const Deadlines& deadlines_;
  // The first sample of the current wait, and its time.
  std::optional<Seen> first_;
  Nanos since_{0};
  bool is_settled_ = false;  // the last two samples belong to the same wait
};

}  // namespace sluice
