#include "load/send_schedule.h"

#include <algorithm>

#include "base/int128.h"

namespace sluice {
namespace {

constexpr std::uint64_t kNanosPerSecond = 1'000'000'000;

// Returns the number of requests that are due before `length` has passed.
std::uint64_t DueWithin(Nanos length, std::uint64_t rate) {
  const Uint128 scaled = static_cast<Uint128>(length.count()) * rate;
  return static_cast<std::uint64_t>(DivCeil(scaled, kNanosPerSecond));
}

}  // namespace

SendSchedule::SendSchedule(const LoadAmount& amount, TaskSlice slice, Time begin)
    : rate_(amount.rate),
      slice_(slice),
      begin_(begin),
      measured_from_(begin + amount.warm_up),
      is_counted_(amount.requests > 0),
      next_(slice.index) {
  if (is_open()) {
    first_measured_ = DueWithin(amount.warm_up, rate_);
    const std::uint64_t all = is_counted_ ? first_measured_ + amount.requests
                                          : DueWithin(amount.warm_up + amount.duration, rate_);
    left_ = slice_.Of(all);
    if (left_ > 0) end_ = DueAt(slice_.index + (left_ - 1) * slice_.count);
  } else if (is_counted_) {
    left_ = slice_.Of(amount.requests);
  } else {
    end_ = measured_from_ + amount.duration;
  }
}

Time SendSchedule::DueAt(std::uint64_t request) const {
  const Uint128 nanos = DivFloor(static_cast<Uint128>(request) * kNanosPerSecond, rate_);
  return begin_ + Nanos{static_cast<std::int64_t>(nanos)};
}

std::optional<Time> SendSchedule::Next(Time now) {
  if (!again_.empty()) {
    const Time intended = again_.back();
    again_.pop_back();
    return intended;
  }
  if (is_open()) {
    if (left_ == 0) return std::nullopt;
    const Time due = DueAt(next_);
    if (due > now) return std::nullopt;
    next_ += slice_.count;
    --left_;
    return due;
  }
  if (IsOver(now)) return std::nullopt;
  if (is_counted_ && now >= measured_from_) --left_;
  return now;
}

std::optional<Time> SendSchedule::NextDue() const {
  if (!is_open() || left_ == 0) return std::nullopt;
  return DueAt(next_);
}

bool SendSchedule::IsOver(Time now) const {
  if (!again_.empty()) return false;
  if (is_open() || is_counted_) return left_ == 0;
  return now >= *end_;
}

std::uint64_t SendSchedule::unsent() const {
  const auto again =
      std::ranges::count_if(again_, [this](Time due) { return due >= measured_from_; });
  std::uint64_t measured = 0;
  if (is_open()) {
    const std::uint64_t until = std::max(next_, first_measured_);
    const auto early = static_cast<std::uint64_t>(DivCeil(until - next_, slice_.count));
    measured = left_ - std::min(left_, early);
  }
  return measured + static_cast<std::uint64_t>(again);
}

}  // namespace sluice
