// Patience: when a connection has kept its server waiting for too long.
#pragma once

#include <cstdint>
#include <optional>

#include "net/bounds.h"
#include "net/session.h"
#include "sluice/time.h"

namespace sluice {

// Looks at a connection now and then, and says when it is enough.
//
// Thread safety: none. Ownership: the deadlines outlive it. Time is passed in and counts from
// anywhere; a deadline is met at the first look after it.
//
// Invariants
//   (1) What comes byte by byte is late from its first byte on: only a whole request counts.
//   (2) Whoever is replied to takes at least kLeastRate, or all that there is, in each span of
//       Deadlines::write.
//   (3) A service may take as long as it likes.
class Patience {
 public:
  // What the next move would be.
  enum class Awaits : std::uint8_t {
    kRequest,
    kHead,  // the rest of it, or the first byte of the connection
    kBody,
    kService,
    kReader,  // that the peer takes what is sent to it
    kEnd,     // that it closes, now that all is said
  };
  struct Seen {
    Awaits awaits = Awaits::kHead;
    std::uint64_t completed = 0;  // requests, ever
    std::int64_t taken = 0;       // bytes that the peer took, ever; of kReader
  };

  static Awaits For(Session::Phase phase);

  explicit Patience(const Deadlines& deadlines) : deadlines_(deadlines) {}

  // Whether it is enough, by what is seen now.
  bool IsOver(const Seen& seen, Nanos now);

  // Returns whether the connection still awaits what it did at the last two calls of IsOver.
  [[nodiscard]] bool IsStalled(const Seen& seen) const { return is_settled_ && Continues(seen); }

  // Since when it awaits what it did when it was last looked at.
  [[nodiscard]] Nanos since() const { return since_; }

 private:
  [[nodiscard]] Nanos Allowed(Awaits awaits) const;
  [[nodiscard]] bool TookEnough(const Seen& seen) const;
  // Returns whether the connection still awaits what it did at the last call of IsOver.
  [[nodiscard]] bool Continues(const Seen& seen) const;

  const Deadlines& deadlines_;
  // What was seen when it began to await what it does, and when that was.
  std::optional<Seen> first_;
  Nanos since_{0};
  bool is_settled_ = false;  // the last call of IsOver saw what the one before it did
};

}  // namespace sluice
