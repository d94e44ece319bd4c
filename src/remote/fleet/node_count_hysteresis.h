// NodeCountHysteresis: filters the count of live nodes, so that it falls only after a delay.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sluice/time.h"

namespace sluice {

// After Redis was away or was emptied, the first node that returns counts only itself, because the
// others have not sent a heartbeat yet. If it used that count, it would claim the whole allowance,
// and keep doing so if Redis went away again. Therefore a higher count takes effect at once, and a
// lower one only after a while. The same holds for a node that starts: it uses its configured count
// first.
//
// Thread safety: none.
//
// Invariants
//   (1) The believed count is at least the last reported count.
//   (2) It falls only after lower counts were reported for `lasting`, without a silence longer than
//       `max_silence`, and then to the maximum reported meanwhile. This holds from the first report
//       on.
class NodeCountHysteresis {
 public:
  struct Settings {
    Nanos lasting{};
    Nanos max_silence{};
    std::int64_t at_first = 1;  // believed before the first report
  };

  explicit NodeCountHysteresis(const Settings& settings)
      : settings_(settings), believed_(settings.at_first) {}

  // Records a reported count and returns the count that is believed now.
  std::int64_t OnReply(std::int64_t count, Time now) {
    const bool was_silent = now - heard_at_ > settings_.max_silence;
    heard_at_ = now;
    if (count >= believed_) {
      fewer_.reset();
      return believed_ = count;
    }
    if (!fewer_ || was_silent) fewer_ = Fewer{.since = now};
    fewer_->max = std::max(fewer_->max, count);
    if (now - fewer_->since >= settings_.lasting) {
      believed_ = fewer_->max;
      fewer_.reset();
    }
    return believed_;
  }

 private:
  struct Fewer {
    Time since{};
    std::int64_t max = 0;
  };

  const Settings settings_;
  std::int64_t believed_;
  std::optional<Fewer> fewer_;  // set while the reported counts are below believed_
  Time heard_at_{};
};

}  // namespace sluice
