#include "frontend/http/held_replies.h"

#include <algorithm>
#include <utility>

namespace sluice {

void HeldReplies::Hold(EventLoop::Call finish) {
  if (loop_ == nullptr) return finish();
  auto slot = std::ranges::find_if(slots_, [](const auto& each) { return !each->finish; });
  if (slot == slots_.end()) {
    if (slots_.size() == kMaxHeld) return finish();
    slot = slots_.insert(slot, std::make_unique<Slot>(*loop_, *this));
  }
  ++held_;
  (*slot)->finish = std::move(finish);
  (*slot)->timer.SetAfter(hold_time_);
}

void HeldReplies::Release(Slot& slot) {
  --held_;
  std::exchange(slot.finish, nullptr)();
}

}  // namespace sluice
