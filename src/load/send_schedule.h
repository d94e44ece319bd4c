// SendSchedule: determines when requests are sent, and how many.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "load/task_slice.h"
#include "sluice/time.h"

namespace sluice {

// The amount of load, for all slices together.
struct LoadAmount {
  // Open loop: this many requests per second, each sent when it is due, whether or not earlier ones
  // were answered. 0 is the closed loop: the next request is sent when an answer arrives.
  std::uint64_t rate = 0;
  // Comes first and is not measured.
  Nanos warm_up{0};
  // Either of these ends the load, counted from the end of the warm-up.
  Nanos duration{0};
  std::uint64_t requests = 0;  // 0: the duration ends it
};

// Computes when the requests of one slice are due. It reads no clock; the time is passed in.
//
// Thread safety: none.
//
// Invariants
//   (1) In the open loop request i is due at begin + i / rate, rounded down, whatever happens to
//       earlier ones. A late request is not skipped, and its latency counts from when it was due,
//       so that stalls of the server are visible.
//   (2) Exactly the requested number is due: `requests`, or rate times duration, rounded up. In the
//       closed loop a duration ends the load at that time.
//   (3) Every request belongs to exactly one slice.
class SendSchedule {
 public:
  SendSchedule(const LoadAmount& amount, TaskSlice slice, Time begin);

  // Returns when the next request was due, and counts it as sent; nullopt if none is due by `now`.
  std::optional<Time> Next(Time now);

  // Returns a request that was sent to the schedule, to be sent again.
  void Again(Time intended) { again_.push_back(intended); }

  // Returns when the next request becomes due. In the closed loop this is unknown: nullopt.
  [[nodiscard]] std::optional<Time> NextDue() const;

  // Whether Next will return no more requests.
  [[nodiscard]] bool IsOver(Time now) const;

  // Returns the number of measured requests that were due by end(), or were returned with Again,
  // and have not been sent.
  [[nodiscard]] std::uint64_t unsent() const;

  // Requests due from this time on are measured.
  [[nodiscard]] Time measured_from() const { return measured_from_; }
  // When the last request is due, if that is known in advance.
  [[nodiscard]] std::optional<Time> end() const { return end_; }

 private:
  [[nodiscard]] bool is_open() const { return rate_ > 0; }
  [[nodiscard]] Time DueAt(std::uint64_t request) const;

  std::uint64_t rate_;
  TaskSlice slice_;
  Time begin_;
  Time measured_from_;
  std::optional<Time> end_;
  bool is_counted_;                   // ends after `requests`, not after `duration`
  std::uint64_t first_measured_ = 0;  // open: number of the first measured request, over all slices
  std::uint64_t left_ = 0;            // open, or closed and counted: requests left in this slice
  std::uint64_t next_ = 0;            // open: number of the next request, over all slices
  std::vector<Time> again_;           // requests to send again, before all others
};

}  // namespace sluice
