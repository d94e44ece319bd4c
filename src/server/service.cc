#include "server/service.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "admin/metrics_text.h"
#include "base/text.h"
#include "config/syntax/file_text.h"
#include "gate/headers.h"
#include "limiter/system_random.h"
#include "limiter/system_zones.h"
#include "server/front_options.h"
#include "server/memory_split.h"
#include "server/process_limits.h"
#include "server/serve_metrics.h"
#include "server/version.h"
#include "store/snapshot.h"
#include "store/snapshot_place.h"
#include "wire/grpc/descriptor_set.h"

namespace sluice::cli {
namespace {

using std::chrono::milliseconds;

// How often the server looks whether its connections have gone, and asks them again.
constexpr milliseconds kDrainStep{50};
constexpr milliseconds kFinalGoaway{500};
// How often it looks whether the number of nodes is to be written down.
constexpr std::chrono::seconds kKeepNodesEvery{1};
// How long the end waits for leased units to be back in the store.
constexpr milliseconds kReturnDeadline{250};

}  // namespace

Result<Done> Service::Run(Signals& signals) {
  for (const ConfigProblem& warning : given_.problems) {
    log_.Write(LogLevel::kWarning, "settings_warning",
               Concat(DescribePlace(given_.files, warning.origin), ": ", warning.message));
  }
  Result<std::vector<ListeningSocket>> sockets = OpenSockets(settings_, systemd_);
  if (!sockets.ok()) return sockets.error();
  if (Result<Done> done = Build(); !done.ok()) return done;
  if (Result<Done> done = StartServer(std::move(sockets).value()); !done.ok()) return done;
  Announce();
  WaitForEnd(signals);
  Drain(signals);
  return End();
}

Result<Done> Service::Build() {
  if (Result<Done> done = Restore(); !done.ok()) return done;
  if (Result<Done> done = ReachRemote(); !done.ok()) return done;
  gate_ = std::make_unique<Gate>(*store_, *clock_, remote_ ? &remote_->limits() : nullptr);
  gate_->ReportGrowth(SaysGrowth(settings_.headers.profile));
  const std::int64_t nodes = remote_ ? remote_->nodes_at_first() : settings_.store.nodes;
  gate_->SetFleetSize({static_cast<std::uint32_t>(nodes)});
  if (Result<Done> done = LoadRules(); !done.ok()) return done;
  if (!settings_.tls.certificate.text.empty()) {
    Result<std::unique_ptr<LiveTls>> tls =
        LiveTls::Create(settings_.tls, settings_.admin.client_names, log_, *clock_);
    if (!tls.ok()) return tls.error();
    tls_ = std::move(tls).value();
  }
  Result<ReflectionIndex> services = ReflectionIndex::Make(DescriptorSet());
  if (!services.ok()) return services.error();
  services_ = std::make_unique<ReflectionIndex>(std::move(services).value());

  SetFrontOptions(settings_, front_options_);
  front_options_.callers = CallersOf(settings_, reports_);
  front_options_.warnings = &reports_.warnings;
  front_options_.services = services_.get();
  front_options_.is_ready = [this] { return health_.ready(); };

  admin_options_ = {.token = std::string(settings_.admin.token.Reveal()),
                    .hosts = AsksOperators(settings_) ? AdminHosts::kAny : AdminHosts::kLocal,
                    .version = std::string(kVersion),
                    .compiler = std::string(kCompiler)};
  admin_sources_.health = &health_;
  admin_sources_.log = &log_;
  admin_sources_.counts = [this] { return gate_->counts().SumApprox(); };
  admin_sources_.rules = [this] { return live_->status(); };
  admin_sources_.settings = given_.effective;
  admin_sources_.warnings = [this](Names names, std::string& out) {
    if (remote_) remote_->AppendStatus(names, out);
    AppendWarningLines(reports_.warnings, names, out);
  };
  admin_sources_.metrics = [this](std::string& out) { AppendMetrics(out); };
  return Done{};
}

Result<Done> Service::ReachRemote() {
  if (!RedisConnector::IsFor(settings_.store.url)) return Done{};
  Result<std::unique_ptr<RedisBackend>> remote =
      RedisBackend::Make(settings_, {.clock = *clock_, .log = log_});
  if (!remote.ok()) return remote.error();
  remote_ = std::move(remote).value();
  remote_->on_counted = [this](std::int64_t nodes) {
    const auto max = std::min<std::int64_t>(nodes, kFleetMax);
    return gate_->SetFleetSize({static_cast<std::uint32_t>(max)});
  };
  return Done{};
}

// The states of the last run, where they are kept. A file that cannot be used is no reason not to
// serve, and that is said; it is put aside, so that the states of this run do not replace it.
Result<Done> Service::Restore() {
  const MemoryStoreOptions options{
      .memory_bytes = static_cast<std::uint64_t>(SplitMemory(settings_.store).states),
      .seed = DrawHashSeed()};
  const auto make = [&]() -> Result<Done> {
    Result<std::unique_ptr<MemoryStore>> store = MemoryStore::Create(options);
    if (!store.ok()) return store.error();
    store_ = std::move(store).value();
    return Done{};
  };
  if (Result<Done> done = make(); !done.ok()) return done;
  const std::string& path = settings_.store.snapshot.text;
  if (path.empty()) return Done{};
  // Known now rather than when the states of this run are to be saved.
  if (Result<Done> done = CheckSnapshotPath(path); !done.ok()) return done;
  if (access(path.c_str(), F_OK) != 0 && errno == ENOENT) return Done{};
  const Result<Done> restored = Snapshot::Restore(*store_, path, SystemZones(), clock_->Now());
  if (restored.ok()) {
    log_.Write(LogLevel::kInfo, "snapshot_restored", path);
    return Done{};
  }
  log_.Write(LogLevel::kError, "snapshot_not_restored",
             Concat(restored.error().message, "; ", PutAside(path)));
  return make();
}

Result<Done> Service::LoadRules() {
  LiveRulesOptions options;
  for (const FilePath& path : settings_.rules) options.paths.push_back(path.text);
  options.zones = SystemZones();
  options.use = [this](std::shared_ptr<const RuleSet> rules) {
    return gate_->Use(std::move(rules));
  };
  options.report = [this](const RuleEvent& event) { LogRuleEvent(event, log_); };
  auto watch = DirectoryWatch::Create(options.paths);
  Result<std::unique_ptr<LiveRules>> live =
      LiveRules::Create(std::move(options), std::move(watch), *clock_);
  if (!live.ok()) return live.error();
  live_ = std::move(live).value();
  return live_->Load();
}

Result<Done> Service::StartServer(std::vector<ListeningSocket> sockets) {
  const std::size_t admin = sockets.size() - 1;
  std::vector<ListenerPolicy> policies;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    listeners_.push_back(sockets[i].text());
    const ListenerKind kind = sockets[i].is_unix() ? ListenerKind::kUnix
                              : i == admin         ? ListenerKind::kAdmin
                                                   : ListenerKind::kService;
    std::shared_ptr<const TlsSource> source;
    if (tls_) source = i == admin ? tls_->admin_source() : tls_->source();
    policies.push_back(ListenerPolicyOf(settings_, kind, std::move(source), log_));
  }
  Server::Options options = ServerOptions(settings_, UsableProcessors());
  options.operators = admin;
  options.seed = DrawHashSeed().low;
  server_ = std::make_unique<Server>(options, std::move(sockets), [&](const Server::Place& place) {
    Services services;
    services.entrance = policies[place.listener];
    if (place.listener == admin) {
      services.http = std::make_unique<AdminFront>(admin_sources_, admin_options_);
    } else {
      AddFrontEnds(place, services);
    }
    return services;
  });
  if (Result<Done> done = server_->Start(); !done.ok()) return done;
  if (tls_) tls_->Start();
  rules_thread_ = std::thread([this] {
    if (const Result<Done> done = live_->Run(); !done.ok()) {
      log_.Write(LogLevel::kError, "rules_not_followed", done.error().message);
    }
  });
  health_.Set(Health::State::kReady);
  return Done{};
}

