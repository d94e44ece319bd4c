#include "net/patience.h"

#include <algorithm>
#include <chrono>

namespace sluice {
namespace {

// How long a connection that is over may stay open.
constexpr Nanos kLinger = std::chrono::seconds(1);

constexpr Nanos kMillisecond = std::chrono::milliseconds(1);

}  // namespace

Patience::Awaits Patience::For(Session::Phase phase) {
  switch (phase) {
    case Session::Phase::kIdle:
      return Awaits::kRequest;
    case Session::Phase::kHead:
      return Awaits::kHead;
    case Session::Phase::kBody:
      return Awaits::kBody;
    case Session::Phase::kAnswering:
      return Awaits::kService;
  }
  return Awaits::kService;
}

bool Patience::IsOver(const Seen& seen, Nanos now) {
  is_settled_ = Continues(seen);
  if (!is_settled_) {
    first_ = seen;
    since_ = now;
  }
  return now - since_ > Allowed(seen.awaits);
}

bool Patience::Continues(const Seen& seen) const {
  return first_ && seen.awaits == first_->awaits && seen.completed == first_->completed &&
         !TookEnough(seen);
}

bool Patience::TookEnough(const Seen& seen) const {
  if (seen.awaits != Awaits::kReader) return false;
  const std::int64_t least = kLeastRate * (deadlines_.write / kMillisecond) / 1000;
  return seen.taken - first_->taken >= std::max<std::int64_t>(least, 1);
}

Nanos Patience::Allowed(Awaits awaits) const {
  switch (awaits) {
    case Awaits::kRequest:
      return deadlines_.idle;
    case Awaits::kHead:
      return deadlines_.header;
    case Awaits::kBody:
      return deadlines_.body;
    case Awaits::kService:
      return Nanos::max();
    case Awaits::kReader:
      return deadlines_.write;
    case Awaits::kEnd:
      return kLinger;
  }
  return Nanos::max();
}

}  // namespace sluice
