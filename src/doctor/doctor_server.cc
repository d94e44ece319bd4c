// Checks what one server is, and how it is configured.
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/decimal.h"
#include "base/text.h"
#include "console/duration_text.h"
#include "doctor/doctor_context.h"

namespace sluice::cli {
namespace {

using Kind = StoreUrl::Kind;

constexpr std::string_view kOldestVersion = "6.2";
constexpr Nanos kMaxSkew = std::chrono::milliseconds{500};
constexpr std::string_view kScratchLifeMs = "60000";

std::string UserOf(const StoreUrl& url) { return url.user.empty() ? "default" : url.user; }

std::string AdviceFor(const StoreUrl& url, const BlockingRedisClient::Refusal& refusal) {
  switch (refusal.error) {
    case RedisErrorKind::kNoAuth:
      return "it asks for a password: in the URL, --store-password-file or SLUICE_STORE_PASSWORD";
    case RedisErrorKind::kWrongPassword:
      return Concat("look at the password, and whether there is a user ", Quoted(UserOf(url)),
                    " that is on");
    case RedisErrorKind::kNoPermission:
      return url.kind == Kind::kSentinel ? "allow the user +role and +select"
                                         : "allow the user +select, or use database 0";
    case RedisErrorKind::kReadOnly:
      return "the sentinels name a server that is no primary: wait for the failover to end";
    default:
      break;
  }
  if (refusal.words.find("TLS failed") != std::string::npos) {
    return "look at 'ca', 'certificate', 'key' and 'server_name' of the URL";
  }
  if (refusal.words.find("DB index") != std::string::npos) {
    return Concat("it has no database ", url.database,
                  ": use one that it has, 0 in any case, or raise its 'databases'");
  }
  if (url.tls) return "look whether it runs, listens there and speaks TLS";
  return "look whether it runs, listens there, and wants TLS (rediss:// or ?tls=true)";
}

// Returns why a server accepts no writes, or nothing if it accepts them. A missing permission is
// reported by CheckScripts instead.
std::optional<Finding> WhyNoWrites(const BlockingReply& reply) {
  const auto fail = [&](std::string advice) {
    return Finding{.grade = Grade::kFailure,
                   .check = "role",
                   .found = Concat("takes no writes: ", reply.text()),
                   .advice = std::move(advice)};
  };
  switch (reply.error) {
    case RedisErrorKind::kNone:
    case RedisErrorKind::kNoPermission:
      return std::nullopt;
    case RedisErrorKind::kOutOfMemory:
      return fail("raise maxmemory; keys of Sluice go by themselves once they are unused");
    case RedisErrorKind::kNoReplicas:
      return fail("bring replicas back, or lower min-replicas-to-write");
    case RedisErrorKind::kMisconfigured:
      return fail("look why it cannot save, or set stop-writes-on-bgsave-error to no");
    case RedisErrorKind::kClusterDown:
      return fail("see what is said of the cluster");
    default:
      return fail("look at its log");
  }
}

// Returns how the server differs from the kind of the URL and what to use instead; empty if it
// fits.
std::string OtherKind(const StoreUrl& url, std::string_view mode) {
  const bool is_cluster = url.kind == Kind::kCluster;
  if (mode == "sentinel") return "is a sentinel; expected redis+sentinel://HOST/PRIMARY";
  if (mode == "cluster" && !is_cluster) {
    return "is a node of a cluster; expected redis+cluster://HOST";
  }
  if (mode == "standalone" && is_cluster) return "is no node of a cluster; expected redis://HOST";
  return {};
}

bool CheckVersion(const DoctorContext& scene, const DecidingServer& server,
                  const BlockingReply& hello) {
  const std::string_view version = hello.Find("version");
  const bool is_valkey = hello.Find("server") == "valkey";
  Finding finding{.check = "version",
                  .where = server.where,
                  .found = Concat(is_valkey ? "Valkey " : "Redis ", Printable(version))};
  const bool is_good = hello.ok() && (is_valkey || IsNewEnough(version));
  if (!is_good) {
    if (version.empty()) finding.found = "is older than Redis 6, or something else";
    finding.grade = Grade::kFailure;
    finding.advice = Concat("use Redis ", kOldestVersion, " or later, or Valkey");
  }
  scene.report(finding);
  return is_good;
}

bool CheckRole(const DoctorContext& scene, const DecidingServer& server,
               const BlockingReply& hello) {
  Finding finding{.check = "role", .where = server.where, .found = "a primary that takes writes"};
  const std::string other = OtherKind(scene.url, hello.Find("mode"));
  if (!other.empty()) {
    const std::size_t semicolon = other.find("; ");
    finding.grade = Grade::kFailure;
    finding.found = other.substr(0, semicolon);
    finding.advice = other.substr(semicolon + 2);
  } else if (hello.Find("role") != "master") {
    finding.grade = Grade::kFailure;
    finding.found = "a replica, which takes no writes";
    finding.advice = "name its primary in the URL, or use redis+sentinel:// or redis+cluster://";
  } else {
    const BlockingReply wrote =
        server.talk.Ask({"SET", server.scratch_key, "1", "PX", kScratchLifeMs});
    if (std::optional<Finding> why = WhyNoWrites(wrote)) {
      why->where = server.where;
      finding = *std::move(why);
    } else if (!wrote.ok()) {
      finding.found = "a primary";
    }
  }
  scene.report(finding);
  return finding.grade == Grade::kOk;
}

// Returns a configuration value of Redis, or an error if reading it is not allowed.
Result<std::string> ConfigOf(BlockingRedisClient& talk, std::string_view name) {
  const BlockingReply reply = talk.Ask({"CONFIG", "GET", name});
  if (!reply.ok()) return Error{std::string(reply.text())};
  return std::string(reply.Find(name));
}

Finding Unknown(std::string_view check, const DecidingServer& server, const Error& error) {
  return {.grade = Grade::kWarning,
          .check = check,
          .where = server.where,
          .found = Concat("could not be looked at: ", error.message),
          .advice = "allow +config|get for this look, or see to it yourself (docs/redis.md)"};
}

void CheckEviction(const DoctorContext& scene, const DecidingServer& server) {
  const Result<std::string> policy = ConfigOf(server.talk, "maxmemory-policy");
  const Result<std::string> max = policy.ok() ? ConfigOf(server.talk, "maxmemory") : policy.error();
  if (!max.ok()) return scene.report(Unknown("eviction", server, max.error()));
  const bool is_bounded = !max.value().empty() && max.value() != "0";
  Finding finding{.check = "eviction",
                  .where = server.where,
                  .found = Concat("maxmemory-policy is ", Printable(policy.value()), ", maxmemory ",
                                  is_bounded ? Concat(Printable(max.value()), " bytes") : "none")};
  if (is_bounded && policy.value() != "noeviction") {
    finding.grade = Grade::kWarning;
    finding.found += ": a key that is evicted forgets its units, and its caller gets them again";
    finding.advice = "CONFIG SET maxmemory-policy noeviction, and give Sluice a Redis of its own";
  }
  scene.report(finding);
}

void CheckPersistence(const DoctorContext& scene, const DecidingServer& server) {
  const Result<std::string> on = ConfigOf(server.talk, "appendonly");
  const Result<std::string> fsync = on.ok() ? ConfigOf(server.talk, "appendfsync") : on.error();
  if (!fsync.ok()) return scene.report(Unknown("persistence", server, fsync.error()));
  const bool is_on = on.value() == "yes";
  Finding finding{.check = "persistence",
                  .where = server.where,
                  .found = is_on ? Concat("appendonly yes, appendfsync ", Printable(fsync.value()))
                                 : std::string("appendonly no")};
  if (is_on && fsync.value() == "always") {
    finding.grade = Grade::kWarning;
    finding.found += ": each decision waits for the disk";
    finding.advice = "CONFIG SET appendfsync everysec; a crash then gives back a second's units";
  }
  scene.report(finding);
}

void CheckReplication(const DoctorContext& scene, const DecidingServer& server) {
  const Result<std::string> min = ConfigOf(server.talk, "min-replicas-to-write");
  if (!min.ok()) return scene.report(Unknown("replication", server, min.error()));
  const bool asks = min.value() != "0";
  Finding finding{.check = "replication",
                  .where = server.where,
                  .found = Concat("min-replicas-to-write ", Printable(min.value()))};
  if (asks) {
    finding.found += ": with fewer replicas it takes no writes, and on_store_failure decides";
  } else if (scene.url.kind == Kind::kSentinel) {
    finding.grade = Grade::kWarning;
    finding.found += ": a primary that is cut off goes on deciding beside the new one";
    finding.advice = "with two replicas or more, CONFIG SET min-replicas-to-write 1";
  }
  scene.report(finding);
}

}  // namespace

bool IsNewEnough(std::string_view version) {
  const std::size_t point = version.find('.');
  const std::string_view rest = point == version.npos ? "" : version.substr(point + 1);
  const auto major = ReadWhole(version.substr(0, point));
  const auto minor = ReadWhole(rest.substr(0, rest.find('.')));
  const auto* const first = std::get_if<std::int64_t>(&major);
  const auto* const second = std::get_if<std::int64_t>(&minor);
  if (first == nullptr || second == nullptr) return false;
  return std::pair(*first, *second) >= std::pair<std::int64_t, std::int64_t>(6, 2);
}

bool CheckReachable(const DoctorContext& scene, BlockingRedisClient& talk, const std::string& where,
                    Need need) {
  const std::optional<BlockingRedisClient::Refusal> refusal = talk.Open();
  Finding finding{.check = "reachable", .where = where};
  if (refusal) {
    finding.grade = need == Need::kThisOne ? Grade::kFailure : Grade::kWarning;
    finding.found = refusal->words;
    // Remove the name of the server, because the finding has it already.
    for (const std::string& before : {where + " ", where + ": "}) {
      if (finding.found.starts_with(before)) finding.found.erase(0, before.size());
    }
    finding.advice = AdviceFor(scene.url, *refusal);
  } else {
    finding.found = Concat("connected", scene.url.tls ? " over TLS" : "",
                           scene.url.password ? ", logged in" : ", without a password");
  }
  scene.report(finding);
  return !refusal;
}

bool CheckServer(const DoctorContext& scene, const DecidingServer& server) {
  // HELLO needs no permission and returns the version, the mode and the role.
  const BlockingReply hello = server.talk.Ask({"HELLO"});
  return CheckVersion(scene, server, hello) && CheckRole(scene, server, hello);
}

void CheckClock(const DoctorContext& scene, const DecidingServer& server) {
  const Time before = scene.room.clock.Now();
  const BlockingReply reply = server.talk.Ask({"TIME"});
  const Time after = scene.room.clock.Now();
  constexpr std::size_t kNodes = 3;
  if (!reply.ok() || reply.nodes.size() != kNodes) return;  // CheckScripts reports this
  const auto seconds = ReadWhole(reply.nodes[1].text);
  const auto micros = ReadWhole(reply.nodes[2].text);
  const auto* const whole = std::get_if<std::int64_t>(&seconds);
  const auto* const part = std::get_if<std::int64_t>(&micros);
  if (whole == nullptr || part == nullptr) return;
  const Time there{std::chrono::seconds{*whole} + std::chrono::microseconds{*part}};
  const Nanos ahead = there - (before + (after - before) / 2);
  const Nanos apart = ahead < Nanos{0} ? -ahead : ahead;
  const std::string_view side = ahead < Nanos{0} ? " behind" : " ahead of";
  Finding finding{.check = "clock",
                  .where = server.where,
                  .found = apart < std::chrono::milliseconds{1}
                               ? std::string("less than 1ms from this machine's")
                               : Concat(DurationText(apart), side, " this machine's")};
  // Allow for half of the round trip, because the comparison is not more precise than that.
  if (apart > kMaxSkew + (after - before) / 2) {
    finding.grade = Grade::kWarning;
    finding.found +=
        ": it decides by its own clock, so limits hold, but headers that tell the time of day and "
        "what is decided without it go by this machine's";
    finding.advice = "let both follow the same NTP servers";
  }
  scene.report(finding);
}

void CheckServerSettings(const DoctorContext& scene, const DecidingServer& server) {
  CheckEviction(scene, server);
  CheckPersistence(scene, server);
  CheckReplication(scene, server);
}

void CheckDeciding(const DoctorContext& scene, const DecidingServer& server) {
  if (!CheckServer(scene, server)) return;
  const bool decides = CheckScripts(scene, server);
  CheckClock(scene, server);
  CheckServerSettings(scene, server);
  if (decides) CheckLatency(scene, server);
}

}  // namespace sluice::cli
