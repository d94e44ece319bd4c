// Checks the Sentinels and the primary that they name.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "doctor/doctor_context.h"
#include "net/loop/endpoint.h"
#include "redis/redis_sentinel.h"

namespace sluice::cli {
namespace {

// The primaries that the Sentinels name.
struct Opinions {
  std::map<std::string, std::vector<std::string>> voters;  // Sentinels by the address they name
  std::optional<TcpEndpoint> place;                        // the address named last
};

void CheckQuorum(const DoctorContext& scene, BlockingRedisClient& talk, const std::string& where) {
  const BlockingReply reply = talk.Ask({"SENTINEL", "CKQUORUM", scene.url.primary});
  Finding finding{.check = "quorum", .where = where, .found = Printable(reply.text())};
  if (!reply.ok()) {
    finding.grade = Grade::kWarning;
    finding.advice = "bring sentinels back: no failover is possible until then";
  }
  scene.report(finding);
}

// Asks one Sentinel for the primary. Returns whether it answered.
bool AskSentinel(const DoctorContext& scene, const Endpoint& endpoint, Opinions& opinions) {
  const std::string where = Describe(endpoint);
  BlockingRedisClient talk(scene.room, endpoint, scene.store.sentinel());
  const Need need = scene.store.endpoints().size() > 1 ? Need::kAnyOfThem : Need::kThisOne;
  if (!CheckReachable(scene, talk, where, need)) return false;
  const BlockingReply reply = talk.Ask({"SENTINEL", "get-master-addr-by-name", scene.url.primary});
  const std::optional<TcpEndpoint> place = ReadPrimaryPlace(reply.nodes);
  if (place) {
    opinions.place = place;
    opinions.voters[Describe(*place)].push_back(where);
    CheckQuorum(scene, talk, where);
    return true;
  }
  scene.report({.grade = Grade::kFailure,
                .check = "primary",
                .where = where,
                .found = reply.ok() ? Concat("knows no primary ", Quoted(scene.url.primary))
                                    : Printable(reply.text()),
                .advice = "see whether it is a sentinel, and which names it monitors"});
  return true;
}

// Returns whether all Sentinels that answered name the same primary.
bool CheckAgreement(const DoctorContext& scene, const Opinions& opinions) {
  const std::string where = Quoted(scene.url.primary);
  if (opinions.voters.size() == 1) {
    const auto& [place, voters] = *opinions.voters.begin();
    scene.report({.check = "primary",
                  .where = where,
                  .found = Concat("is ", place, ", as ", voters.size(), " of ",
                                  scene.store.endpoints().size(), " sentinels say")});
    return true;
  }
  if (opinions.voters.empty()) return false;
  std::string found = "sentinels disagree:";
  for (const auto& [place, voters] : opinions.voters) {
    found += Concat(" ", place, " (");
    for (const std::string& voter : voters) {
      found += Concat(&voter == voters.data() ? "" : ", ", voter);
    }
    found += ")";
  }
  scene.report({.grade = Grade::kFailure,
                .check = "primary",
                .where = where,
                .found = found,
                .advice = "wait for a failover to end, or make them monitor the same server"});
  return false;
}

}  // namespace

void CheckSentinels(const DoctorContext& scene) {
  Opinions opinions;
  std::size_t answered = 0;
  for (const Endpoint& endpoint : scene.store.endpoints()) {
    if (AskSentinel(scene, endpoint, opinions)) ++answered;
  }
  if (answered == 0 && scene.store.endpoints().size() > 1) {
    scene.report({.grade = Grade::kFailure,
                  .check = "primary",
                  .where = Quoted(scene.url.primary),
                  .found = "no sentinel could be asked for it",
                  .advice = "see what is said of each"});
  }
  if (!CheckAgreement(scene, opinions)) return;
  const std::string where = Describe(*opinions.place);
  RedisNodeSettings settings = scene.store.node();
  settings.connection.greeting.role = RedisGreeting::Role::kPrimary;
  BlockingRedisClient talk(scene.room, *opinions.place, settings);
  if (!CheckReachable(scene, talk, where, Need::kThisOne)) return;
  CheckDeciding(scene, {talk, where, scene.scratch_key});
}

}  // namespace sluice::cli
