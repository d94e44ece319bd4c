// The interface of the checks of `sluice doctor`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/settings/store_url.h"
#include "doctor/blocking_redis_client.h"
#include "doctor/finding.h"
#include "net/loop/endpoint.h"
#include "server/redis_connector.h"
#include "sluice/time.h"

namespace sluice::cli {

// The store to check. Thread safety: none. Everything that it refers to must outlive it.
struct DoctorContext {
  RedisClientContext& room;
  const StoreUrl& url;
  const RedisConnector& store;
  Nanos deadline;           // 'store.deadline'
  std::string key_prefix;   // prefix of all keys
  std::string scratch_key;  // used by nothing else
  Report report;
};

// A server that decides requests: a single server or a primary.
struct DecidingServer {
  BlockingRedisClient& talk;
  std::string where;        // "127.0.0.1:6379"
  std::string scratch_key;  // in a cluster, in a slot that the server serves
};

// Whether this server must answer, or only one of several.
enum class Need : std::uint8_t { kThisOne, kAnyOfThem };

// Connects and logs in, reports the result and returns whether it succeeded.
bool CheckReachable(const DoctorContext& scene, BlockingRedisClient& talk, const std::string& where,
                    Need need);

// Each of these functions reports what it finds about one server.
//
// Checks the version and the role. Returns false if the server cannot decide, so that the other
// checks make no sense.
bool CheckServer(const DoctorContext& scene, const DecidingServer& server);
// Check the clock and the configuration.
void CheckClock(const DoctorContext& scene, const DecidingServer& server);
void CheckServerSettings(const DoctorContext& scene, const DecidingServer& server);
// Checks that the user may run all commands that deciding takes, and runs the scripts. Returns
// false if that fails.
bool CheckScripts(const DoctorContext& scene, const DecidingServer& server);
void CheckLatency(const DoctorContext& scene, const DecidingServer& server);

// Runs all of these checks on a connected server.
void CheckDeciding(const DoctorContext& scene, const DecidingServer& server);

// Checks the Sentinels and the primary that they name.
void CheckSentinels(const DoctorContext& scene);
// Checks the nodes of a cluster and each primary.
void CheckCluster(const DoctorContext& scene);

// Returns whether a Redis version such as "7.0.15" is 6.2 or later.
bool IsNewEnough(std::string_view version);

}  // namespace sluice::cli