void Service::AddFrontEnds(const Server::Place& place, Services& services) {
  const RemoteAccess access = remote_ ? remote_->Join(place.worker, place.loop) : RemoteAccess{};
  HttpFrontOptions front_options = front_options_;
  front_options.loop = &place.loop;
  services.http =
      std::make_unique<HttpFront>(*gate_, access, *clock_, meters_.Add(), std::move(front_options));
  services.resp = std::make_unique<RespFront>(
      RespFront::Parts{*gate_, access, front_options_.callers, resp_ids_, kVersion, *clock_,
                       meters_.Add(), &place.loop});
}

void Service::Announce() {
  std::string where;
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    where += Concat(i == 0 ? "" : ", ", i + 1 == listeners_.size() ? "admin " : "", listeners_[i]);
  }
  const std::shared_ptr<const RuleStatus> rules = live_->status();
  log_.Write(
      LogLevel::kInfo, "serving",
      Concat("sluice ", kVersion, ", rules ", HexText(rules->in_force->hash), ", at ", where));
  systemd_.Notify("READY=1");
}

void Service::WaitForEnd(Signals& signals) {
  Nanos step = systemd_.watchdog().value_or(std::chrono::hours(1));
  if (remote_) step = std::min<Nanos>(step, kKeepNodesEvery);
  for (;;) {
    const Asked asked = signals.WaitFor(step);
    if (remote_) remote_->KeepNodeCount();
    if (asked == Asked::kEnd) return;
    if (asked == Asked::kReload) {
      live_->RequestReload();
      if (tls_) tls_->RequestReload();
    }
    if (systemd_.watchdog()) systemd_.Notify("WATCHDOG=1");
  }
}

