// SendSchedule: when requests are sent, and how many.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "load/task_slice.h"
#include "sluice/time.h"

namespace sluice {

// How much load, by all slices together.
struct LoadAmount {
  // Open loop: so many requests a second, sent at their time whether or not there were answers.
  // 0 is the closed loop: the next request is sent when there was an answer.
  std::uint64_t rate = 0;
  // At the start, and not measured.
  Nanos warm_up{0};
  // Either of these ends it, counted from the end of the warm-up.
  Nanos duration{0};
  std::uint64_t requests = 0;  // 0: the duration ends it
};

// Says when the requests of one slice are due. Pure: the time is passed in.
//
// Thread safety: none.
//
// Invariants
//   (1) In the open loop request i is due at begin + i / rate, rounded down, whatever happens to
//       those before it: what is late is not left out, and is measured from when it was due. So
//       stalls of a server do not hide.
//   (2) Exactly as many are due as were asked for: `requests`, or rate times duration, rounded up.
//       In the closed loop a duration ends it at that time.
//   (3) Slices share them without one twice.
class SendSchedule {
 public:
  SendSchedule(const LoadAmount& amount, TaskSlice slice, Time begin);

  // When the next request was to be sent, if that is now or was before. It counts as sent.
  std::optional<Time> Next(Time now);

  // One that was sent is to be sent again, as if it had not been.
  void Again(Time intended) { again_.push_back(intended); }

  // No time before this has a next one. In the closed loop there is no such time.
  [[nodiscard]] std::optional<Time> NextDue() const;

  // Whether Next will never have another.
  [[nodiscard]] bool IsOver(Time now) const;

  // How many of those that are measured and due by end(), or were to be sent again, have not been
  // sent.
  [[nodiscard]] std::uint64_t unsent() const;

  // Requests from here on are measured.
  [[nodiscard]] Time measured_from() const { return measured_from_; }
  // When the last request is due, if that can be told.
  [[nodiscard]] std::optional<Time> end() const { return end_; }

 private:
  [[nodiscard]] bool is_open() const { return rate_ > 0; }
  [[nodiscard]] Time DueAt(std::uint64_t request) const;

  std::uint64_t rate_;
  TaskSlice slice_;
  Time begin_;
  Time measured_from_;
  std::optional<Time> end_;
  bool is_counted_;                   // closed: by requests, not by time
  std::uint64_t first_measured_ = 0;  // open: the number of that, of all slices
  std::uint64_t left_ = 0;            // of those of this slice: closed and counted, or open
  std::uint64_t next_ = 0;            // open: the number of the next, of all slices
  std::vector<Time> again_;           // to be sent before all others
};

}  // namespace sluice
