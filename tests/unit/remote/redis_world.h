// RedisWorld: the same requests to a memory store and to the script in a real Redis.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/limit.h"
#include "remote/new_terms.h"
#include "remote/permit_call.h"
#include "remote/remote_limit.h"
#include "remote/script_reply.h"
#include "remote/script_request.h"
#include "store/memory_store.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "support/redis_server.h"
#include "support/trace.h"
#include "unit/remote/random_remote_limit.h"

namespace sluice::testing {

// One key, in both places.
struct WorldKey {
  std::string name;
  std::vector<Kind> kinds;  // that its limit may have; all of one algorithm
  LimitSpec spec;
  std::unique_ptr<RemoteLimit> limit;
  LimitHandle handle;
  std::unique_ptr<TraceMaker> maker;
  Decision last;
};

// What was decided on the way.
struct WorldCounts {
  int allowed = 0;
  int refused = 0;
  int in_use = 0;  // with a key that was in use then
  int met = 0;     // calls whose keys had not met their terms

  void Add(const WorldCounts& other) {
    allowed += other.allowed;
    refused += other.refused;
    in_use += other.in_use;
    met += other.met;
  }
};

// Whether the limits of keys in use get new terms, each more lenient than those before: the memory
// store then has what Redis has. Under stricter ones Redis still asks the old, too.
enum class TermsChange : std::uint8_t { kNever, kSometimes };

// Some keys under random limits; every step asks both places at one time and compares all that they
// answer, and when each key goes from Redis. The memory store decides by the core alone.
class RedisWorld {
 public:
  RedisWorld(RedisServer& server, RedisClient& client, Random& random, TermsChange changes);

  // A key with a random limit of the first kind; new terms may be of the last, too.
  void AddKey(const std::string& name, const std::vector<Kind>& kinds);
  // Takes random steps until one fails, or time is at its end. How many it took.
  int Run(int steps);

  [[nodiscard]] const WorldCounts& counts() const { return counts_; }

 private:
  void Step();
  void MoveOn();
  void TakePermit(WorldKey& key);
  void TakeRequest();
  void TakeOperation(WorldKey& key, Operation operation, Cost cost);
  WorldKey& AnyKey();
  RemoteCharge ChargeOf(const WorldKey& key, Cost cost) const;
  // Asks Redis, until it has decided.
  bool AskRedis(ScriptCall call, std::span<Decision> decisions);
  bool Meet(ScriptCall& call, std::span<const RespNode> nodes);
  void ChangeTerms();
  void ExpectSame(const WorldKey& key, const Decision& got, const Decision& want);
  void ExpectExpiry(const WorldKey& key);

  RedisServer& server_;
  RedisClient& client_;
  Random& random_;
  TermsChange changes_;
  std::unique_ptr<MemoryStore> store_;
  std::vector<WorldKey> keys_;
  Time now_;
  FirstTerms first_terms_;
  WorldCounts counts_;
  std::string trace_;  // of the last step
};

// Kinds whose states Redis keeps, and the memory store decides in the same way: staggered windows
// have phases of whole microseconds in Redis alone.
std::vector<Kind> RemoteKinds();

// How many worlds, and what happens in each: all of its steps.
struct WorldPlan {
  std::vector<std::vector<Kind>> kinds;  // of keys
  int keys_each = 5;
  int worlds = 20;
  int steps = 100;
  TermsChange changes = TermsChange::kNever;
};

// Three keys of each kind.
WorldPlan PlanOfAll();

// Fails the test where one of the worlds does, or where too little was refused or in use.
void RunWorlds(const WorldPlan& plan);

}  // namespace sluice::testing