// Not ready any more, but serving on for as long as balancers need to notice; then the peers are
// asked to go. A second signal, or the deadline, ends it.
void Service::Drain(Signals& signals) {
  health_.Set(Health::State::kDraining);
  server_->WarnOfDrain();
  systemd_.Notify("STOPPING=1");
  const std::size_t connections = server_->connection_count();
  log_.Write(LogLevel::kInfo, "draining",
             Concat("draining ", connections, connections == 1 ? " connection" : " connections"));
  // False if it is to end at once. Other signals do not make it shorter.
  const auto wait = [&](Nanos length) {
    const Time end = clock_->Now() + length;
    for (Time now = clock_->Now(); now < end; now = clock_->Now()) {
      if (signals.WaitFor(end - now) == Asked::kEnd) return false;
    }
    return true;
  };
  Nanos left = settings_.drain.deadline;
  if (settings_.drain.delay > Nanos(0)) {
    if (!wait(settings_.drain.delay)) return;
    left -= settings_.drain.delay;
  }
  server_->Drain();
  for (Nanos waited{0}; waited < left && server_->connection_count() > 0; waited += kDrainStep) {
    if (!wait(kDrainStep)) return;
    if (waited == Nanos(kFinalGoaway)) server_->Drain();
  }
}

Result<Done> Service::End() {
  live_->Stop();
  rules_thread_.join();
  if (remote_) remote_->ReturnLeases(kReturnDeadline);
  server_->Stop();
  if (remote_) remote_->End();
  const std::string& path = settings_.store.snapshot.text;
  Result<Done> saved = Done{};
  if (!path.empty()) {
    saved = Snapshot::Save(*store_, path, clock_->Now());
    log_.Write(saved.ok() ? LogLevel::kInfo : LogLevel::kError,
               saved.ok() ? "snapshot_saved" : "snapshot_not_saved",
               saved.ok() ? path : saved.error().message);
  }
  log_.Write(LogLevel::kInfo, "ended", "shutdown complete");
  return saved;
}

void Service::AppendMetrics(std::string& out) const {
  MetricsText text(out);
  AppendFrontMetrics(meters_.SumApprox(), text);
  AppendWarningMetrics(reports_.warnings, text);
  AppendLiftMetrics(reports_.audit, text);
  AppendStoreMetrics(store_->StatsApprox(), text);
  if (remote_) remote_->AppendMetrics(text);
  text.Begin("sluice_connections", MetricKind::kGauge, "Open connections.");
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    text.Sample({{"listener", listeners_[i]}}, server_->ConnectionCount(i));
  }
  if (!tls_) return;
  text.Begin("sluice_tls_certificate_expiry_timestamp_seconds", MetricKind::kGauge,
             "The last second in which the certificate of this server is good.");
  text.Sample({}, tls_->source()->in_force()->not_after().time_since_epoch().count());
}

}  // namespace sluice::cli
