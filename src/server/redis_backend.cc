#include "server/redis_backend.h"

#include <algorithm>
#include <future>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "limiter/system_random.h"
#include "redis/redis_jitter.h"
#include "remote/fleet/eviction_watch.h"
#include "remote/fleet/fleet_secret.h"
#include "remote/fleet/node_count.h"
#include "server/memory_split.h"
#include "server/node_count_file.h"

namespace sluice::cli {
namespace {

std::string NodesFileOf(const StoreSettings& settings) {
  if (!settings.nodes_file.text.empty()) return settings.nodes_file.text;
  const std::string& snapshot = settings.snapshot.text;
  return snapshot.empty() ? snapshot : snapshot + ".nodes";
}

// Lists the servers in the log: "10.0.0.7:6379, 10.0.0.8:6379".
std::string ServersOf(const RedisConnector& redis) {
  std::string text;
  for (const Endpoint& endpoint : redis.endpoints()) {
    text += Concat(text.empty() ? "" : ", ", Describe(endpoint));
  }
  return text;
}

}  // namespace

// The objects on the event loop of one worker. The destructor destroys the client first, because
// that completes the commands in flight, whose callbacks use the other members.
class RedisBackend::Worker {
 public:
  Worker(RedisBackend& store, EventLoop& loop)
      : jitter_(DrawHashSeed().low),
        near_(store.nearby_, loop, store.parts_.clock),
        client_(store.redis_.Connect({{loop, store.parts_.clock},
                                      *store.names_,
                                      counts_,
                                      jitter_,
                                      &store.pacer_,
                                      &store.status_})),
        remote_(*client_, store.parts_.clock, {store.prefix_, store.slots_}, &near_),
        loop_(loop) {
    near_.Begin(remote_);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { client_.reset(); }

  // Starts the tasks that a process needs only once. Called for the first worker only.
  void Lead(RedisBackend& store, EventLoop& loop) {
    near_.Keep();
    const HashSeed id = DrawHashSeed();
    beat_.emplace(NodeCount::Parts{loop, store.parts_.clock, *client_, jitter_},
                  NodeId{id.high, id.low},
                  NodeCountSettings{.prefix = store.prefix_, .at_first = store.nodes_at_first_},
                  [&store](std::int64_t nodes) { store.Count(nodes); });
    look_.emplace(loop, [this, &store] { store.Watch(*beat_); });
    look_->SetEvery(kLookEvery);
    eviction_.emplace(
        EvictionWatch::Parts{loop, *client_, jitter_}, kEvictionEvery,
        EvictionWatch::Owner{.on_look = [&store](const EvictionSample& look) { store.See(look); },
                             .on_forbidden = [&store] { store.SeeNothing(); }});
    if (store.limits_.secret() != nullptr) return;
    secret_.emplace(FleetSecretSource::Parts{loop, *client_, jitter_}, store.prefix_,
                    FleetSecret{DrawHashSeed(), DrawHashSeed()},
                    [&store](const FleetSecret& secret) { store.Use(secret); });
  }

  [[nodiscard]] RedisRemote& remote() { return remote_; }
  [[nodiscard]] RedisCacheWorker& near() { return near_; }
  [[nodiscard]] EventLoop& loop() { return loop_; }
  [[nodiscard]] const RedisCounts& counts() const { return counts_; }

 private:
  static constexpr Nanos kLookEvery = std::chrono::seconds{1};
  static constexpr Nanos kEvictionEvery = std::chrono::seconds{5};

  RedisCounts counts_;
  RedisJitter jitter_;
  RedisCacheWorker near_;
  std::unique_ptr<RedisClient> client_;
  RedisRemote remote_;
  EventLoop& loop_;
  std::optional<LoopTimer> look_;
  std::optional<NodeCount> beat_;
  std::optional<FleetSecretSource> secret_;
  std::optional<EvictionWatch> eviction_;
};

Result<std::unique_ptr<RedisBackend>> RedisBackend::Make(const Settings& settings,
                                                         const Parts& parts) {
  Result<RedisConnector> redis = RedisConnector::Make(settings.store.url, settings.store.deadline);
  if (!redis.ok()) return redis.error();
  return std::unique_ptr<RedisBackend>(
      new RedisBackend(std::move(redis).value(), settings.store, parts));
}

RedisBackend::RedisBackend(RedisConnector redis, const StoreSettings& settings, const Parts& parts)
    : redis_(std::move(redis)),
      parts_(parts),
      timeout_(settings.deadline),
      prefix_(settings.key_prefix.text),
      slots_(settings.url.kind == StoreUrl::Kind::kCluster ? RedisSlots::kSpread
                                                           : RedisSlots::kTogether),
      nodes_file_(NodesFileOf(settings)),
      nodes_at_first_(ReadNodesAtFirst(settings.nodes)),
      nearby_({.lease_keys = static_cast<std::size_t>(settings.lease_keys),
               .eventual_keys = static_cast<std::size_t>(settings.eventual_keys),
               .deny_cache_keys = static_cast<std::size_t>(settings.deny_cache_keys),
               .bytes_max = SplitMemory(settings).tables,
               .sync_interval = settings.sync_interval}),
      status_(ServersOf(redis_)) {
  nearby_.SetLiveNodes(nodes_at_first_);
  const std::string_view secret = settings.key_secret.Reveal();
  if (!secret.empty()) limits_.SetSecret(FleetSecretOf(secret));
}

RedisBackend::~RedisBackend() { End(); }

std::int64_t RedisBackend::ReadNodesAtFirst(std::int64_t given) {
  if (nodes_file_.empty()) return given;
  const Result<std::optional<std::int64_t>> read = ReadNodeCount(nodes_file_);
  if (!read.ok()) {
    parts_.log.Write(LogLevel::kWarning, "nodes_not_read", read.error().message);
    return given;
  }
  nodes_kept_ = read.value().value_or(0);
  return std::max(given, nodes_kept_);
}

void RedisBackend::KeepNodeCount() {
  const std::int64_t nodes = std::min<std::int64_t>(nodes_, kNodeCountMax);
  if (nodes_file_.empty() || nodes == 0 || nodes == nodes_kept_) return;
  const Result<Done> done = WriteNodeCount(nodes_file_, nodes);
  if (!done.ok()) {
    parts_.log.Write(LogLevel::kWarning, "nodes_not_kept", done.error().message);
  }
  // Also after a failure, so that each count is tried and logged only once.
  nodes_kept_ = nodes;
}

RemoteAccess RedisBackend::Join(std::size_t worker, EventLoop& loop) {
  if (worker == workers_.size()) {
    workers_.push_back(std::make_unique<Worker>(*this, loop));
    if (worker == 0) workers_.back()->Lead(*this, loop);
  }
  return {.remote = &workers_[worker]->remote(),
          .node_cache = &workers_[worker]->near(),
          .timeout = timeout_,
          .is_over = &is_over_};
}

void RedisBackend::ReturnLeases(Nanos within) {
  if (workers_.empty()) return;
  nearby_.Close();
  auto returned = std::make_shared<std::promise<void>>();
  std::future<void> all = returned->get_future();
  Worker& first = *workers_.front();
  first.loop().Post(
      [&first, returned] { first.near().ReturnAll([returned] { returned->set_value(); }); });
  static_cast<void>(all.wait_for(within));
}

void RedisBackend::End() {
  is_over_ = true;
  workers_.clear();
  names_.reset();
}

void RedisBackend::Use(const FleetSecret& secret) {
  if (limits_.secret() != nullptr) {
    parts_.log.Write(LogLevel::kWarning, "store_emptied",
                     "the store has lost its keys, and with them the secret of their names; the "
                     "one that another node made is used from now on");
  }
  limits_.SetSecret(secret);
}

void RedisBackend::Count(std::int64_t nodes) {
  if (nodes == nodes_) return;
  if (on_counted && !on_counted(nodes)) return;
  nodes_ = nodes;
  nearby_.SetLiveNodes(nodes);
  parts_.log.Write(LogLevel::kInfo, "nodes_counted", Concat(nodes, " alive"));
}

void RedisBackend::See(const EvictionSample& look) {
  evicted_keys_ += look.evicted;
  const bool was_told = evicting_.any();
  evicting_.set(look.part, look.sight.may_evict());
  may_evict_ = evicting_.any();
  if (was_told || !may_evict_) return;
  parts_.log.Write(LogLevel::kWarning, "store_evicts",
                   Concat("maxmemory-policy is ", Printable(look.sight.policy), ", maxmemory ",
                          look.sight.max_bytes,
                          " bytes: a key that is evicted forgets its units, and its caller gets "
                          "them again; expected noeviction"));
}

void RedisBackend::SeeNothing() {
  parts_.log.Write(LogLevel::kInfo, "store_not_watched",
                   "its user may not ask INFO, so nobody would see that keys are evicted");
}

RemoteTotals RedisBackend::Totals() const {
  RemoteTotals totals;
  totals.nodes = nodes_;
  totals.may_evict = may_evict_;
  totals.evicted_keys = evicted_keys_;
  for (const std::unique_ptr<Worker>& worker : workers_) {
    totals.Add(worker->counts());
    totals.Add(worker->remote().counts());
  }
  return totals;
}

void RedisBackend::Watch(const NodeCount& beats) {
  const RemoteTotals totals = Totals();
  const std::optional<StoreStatus::LogLine> line =
      status_.Check(parts_.clock.Now(), {.answered = totals.decided,
                                         .failed = totals.Failures(),
                                         .probes_answered = beats.beats_answered(),
                                         .probes_failed = beats.beats_failed()});
  if (line) parts_.log.Write(line->level, line->event, line->text);
}

void RedisBackend::AppendStatus(Names names, std::string& out) const {
  out += Concat("store: ", status_.Describe(names == Names::kTold), "\n");
}

void RedisBackend::AppendMetrics(MetricsText& out) {
  RemoteTotals totals = Totals();
  totals.leased_units = nearby_.UnitsLeasedApprox();
  totals.pending_units = nearby_.UnitsPendingApprox();
  totals.lost = nearby_.LostApprox();
  totals.table_bytes = nearby_.BytesApprox();
  AppendRemoteMetrics(totals, out);
}

}  // namespace sluice::cli
