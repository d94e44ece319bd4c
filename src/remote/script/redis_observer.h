// RedisObserver: is notified of decisions by Redis, with the states they left.
#pragma once

#include "remote/script/key_state.h"
#include "sluice/decision.h"
#include "sluice/time.h"
#include "store/remote_store.h"

namespace sluice {

// One decided key. The other keys of its call may be undecided.
struct RedisDecisionEvent {
  const RemoteCall& call;
  const RemoteItem& item;
  const Decision& decision;
  // The current state of the key; for logs and permits only as much as the call needed.
  KeyState& state;
  Time decided_at{};  // by the clock of Redis
  // By the local clock: not after the deciding command was sent.
  Time sent_at{};
  // See RemoteCall::more_after; 0 if the call does not request it.
  Nanos more_after{0};
};

// Called on the worker's thread, before the listener of the call. Not called for a kPeek.
class RedisObserver {
 public:
  RedisObserver() = default;
  RedisObserver(const RedisObserver&) = delete;
  RedisObserver& operator=(const RedisObserver&) = delete;

  virtual void OnDecided(const RedisDecisionEvent& sight) = 0;

 protected:
  ~RedisObserver() = default;
};

}  // namespace sluice
