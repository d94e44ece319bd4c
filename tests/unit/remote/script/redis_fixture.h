// RedisFixture: sends the same requests to a memory store and to the script in a real Redis.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/limit/limit.h"
#include "remote/script/new_terms.h"
#include "remote/script/permit_call.h"
#include "remote/script/remote_limit.h"
#include "remote/script/script_reply.h"
#include "remote/script/script_request.h"
#include "store/memory_store.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "support/redis_server.h"
#include "support/trace.h"
#include "unit/remote/script/random_remote_limit.h"

namespace sluice::testing {

// One key in both stores.
struct WorldKey {
  std::string name;
  std::vector<Kind> kinds;  // kinds of limit it may have; all of one algorithm
  LimitSpec spec;
  std::unique_ptr<RemoteLimit> limit;
  LimitHandle handle;
  std::unique_ptr<TraceMaker> maker;
  Decision last;
};

// Counts of decisions.
struct WorldCounts {
  int allowed = 0;
  int refused = 0;
  int in_use = 0;  // decisions about a key in use
  int met = 0;     // calls whose keys did not know their terms

  void Add(const WorldCounts& other) {
    allowed += other.allowed;
    refused += other.refused;
    in_use += other.in_use;
    met += other.met;
  }
};

// Whether limits of keys in use get new terms. These are always more lenient than the previous
// ones, because the memory store then has the same state as Redis. Under stricter terms Redis still
// applies the old ones, too.
enum class TermsChange : std::uint8_t { kNever, kSometimes };

// Keys under random limits. Every step asks both stores at the same time and compares all fields of
// the decisions, and when each key expires in Redis. The memory store decides with the core only.
class RedisFixture {
 public:
  RedisFixture(RedisServer& server, RedisClient& client, Random& random, TermsChange changes);

  // Adds a key with a random limit of the first kind; new terms may also be of the last.
  void AddKey(const std::string& name, const std::vector<Kind>& kinds);
  // Takes random steps until one fails or the maximum time is reached. Returns the number of steps.
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
  // Sends the call to Redis until it is decided.
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
  std::string trace_;  // describes the last step
};

// Returns the kinds that Redis keeps and the memory store decides identically. Staggered windows
// are not included: their phases are whole microseconds in Redis only.
std::vector<Kind> RemoteKinds();

// The number of fixtures to run, and the total steps of each.
struct WorldPlan {
  std::vector<std::vector<Kind>> kinds;  // kinds of the keys
  int keys_each = 5;
  int worlds = 20;
  int steps = 100;
  TermsChange changes = TermsChange::kNever;
};

// Returns a plan with three keys of each kind.
WorldPlan PlanOfAll();

// Runs the plan. Fails the test if a fixture fails, or if too few requests were allowed, were
// refused or had keys in use.
void RunWorlds(const WorldPlan& plan);

}  // namespace sluice::testing
