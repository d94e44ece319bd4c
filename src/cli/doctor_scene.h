// What the checks of `sluice doctor` share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/finding.h"
#include "cli/redis_store.h"
#include "cli/redis_talk.h"
#include "config/store_url.h"
#include "net/endpoint.h"
#include "sluice/time.h"

namespace sluice::cli {

// A store that is looked at. Thread safety: none. All that it refers to outlives it.
struct DoctorScene {
  TalkRoom& room;
  const StoreUrl& url;
  const RedisStore& store;
  Nanos deadline;           // of the store
  std::string key_prefix;   // of all keys
  std::string scratch_key;  // nobody else's
  Report report;
};

// One server that is to decide.
struct DecidingServer {
  RedisTalk& talk;
  std::string where;        // "127.0.0.1:6379"
  std::string scratch_key;  // in a cluster: of a slot that it serves
};

// Whether a host of several may be away without harm, as long as another answers.
enum class Need : std::uint8_t { kThisOne, kAnyOfThem };

// Waits until the server has let us in, and reports whether it has.
bool CheckReachable(const DoctorScene& scene, RedisTalk& talk, const std::string& where, Need need);

// Each of these reports what it finds of one server.
//
// What the server is. False if it cannot decide anything, so that the rest is not worth asking.
bool CheckServer(const DoctorScene& scene, const DecidingServer& server);
// How it is set up.
void CheckClock(const DoctorScene& scene, const DecidingServer& server);
void CheckServerSettings(const DoctorScene& scene, const DecidingServer& server);
// Whether we may do all that deciding takes, and do it: false if not.
bool CheckScripts(const DoctorScene& scene, const DecidingServer& server);
void CheckLatency(const DoctorScene& scene, const DecidingServer& server);

// All of them, of a server that was reached.
void CheckDeciding(const DoctorScene& scene, const DecidingServer& server);

// The sentinels, and the primary that they name.
void CheckSentinels(const DoctorScene& scene);
// The nodes of a cluster, and each primary.
void CheckCluster(const DoctorScene& scene);

// Whether Redis of that version, "7.0.15", is 6.2 or later.
bool IsNewEnough(std::string_view version);

}  // namespace sluice::cli
