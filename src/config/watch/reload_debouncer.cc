#include "config/watch/reload_debouncer.h"

#include <algorithm>

namespace sluice {

void ReloadDebouncer::Changed(Noticed noticed, Time now) {
  if (noticed == Noticed::kNothing) return;
  const Time first = change_ ? change_->first : now;
  change_ = Change{first, now, noticed == Noticed::kChange};
}

Time ReloadDebouncer::ChangeDue() const {
  const Time latest = change_->first + times_.longest;
  return change_->finished ? std::min(change_->last + times_.quiet, latest) : latest;
}

Time ReloadDebouncer::Due() const {
  if (requested_) return Time{};
  return change_ ? ChangeDue() : look_at_;
}

std::optional<ReloadCause> ReloadDebouncer::Take(Time now) {
  if (now < Due()) return std::nullopt;
  ReloadCause cause = ReloadCause::kLook;
  if (requested_ || change_) {
    cause = requested_ ? ReloadCause::kRequest : ReloadCause::kChange;
    failures_ = 0;
  }
  requested_ = false;
  change_.reset();
  return cause;
}

void ReloadDebouncer::Succeeded(Time look_at) {
  failures_ = 0;
  look_at_ = look_at;
}

void ReloadDebouncer::Failed(Time now) {
  look_at_ = now + times_.pauses[std::min(failures_, times_.pauses.size() - 1)];
  ++failures_;
}

}  // namespace sluice
