// RedisObserver: hears what redis decided, with the states it left.
#pragma once

#include "remote/key_state.h"
#include "sluice/decision.h"
#include "sluice/time.h"
#include "store/remote.h"

namespace sluice {

// One key that was decided; of other keys of its call nobody may know.
struct RedisSight {
  const RemoteCall& call;
  const RemoteItem& item;
  const Decision& decision;
  // What the key's state is now; of a log and of permits only as much as the call needed.
  KeyState& state;
  Time decided_at{};  // in Redis
  // By our clock, no later than what decided it was sent.
  Time sent_at{};
  // As in RemoteCall; 0 where the call does not want it.
  Nanos more_after{0};
};

// Called on the worker's thread, before the listener of the call. Not for a kPeek.
class RedisObserver {
 public:
  RedisObserver() = default;
  RedisObserver(const RedisObserver&) = delete;
  RedisObserver& operator=(const RedisObserver&) = delete;

  virtual void OnDecided(const RedisSight& sight) = 0;

 protected:
  ~RedisObserver() = default;
};

}  // namespace sluice
