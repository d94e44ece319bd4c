// Health: whether the server is up, and whether it wants requests.
#pragma once

#include <atomic>
#include <cstdint>

namespace sluice {

// Thread safety: any thread.
class Health {
 public:
  enum class State : std::uint8_t {
    kStarting,  // not yet
    kReady,
    kDraining,  // not any more
  };

  void Set(State state) { state_.store(state); }
  [[nodiscard]] State state() const { return state_.load(); }
  [[nodiscard]] bool ready() const { return state() == State::kReady; }

 private:
  std::atomic<State> state_{State::kStarting};
};

}  // namespace sluice
