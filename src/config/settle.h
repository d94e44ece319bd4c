// Settle: when to read files again that are being changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "config/directory_watch.h"
#include "sluice/time.h"

namespace sluice {

struct SettleTimes {
  // Longer than what an editor or a copy pauses between two steps.
  Nanos quiet{100'000'000};
  // Files that never come to rest are read all the same.
  Nanos longest{2'000'000'000};
  // After a failure, one after the other; the last is repeated.
  std::array<Nanos, 3> pauses{Nanos{250'000'000}, Nanos{1'000'000'000}, Nanos{5'000'000'000}};
};

// Why files are read.
enum class ReloadCause : std::uint8_t {
  kStart,
  kRequest,  // somebody asked
  kChange,   // something changed and came to rest
  kLook,     // in case of a change that nobody noticed, and after a failure
};

// What came of it.
enum class LoadOutcome : std::uint8_t {
  kLoaded,
  kUnchanged,  // the files say what is in force
  kDiffers,    // a look found files that are new; they have not been loaded
  kFailed,
};

// Pure: times are passed in. Thread safety: none.
//
// Invariants
//   (1) A change is acted on once nothing has changed for `quiet` and nobody is still writing, and
//       at the latest `longest` after the first change since the last action.
//   (2) A request is acted on at once, and covers changes seen until then.
//   (3) After a failure the files are looked at after each of `pauses` in turn. A change or a
//       request starts anew.
//   (4) While a change is waited for, there is no look.
class Settle {
 public:
  // A first look is due at once: there may have been changes before the watch began.
  explicit Settle(const SettleTimes& times) : times_(times) {}

  void Changed(Noticed noticed, Time now);
  void Requested() { requested_ = true; }

  // When Take will give a cause if nothing else happens.
  [[nodiscard]] Time Due() const;

  // Why to read the files now, or none. What it gives is to be answered by Succeeded, Failed or
  // Changed.
  std::optional<ReloadCause> Take(Time now);

  // Nothing is to be done until a change, a request or `look_at`.
  void Succeeded(Time look_at);
  void Failed(Time now);

 private:
  struct Change {
    Time first;
    Time last;
    bool finished;
  };

  [[nodiscard]] Time ChangeDue() const;

  SettleTimes times_;
  bool requested_ = false;
  std::optional<Change> change_;
  Time look_at_{};
  std::size_t failures_ = 0;  // since the last change, request or success
};

}  // namespace sluice
