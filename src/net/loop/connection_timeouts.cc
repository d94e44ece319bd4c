#include "net/loop/connection_timeouts.h"

#include <algorithm>
#include <chrono>

namespace sluice {
namespace {

// Maximum time that a connection lingers after its end.
constexpr Nanos kLinger = std::chrono::seconds(1);

constexpr Nanos kMillisecond = std::chrono::milliseconds(1);

}  // namespace

ConnectionTimeouts::Awaits ConnectionTimeouts::For(Session::Phase phase) {
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

bool ConnectionTimeouts::IsOver(const Seen& seen, Nanos now) {
  is_settled_ = Continues(seen);
  if (!is_settled_) {
    first_ = seen;
    since_ = now;
  }
  return now - since_ > Allowed(seen.awaits);
}

bool ConnectionTimeouts::Continues(const Seen& seen) const {
  return first_ && seen.awaits == first_->awaits && seen.completed == first_->completed &&
         !TookEnough(seen);
}

bool ConnectionTimeouts::TookEnough(const Seen& seen) const {
  if (seen.awaits != Awaits::kReader) return false;
  const std::int64_t min = kMinRate * (deadlines_.write / kMillisecond) / 1000;
  return seen.taken - first_->taken >= std::max<std::int64_t>(min, 1);
}

Nanos ConnectionTimeouts::Allowed(Awaits awaits) const {
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
