// BelievedCount: how many nodes are alive, by what is heard of them now and then.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sluice/time.h"

namespace sluice {

// After Redis was away, or was emptied, the first node that is back hears that it is alone: the
// others have not been heard of yet. If it believed that, it would take a share of all, and keep it
// if Redis goes away again. So more nodes are believed at once, fewer only after a while. The same
// holds for a node that starts: it believes what it was told.
//
// Thread safety: none.
//
// Invariants
//   (1) Believed is at least the last count that was heard.
//   (2) It falls only where fewer were heard for `lasting`, without a silence above `silence_most`,
//       and then to the most that was heard meanwhile. That holds from the first count on.
class BelievedCount {
 public:
  struct Settings {
    Nanos lasting{};
    Nanos silence_most{};
    std::int64_t at_first = 1;  // believed before anything was heard
  };

  explicit BelievedCount(const Settings& settings)
      : settings_(settings), believed_(settings.at_first) {}

  // What is believed once this was heard.
  std::int64_t Hear(std::int64_t count, Time now) {
    const bool was_silent = now - heard_at_ > settings_.silence_most;
    heard_at_ = now;
    if (count >= believed_) {
      fewer_.reset();
      return believed_ = count;
    }
    if (!fewer_ || was_silent) fewer_ = Fewer{.since = now};
    fewer_->most = std::max(fewer_->most, count);
    if (now - fewer_->since >= settings_.lasting) {
      believed_ = fewer_->most;
      fewer_.reset();
    }
    return believed_;
  }

 private:
  struct Fewer {
    Time since{};
    std::int64_t most = 0;
  };

  const Settings settings_;
  std::int64_t believed_;
  std::optional<Fewer> fewer_;  // what is heard, where it is less than what is believed
  Time heard_at_{};
};

}  // namespace sluice
