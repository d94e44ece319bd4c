// Health: whether the server is running and accepts requests.
#pragma once

#include <atomic>
#include <cstdint>

namespace sluice {

// Thread safety: every method may be called from any thread.
class Health {
 public:
  enum class State : std::uint8_t {
    kStarting,  // not ready yet
    kReady,
    kDraining,  // no longer ready
  };

  void Set(State state) { state_.store(state); }
  [[nodiscard]] State state() const { return state_.load(); }
  [[nodiscard]] bool ready() const { return state() == State::kReady; }

 private:
  std::atomic<State> state_{State::kStarting};
};

}  // namespace sluice
