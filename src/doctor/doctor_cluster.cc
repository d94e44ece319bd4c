// Checks a cluster and each of its primaries.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/text.h"
#include "doctor/doctor_context.h"
#include "net/loop/endpoint.h"
#include "redis/redis_slot.h"
#include "redis/redis_topology.h"

namespace sluice::cli {
namespace {

// The number of ranges listed before the list is cut.
constexpr std::size_t kRangesShown = 5;

struct Uncovered {
  std::size_t slots = 0;
  std::string ranges;  // "0-99, 5000"
};

Uncovered FindUncovered(const RedisTopology& topology) {
  Uncovered found;
  std::size_t ranges = 0;
  for (std::size_t slot = 0; slot < kRedisSlots;) {
    std::size_t end = slot;
    while (end < kRedisSlots && topology.Find(static_cast<std::uint16_t>(end)) == nullptr) ++end;
    if (end == slot) {
      ++slot;
      continue;
    }
    found.slots += end - slot;
    if (++ranges <= kRangesShown) {
      found.ranges += Concat(ranges == 1 ? "" : ", ", slot);
      if (end - slot > 1) found.ranges += Concat("-", end - 1);
    } else if (ranges == kRangesShown + 1) {
      found.ranges += ", ...";
    }
    slot = end;
  }
  return found;
}

// Returns a value of an INFO text: "ok" for cluster_state in "cluster_state:ok\r\n...".
std::string_view ValueIn(std::string_view info, std::string_view name) {
  const std::size_t at = info.find(Concat(name, ":"));
  if (at == info.npos) return {};
  const std::string_view rest = info.substr(at + name.size() + 1);
  return rest.substr(0, rest.find_first_of("\r\n"));
}

void CheckState(const DoctorContext& scene, BlockingRedisClient& talk, const std::string& where) {
  const BlockingReply info = talk.Ask({"CLUSTER", "INFO"});
  Finding finding{.check = "cluster", .where = where};
  const std::string_view state = ValueIn(info.text(), "cluster_state");
  finding.found = Concat("cluster_state is ", Printable(state));
  if (!info.ok()) {
    finding.grade = Grade::kWarning;
    finding.found = Concat("cluster_state could not be looked at: ", info.text());
    finding.advice = "allow +cluster|info for this look";
  } else if (state != "ok") {
    finding.grade = Grade::kFailure;
    finding.advice = "redis-cli --cluster check HOST:PORT says what is wrong";
  }
  scene.report(finding);
}

void CheckSlots(const DoctorContext& scene, const RedisTopology& topology,
                const std::string& where) {
  const Uncovered uncovered = FindUncovered(topology);
  Finding finding{.check = "slots",
                  .where = where,
                  .found = Concat("all ", kRedisSlots, " slots are served, by ",
                                  topology.primaries().size(), " primaries")};
  if (uncovered.slots > 0) {
    finding.grade = Grade::kFailure;
    finding.found = Concat(uncovered.slots, " of ", kRedisSlots,
                           " slots are served by nobody: ", uncovered.ranges);
    finding.advice = "bring their node back, or redis-cli --cluster fix HOST:PORT";
  }
  scene.report(finding);
}

// Returns the topology known to the first node that answers, or nothing if no node answers or the
// servers are not a cluster.
std::optional<RedisTopology> Learn(const DoctorContext& scene) {
  std::optional<RedisTopology> learned;
  bool is_told = false;
  const Need need = scene.store.endpoints().size() > 1 ? Need::kAnyOfThem : Need::kThisOne;
  for (const Endpoint& endpoint : scene.store.endpoints()) {
    const std::string where = Describe(endpoint);
    BlockingRedisClient talk(scene.room, endpoint, scene.store.node());
    if (!CheckReachable(scene, talk, where, need) || std::exchange(is_told, true)) continue;
    const BlockingReply slots = talk.Ask({"CLUSTER", "SLOTS"});
    const auto* const tcp = std::get_if<TcpEndpoint>(&endpoint);
    const Result<RedisTopology> topology =
        slots.ok() ? RedisTopology::Read(slots.nodes, tcp == nullptr ? "" : tcp->host)
                   : Error{std::string(slots.text())};
    if (!topology.ok()) {
      const bool is_forbidden = slots.error == RedisErrorKind::kNoPermission;
      scene.report({.grade = Grade::kFailure,
                    .check = "slots",
                    .where = where,
                    .found = Printable(topology.error().message),
                    .advice = is_forbidden ? "allow +cluster|slots"
                                           : "for a server that is no cluster use redis://"});
      continue;
    }
    CheckState(scene, talk, where);
    CheckSlots(scene, topology.value(), where);
    learned = topology.value();
  }
  if (!is_told && scene.store.endpoints().size() > 1) {
    scene.report({.grade = Grade::kFailure,
                  .check = "cluster",
                  .where = "all nodes",
                  .found = "none could be reached",
                  .advice = "see what is said of each"});
  }
  return learned;
}

// Returns a key derived from `key` whose slot the primary serves.
std::string KeyAt(const RedisTopology& topology, const TcpEndpoint& primary,
                  const std::string& key) {
  for (std::size_t i = 0; i < std::size_t{4} * kRedisSlots; ++i) {
    std::string tried = Concat(key, "{", i, "}");
    const TcpEndpoint* const found = topology.Find(SlotOf(tried));
    if (found != nullptr && Describe(*found) == Describe(primary)) return tried;
  }
  return key;
}

}  // namespace

void CheckCluster(const DoctorContext& scene) {
  const std::optional<RedisTopology> topology = Learn(scene);
  if (!topology) return;
  for (const TcpEndpoint& primary : topology->primaries()) {
    const std::string where = Describe(primary);
    BlockingRedisClient talk(scene.room, primary, scene.store.node());
    if (!CheckReachable(scene, talk, where, Need::kThisOne)) continue;
    CheckDeciding(scene, {talk, where, KeyAt(*topology, primary, scene.scratch_key)});
  }
}

}  // namespace sluice::cli
