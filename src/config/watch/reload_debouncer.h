// ReloadDebouncer: decides when to reload files that are being changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "config/watch/directory_watch.h"
#include "sluice/time.h"

namespace sluice {

struct ReloadDelays {
  // Longer than the time that an editor or a copy lets pass between two steps.
  Nanos quiet{100'000'000};
  // The maximum delay: files that keep changing are read after this time anyway.
  Nanos longest{2'000'000'000};
  // The delays of retries after consecutive failures; the last one repeats.
  std::array<Nanos, 3> pauses{Nanos{250'000'000}, Nanos{1'000'000'000}, Nanos{5'000'000'000}};
};

// The reason for a reload.
enum class ReloadCause : std::uint8_t {
  kStart,
  kRequest,  // a caller requested it
  kChange,   // the files changed and then stayed unchanged for `quiet`
  kLook,     // a periodic check for unnoticed changes, or a retry after a failure
};

// The result of a reload.
enum class LoadOutcome : std::uint8_t {
  kLoaded,
  kUnchanged,  // the files contain the rules that are in force
  kDiffers,    // a check found new files and did not load them
  kFailed,
};

// Pure: times are passed in. Thread safety: none.
//
// Invariants
//   (1) A change causes a reload once nothing has changed for `quiet` and no file is open for
//       writing, at the latest `longest` after the first change since the last reload.
//   (2) A request causes a reload at once, which covers all changes up to then.
//   (3) After a failure the files are checked after each of `pauses` in turn. A change or a request
//       starts the sequence again.
//   (4) While a change is pending, there is no periodic check.
class ReloadDebouncer {
 public:
  // A first check is due at once, because files may have changed before the watch began.
  explicit ReloadDebouncer(const ReloadDelays& times) : times_(times) {}

  void Changed(Noticed noticed, Time now);
  void Requested() { requested_ = true; }

  // Returns when Take will return a cause if nothing else happens before.
  [[nodiscard]] Time Due() const;

  // Returns why the files must be read now, or nothing. After a cause, the caller must report the
  // result by calling Succeeded, Failed or Changed.
  std::optional<ReloadCause> Take(Time now);

  // Schedules the next check at `look_at`, unless a change or a request comes first.
  void Succeeded(Time look_at);
  void Failed(Time now);

 private:
  struct Change {
    Time first;
    Time last;
    bool finished;
  };

  [[nodiscard]] Time ChangeDue() const;

  ReloadDelays times_;
  bool requested_ = false;
  std::optional<Change> change_;
  Time look_at_{};
  std::size_t failures_ = 0;  // consecutive, since the last change, request or success
};

}  // namespace sluice
