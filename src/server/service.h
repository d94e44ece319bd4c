// Service: the running server, with all of its parts.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "admin/admin_front.h"
#include "admin/health.h"
#include "admin/log.h"
#include "config/settings/read_settings.h"
#include "config/watch/live_rules.h"
#include "frontend/front_meter.h"
#include "frontend/http/http_front.h"
#include "frontend/resp/resp_front.h"
#include "gate/gate.h"
#include "limiter/system_clock.h"
#include "net/loop/server.h"
#include "server/live_tls.h"
#include "server/redis_backend.h"
#include "server/serve_parts.h"
#include "server/signals.h"
#include "server/systemd.h"
#include "sluice/clock.h"
#include "sluice/result.h"
#include "store/memory_store.h"
#include "wire/grpc/reflection_index.h"

namespace sluice::cli {

// Builds all parts in order, connects them, and destroys them in reverse order.
//
// Thread safety: none; the main thread's. From StartServer until End the thread rules_thread_ uses
// live_ and, through its callbacks, clock_, gate_, remote_ and log_.
// Ownership: settings and systemd outlive it; it owns everything else.
class Service {
 public:
  Service(const ReadSettingsResult& given, const Systemd& systemd)
      : given_(given), settings_(given.settings), systemd_(systemd) {}
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  // Remote clients run on the server's event loops, so they must be destroyed first.
  ~Service() {
    if (server_) server_->Stop();
    if (remote_) remote_->End();
  }

  // Serves until a signal asks it to stop. Returns an error if it cannot start, or if the states
  // could not be saved when it stopped.
  Result<Done> Run(Signals& signals);

 private:
  Result<Done> Build();
  Result<Done> ReachRemote();
  Result<Done> Restore();
  Result<Done> LoadRules();
  Result<Done> StartServer(std::vector<ListeningSocket> sockets);
  // Adds the front ends of one worker to the services of a listener.
  void AddFrontEnds(const Server::Place& place, Services& services);
  void Announce();
  void WaitForEnd(Signals& signals);
  void Drain(Signals& signals);
  // Stops the parts and saves the states. Returns an error if they could not be saved.
  Result<Done> End();
  void AppendMetrics(std::string& out) const;

  const ReadSettingsResult& given_;
  const Settings& settings_;
  const Systemd& systemd_;
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  Log log_{LogOptions(settings_), *clock_};
  Health health_;
  CallerReports reports_{*clock_, log_};
  std::unique_ptr<MemoryStore> store_;
  std::unique_ptr<RedisBackend> remote_;  // null if all states are in memory
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<LiveRules> live_;
  std::unique_ptr<LiveTls> tls_;  // null without TLS
  std::unique_ptr<ReflectionIndex> services_;
  HttpFrontOptions front_options_;
  RespClientIds resp_ids_;
  FrontMeters meters_;
  AdminSources admin_sources_;
  AdminOptions admin_options_;
  std::vector<std::string> listeners_;  // addresses as text; the last is the admin address
  std::unique_ptr<Server> server_;
  std::thread rules_thread_;
};

}  // namespace sluice::cli
